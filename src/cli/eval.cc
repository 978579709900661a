#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/session.h"
#include "eval/metrics.h"

namespace beleg {
namespace {

constexpr std::uint64_t kMaxFileBytes = 1ULL << 31U;

struct Options {
  std::string run;
  std::string qrels;
  std::uint64_t k = 10;
};

Result<int> evaluate(const Options& options, const Session& session) {
  if (options.run.empty() || options.qrels.empty() || options.k < 1) {
    return fail(ErrorCode::kInvalidArgument, "--run, --qrels and a positive --k are needed",
                "beleg eval --run run.txt --qrels qrels.tsv --k 10");
  }
  const std::string run_text = TRY(read_file(options.run, kMaxFileBytes));
  const std::string qrels_text = TRY(read_file(options.qrels, kMaxFileBytes));
  const Run run = TRY(parse_trec_run(run_text, printable_path(options.run)));
  const Qrels qrels = TRY(parse_qrels(qrels_text, printable_path(options.qrels)));
  const RunEvaluation e = evaluate_run(run, qrels, options.k);
  if (e.questions == 0) {
    return fail(ErrorCode::kInvalidArgument,
                "no question of the judgements has a relevant document",
                "give the judgements that belong to the run");
  }
  if (session.json()) {
    session.print(nlohmann::json{
        {"k", options.k},
        {"questions", e.questions},
        {"absent", e.absent},
        {"ndcg", e.mean.ndcg},
        {"recall", e.mean.recall},
        {"precision", e.mean.precision},
        {"mrr", e.mean.reciprocal_rank},
        {"map", e.mean.average_precision},
        {"hit",
         e.mean.hit}}.dump());
  } else {
    std::array<char, 300> line{};
    std::snprintf(line.data(), line.size(),
                  "nDCG@%llu %.4f  recall %.4f  precision %.4f  MRR %.4f  MAP %.4f  hit %.4f  "
                  "(%zu questions, %zu absent from the run)",
                  static_cast<unsigned long long>(options.k), e.mean.ndcg, e.mean.recall,
                  e.mean.precision, e.mean.reciprocal_rank, e.mean.average_precision, e.mean.hit,
                  e.questions, e.absent);
    session.print(line.data());
  }
  return e.absent > 0 ? kExitPartial : kExitOk;
}

int run(const Options& options, Session& session) {
  const auto code = evaluate(options, session);
  return code ? *code : session.complain(code.error());
}

}  // namespace

CommandRunner define_eval(Arguments& arguments) {
  auto options = std::make_shared<Options>();
  arguments.option("--run", options->run, "TREC run file");
  arguments.option("--qrels", options->qrels, "Judgements, TREC or BEIR form");
  arguments.option("--k", options->k, "Cutoff");
  return [options](Session& session) { return run(*options, session); };
}

}  // namespace beleg

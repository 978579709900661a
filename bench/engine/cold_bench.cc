#include "base/file.h"
#include "child_process.h"
#include "kinds.h"
#include "measure.h"
#include "pipeline/search.h"
#include "product_corpus.h"

namespace beleg {
namespace {

/// Questions after which the memory of a process that stays is read.
constexpr std::size_t kQuestionsBeforeMemory = 100;
constexpr std::uint64_t kMaxLineBytes = 1U << 20U;

std::vector<std::string> search_command(const BenchOptions& options, const ProductCorpus& corpus,
                                        const std::string& question) {
  std::vector<std::string> command = {options.program.string(),
                                      "search",
                                      "--home",
                                      corpus.home.string(),
                                      "--corpus",
                                      corpus.name,
                                      "--set",
                                      "models.encoder=" + options.model,
                                      "--set",
                                      "models.threads=" + std::to_string(options.threads),
                                      "--set",
                                      "retrieve.late=false"};
  for (const std::string& setting : options.settings) {
    command.insert(command.end(), {"--set", setting});
  }
  command.insert(command.end(), {"--mode", "hybrid", question});
  return command;
}

Result<void> ask_once(Engine& engine, const BenchQuery& query, std::size_t k) {
  std::vector<QueryVectors> vectors = TRY(engine.encode_questions({query.text}));
  TRY(search(engine, query.text, std::move(vectors.front()), {}, SearchMode::kHybrid,
             SearchUnit::kPassage, k));
  return {};
}

}  // namespace

Result<void> run_ready(const BenchOptions& options) {
  const std::vector<BenchQuery> queries =
      TRY(load_queries(options.queries, kQuestionsBeforeMemory));
  const double reading_ms = static_cast<double>(monotonic_ns() - options.spawned_at) / 1e6;
  const std::uint64_t before = monotonic_ns();
  const Settings settings = TRY(two_list_settings(options));
  const auto engine = TRY(open_engine(existing_corpus(options), settings));
  const std::uint64_t ready = monotonic_ns();
  TRY(ask_once(*engine, queries.front(), options.k));
  const std::uint64_t answered = monotonic_ns();
  BenchJson metrics = {{"start_ms", reading_ms},
                       {"open_ms", static_cast<double>(ready - before) / 1e6},
                       {"first_answer_ms", static_cast<double>(answered - ready) / 1e6},
                       {"docs", engine->index().rows()}};
  metrics["rss_first_answer_mb"] = memory_use().resident_mb;
  for (const BenchQuery& query : queries) TRY(ask_once(*engine, query, options.k));
  add_memory(metrics);
  return emit(options, "beleg", "ready", std::move(metrics));
}

Result<void> run_cold(const BenchOptions& options) {
  const std::vector<BenchQuery> queries = TRY(load_queries(options.queries, options.runs));
  // In a process of its own: a child begins with the peak memory of its parent.
  const ProductCorpus corpus = TRY(prepare_apart(options));
  std::vector<double> wall;
  std::vector<double> cpu;
  std::vector<double> memory;
  for (std::size_t run = 0; run < options.runs; ++run) {
    const auto command = search_command(options, corpus, queries[run % queries.size()].text);
    const ChildRun child = TRY(run_child(command, {}));
    if (child.exit_code != 0) {
      return fail(ErrorCode::kInternal,
                  "beleg search ended with exit code " + std::to_string(child.exit_code));
    }
    if (run == 0) continue;  // Fills the page cache.
    wall.push_back(child.wall_ms);
    cpu.push_back(child.cpu_ms);
    memory.push_back(child.peak_mb);
  }
  std::vector<std::string> command = own_command(options, "ready");
  command.insert(command.end(), {"--spawned-at", std::to_string(monotonic_ns())});
  const std::filesystem::path line = options.work / "ready.json";
  const ChildRun ready = TRY(run_child(command, line));
  if (ready.exit_code != 0) return fail(ErrorCode::kInternal, "the process of `ready` failed");
  BenchJson metrics = {{"runs", wall.size()},
                       {"cold_ms_p50", percentile(wall, 50)},
                       {"cold_ms_p95", percentile(wall, 95)},
                       {"cold_cpu_ms_p50", percentile(cpu, 50)},
                       {"cold_cpu_ms_p95", percentile(cpu, 95)},
                       {"cold_peak_mb", percentile(memory, 100)},
                       {"vectors", options.synthetic_vectors ? "synthetic" : options.model}};
  metrics["process"] = BenchJson::parse(TRY(read_file(line, kMaxLineBytes)))["metrics"];
  return emit(options, "beleg", "cold", std::move(metrics));
}

}  // namespace beleg

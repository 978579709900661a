#include <sys/prctl.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <thread>

#include "child_process.h"
#include "kinds.h"
#include "measure.h"
#include "pipeline/search.h"
#include "product_corpus.h"

namespace beleg {
namespace {

constexpr std::size_t kWarm = 5;
/// Larger than the caches that cores share.
constexpr std::size_t kBurnBytes = 64U << 20U;

Result<BenchJson> measure(Engine& engine, const std::vector<BenchQuery>& queries, std::size_t k) {
  return time_queries(
      [&](const BenchQuery& query) -> Result<std::vector<std::string_view>> {
        std::vector<QueryVectors> vectors = TRY(engine.encode_questions({query.text}));
        TRY(search(engine, query.text, std::move(vectors.front()), {}, SearchMode::kHybrid,
                   SearchUnit::kPassage, k));
        return std::vector<std::string_view>{};
      },
      queries, kWarm);
}

}  // namespace

Result<void> run_burn(const BenchOptions& /*options*/) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // Never outlives the measurement.
  std::vector<std::uint64_t> memory(kBurnBytes / sizeof(std::uint64_t), 1);
  volatile std::uint64_t sink = 0;
  while (true) {
    std::uint64_t sum = 0;
    for (std::uint64_t& word : memory) {
      word = word * 0x9e3779b97f4a7c15ULL + sum;
      sum ^= word >> 29U;
    }
    sink = sink + sum;
  }
}

Result<void> run_contention(const BenchOptions& options) {
  std::vector<BenchQuery> queries = TRY(load_queries(options.queries, options.query_count));
  for (BenchQuery& query : queries) query.relevant.clear();
  const ProductCorpus corpus = TRY(prepare_apart(options));
  const Settings settings = TRY(two_list_settings(options));
  const auto engine = TRY(open_engine(corpus, settings));
  BenchJson metrics = {{"docs", engine->index().rows()}};
  metrics["quiet"] = TRY(measure(*engine, queries, options.k));
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  {
    std::vector<Companion> burners;
    burners.reserve(cores);
    for (unsigned i = 0; i < cores; ++i) {
      burners.push_back(TRY(
          Companion::start({own_program(), "--kind", "burn", "--work", options.work.string()})));
    }
    metrics["busy"] = TRY(measure(*engine, queries, options.k));
  }
  metrics["burners"] = cores;
  metrics["busy_p95_over_quiet_p50"] =
      metrics["busy"]["wall_ms_p95"].get<double>() / metrics["quiet"]["wall_ms_p50"].get<double>();
  add_memory(metrics);
  return emit(options, "beleg", "contention", std::move(metrics));
}

}  // namespace beleg

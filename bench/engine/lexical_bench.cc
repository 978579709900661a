#include "base/clock.h"
#include "dataset.h"
#include "index_access.h"
#include "kinds.h"
#include "measure.h"

namespace beleg {
namespace {

constexpr std::size_t kWarm = 20;

std::filesystem::path saved_index(const BenchOptions& options) {
  return options.work / "lex-beleg.idx";
}

Result<void> answer_once(const BenchOptions& options, const Stopwatch& since_start) {
  const std::vector<BenchQuery> queries = TRY(load_queries(options.queries, 10));
  const LexicalFileSearch index = TRY(LexicalFileSearch::open(saved_index(options)));
  if (index.search(queries.front().text, options.k).empty()) {
    return fail(ErrorCode::kNotFound, "the saved index does not answer",
                "run --kind lexical without --cold first");
  }
  BenchJson metrics = {{"cold_s_in_process", since_start.wall_ms() / 1e3},
                       {"cold_cpu_s", since_start.cpu_ms() / 1e3}};
  add_memory(metrics);
  return emit(options, "beleg", "lexical-cold", std::move(metrics));
}

}  // namespace

Result<void> run_lexical(const BenchOptions& options) {
  const Stopwatch since_start;
  if (options.cold) return answer_once(options, since_start);
  const Stopwatch reading;
  const std::vector<BenchPassage> passages = TRY(load_passages(options.corpus, options.limit));
  const double read_s = reading.wall_ms() / 1e3;
  const std::vector<BenchQuery> queries = TRY(load_queries(options.queries, options.query_count));
  std::filesystem::create_directories(options.work);
  release_free_memory();
  const double resident_before = memory_use().resident_mb;

  const Stopwatch building;
  {
    LexicalFileBuild build;
    for (const BenchPassage& passage : passages) build.add(passage.text);
    TRY(build.write(saved_index(options)));
  }
  const double index_s = building.wall_ms() / 1e3;
  const double index_cpu_s = building.cpu_ms() / 1e3;
  const LexicalFileSearch index = TRY(LexicalFileSearch::open(saved_index(options)));
  release_free_memory();

  const auto count = static_cast<double>(passages.size());
  const std::size_t characters = count_characters(passages);
  BenchJson metrics = {{"docs", passages.size()},
                       {"chars", characters},
                       {"read_s", read_s},
                       {"index_s", index_s},
                       {"index_cpu_s", index_cpu_s},
                       {"docs_per_s", count / index_s},
                       {"docs_per_cpu_s", count / index_cpu_s},
                       {"mb_per_cpu_s", static_cast<double>(characters) / 1e6 / index_cpu_s},
                       {"build_peak_mb", peak_mb()},
                       {"index_disk_mb", disk_mb(saved_index(options))}};
  metrics["query"] = TRY(time_queries(
      [&](const BenchQuery& query) -> Result<std::vector<std::string_view>> {
        std::vector<std::string_view> ids;
        for (const Row row : index.search(query.text, options.k))
          ids.emplace_back(passages[row].id);
        return ids;
      },
      queries, kWarm));
  // Mapped pages count from the first search on, so this is taken after it.
  metrics["rss_added_mb"] = memory_use().resident_mb - resident_before;
  add_memory(metrics);
  return emit(options, "beleg", "lexical", std::move(metrics));
}

}  // namespace beleg

#include "base/clock.h"
#include "dataset.h"
#include "document/fields.h"
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

// The language of every passage, as an ingest finds it: of each document once, from samples of its
// whole text. Passages of one document follow one another.
std::vector<std::string> languages_of(const std::vector<BenchPassage>& passages) {
  std::vector<std::string> languages;
  languages.reserve(passages.size());
  for (std::size_t first = 0; first < passages.size(); first = languages.size()) {
    ParsedDocument document;
    std::size_t end = first;
    for (; end < passages.size() && passages[end].document == passages[first].document; ++end) {
      document.text += passages[end].text;
      document.text += '\n';
    }
    complete_metadata(document);
    languages.resize(end, document.meta.language);
  }
  return languages;
}

// CPU seconds of the steps of a build.
struct BuildTimes {
  double language = 0;
  double lexicon = 0;
  double analysis = 0;
  double writing = 0;
  double wall = 0;

  [[nodiscard]] double index() const { return lexicon + analysis + writing; }
};

Result<BuildTimes> build_index(const std::vector<BenchPassage>& passages,
                               const std::filesystem::path& path) {
  BuildTimes times;
  Stopwatch step;
  const auto lap = [&step] {
    const double seconds = step.cpu_ms() / 1e3;
    step = Stopwatch();
    return seconds;
  };
  const std::vector<std::string> languages = languages_of(passages);
  times.language = lap();
  const Stopwatch indexing;
  CompoundLexiconBuilder words;
  for (std::size_t row = 0; row < passages.size(); ++row) {
    if (languages[row] == "de") words.add_text(passages[row].text);
  }
  LexicalFileBuild build(words.build());
  times.lexicon = lap();
  for (std::size_t row = 0; row < passages.size(); ++row) {
    build.add(passages[row].text, languages[row]);
  }
  times.analysis = lap();
  TRY(build.write(path));
  times.writing = lap();
  times.wall = indexing.wall_ms() / 1e3;
  return times;
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

  const BuildTimes times = TRY(build_index(passages, saved_index(options)));
  const LexicalFileSearch index = TRY(LexicalFileSearch::open(saved_index(options)));
  release_free_memory();

  const auto count = static_cast<double>(passages.size());
  const std::size_t characters = count_characters(passages);
  BenchJson metrics = {{"docs", passages.size()},
                       {"chars", characters},
                       {"read_s", read_s},
                       {"index_s", times.wall},
                       {"index_cpu_s", times.index()},
                       {"language_cpu_s", times.language},
                       {"lexicon_cpu_s", times.lexicon},
                       {"analysis_cpu_s", times.analysis},
                       {"writing_cpu_s", times.writing},
                       {"docs_per_s", count / times.wall},
                       {"docs_per_cpu_s", count / times.index()},
                       {"docs_per_cpu_s_with_language", count / (times.index() + times.language)},
                       {"mb_per_cpu_s", static_cast<double>(characters) / 1e6 / times.index()},
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

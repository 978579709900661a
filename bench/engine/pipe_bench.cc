#include <algorithm>
#include <cstdio>
#include <map>

#include "base/clock.h"
#include "base/file.h"
#include "kinds.h"
#include "measure.h"
#include "pipeline/cascade.h"
#include "pipeline/search.h"
#include "product_corpus.h"

namespace beleg {
namespace {

constexpr std::size_t kWarm = 3;
/// Questions that are joined to one that is sure to be split: the cascade then searches for the
/// whole and for each of them.
constexpr std::size_t kJoined = 3;
/// The day that counts as today for recency: a fixed one, so that runs compare.
constexpr UnixSeconds kNow = 1'767'139'200;

/// Searches by words and by meaning, fuses, and reads the article around each result.
Result<std::vector<Row>> search_and_expand(Engine& engine, const std::string& question,
                                           std::size_t k) {
  std::vector<QueryVectors> vectors = TRY(engine.encode_questions({question}));
  const SearchResult result = TRY(search(engine, question, std::move(vectors.front()), {},
                                         SearchMode::kHybrid, SearchUnit::kPassage, k));
  std::vector<Row> rows;
  std::map<VersionId, std::size_t> article_bytes;
  for (const SearchHit& hit : result.hits) {
    rows.push_back(hit.row);
    const VersionId version = engine.index().attributes(hit.row).version;
    if (article_bytes.contains(version)) continue;
    const std::vector<StoredPassage> neighbours = TRY(engine.store().passages_of(version));
    article_bytes[version] = TRY(engine.store().version(version)).content.text.size();
    if (neighbours.empty() || article_bytes[version] == 0) {
      return fail(ErrorCode::kInternal, "an article without text was found");
    }
  }
  return rows;
}

Result<BenchJson> measure_search(const BenchOptions& options, Engine& engine,
                                 const std::vector<BenchQuery>& queries,
                                 const std::vector<std::string>& ids) {
  return time_queries(
      [&](const BenchQuery& query) -> Result<std::vector<std::string_view>> {
        std::vector<std::string_view> found;
        for (const Row row : TRY(search_and_expand(engine, query.text, options.k))) {
          found.emplace_back(ids[row]);
        }
        return found;
      },
      queries, kWarm);
}

/// Questions about one passage as one question, `count` of these, evenly spread. Such questions
/// stand one after the other in the file.
std::vector<BenchQuery> join_questions(const std::vector<BenchQuery>& queries, std::size_t count) {
  std::vector<BenchQuery> joined;
  for (std::size_t i = 0; i + kJoined <= queries.size();) {
    BenchQuery question{.language = queries[i].language};
    std::size_t part = 0;
    for (; part < kJoined; ++part) {
      const BenchQuery& next = queries[i + part];
      if (next.language != question.language || next.relevant != queries[i].relevant) break;
      question.text += (part > 0 ? " " : "") + next.text;
    }
    i += std::max<std::size_t>(part, 1);
    if (part == kJoined) joined.push_back(std::move(question));
  }
  std::vector<BenchQuery> kept;
  count = count == 0 ? joined.size() : std::min(count, joined.size());
  kept.reserve(count);
  for (std::size_t i = 0; i < count; ++i) kept.push_back(joined[i * joined.size() / count]);
  return kept;
}

/// What all answers together say about themselves.
struct CascadeTotals {
  double answers = 0;
  double queries = 0;
  double abstained = 0;
  double degraded = 0;
  std::map<std::string, double> step_cpu_ms;
  std::map<std::string, std::size_t> reasons;  ///< Why answers were degraded.

  void count(const AskOutcome& outcome) {
    ++answers;
    queries += static_cast<double>(outcome.receipt["plan"]["queries"].size());
    abstained += outcome.abstained ? 1 : 0;
    degraded += outcome.degraded ? 1 : 0;
    for (const Json& entry : outcome.receipt["degraded"]) ++reasons[entry["reason"]];
    for (const Json& step : outcome.receipt["steps"]) {
      step_cpu_ms[step["name"].get<std::string>()] += step["cpu_ms"].get<double>();
    }
  }
};

Result<BenchJson> measure_cascade(Engine& engine, const std::vector<BenchQuery>& queries,
                                  BenchJson& metrics) {
  CascadeTotals totals;
  const AnswerFunction answer =
      [&](const BenchQuery& query) -> Result<std::vector<std::string_view>> {
    totals.count(TRY(ask(engine, {.question = query.text, .now = kNow})));
    return std::vector<std::string_view>{};
  };
  BenchJson times = TRY(time_queries(answer, queries, kWarm));
  metrics["queries_per_question"] = totals.queries / totals.answers;
  metrics["abstained"] = totals.abstained / totals.answers;
  metrics["degraded"] = totals.degraded / totals.answers;
  metrics["degraded_because"] = totals.reasons;
  for (const auto& [step, cpu_ms] : totals.step_cpu_ms) {
    metrics["step_cpu_ms"][step] = cpu_ms / totals.answers;
  }
  return times;
}

}  // namespace

Result<void> run_pipe(const BenchOptions& options) {
  std::vector<BenchPassage> passages = TRY(load_passages(options.corpus, options.limit));
  std::vector<BenchQuery> queries =
      TRY(load_queries(options.queries, options.no_rerank ? options.query_count : 0));
  if (!options.no_rerank) queries = join_questions(queries, options.query_count);
  if (queries.empty()) {
    return fail(
        ErrorCode::kInvalidArgument,
        printable_path(options.queries) + " has no three judged questions about one passage");
  }
  const ProductCorpus corpus = TRY(prepare_apart(options));
  const Settings settings =
      TRY(options.no_rerank ? two_list_settings(options) : settings_of(options));
  const Stopwatch opening;
  const auto engine = TRY(open_engine(corpus, settings));
  BenchJson metrics = {{"load_s", opening.wall_ms() / 1e3},
                       {"load_cpu_s", opening.cpu_ms() / 1e3},
                       {"docs", engine->index().rows()},
                       {"pairs", options.no_rerank ? 0 : settings.rerank.candidates},
                       {"model", options.model},
                       {"vectors", options.synthetic_vectors ? "synthetic" : options.model},
                       {"late_retriever", settings.retrieve.late},
                       {"ingest", corpus.ingest}};
  const std::vector<std::string> ids = TRY(ids_of_rows(*engine, passages));
  passages = {};
  release_free_memory();
  const Stopwatch first;
  if (options.no_rerank) {
    TRY(search_and_expand(*engine, queries.front().text, options.k));
  } else {
    TRY(ask(*engine, {.question = queries.front().text, .now = kNow}));
  }
  metrics["first_query_s"] = first.wall_ms() / 1e3;
  metrics["query"] = options.no_rerank ? TRY(measure_search(options, *engine, queries, ids))
                                       : TRY(measure_cascade(*engine, queries, metrics));
  if (options.synthetic_vectors) {
    // Half of what is fused was found by vectors that mean nothing.
    for (const char* quality : {"hit10", "mrr10", "per_lang"}) metrics["query"].erase(quality);
  }
  add_memory(metrics);
  return emit(options, options.no_rerank ? "beleg-norerank" : "beleg", "pipeline",
              std::move(metrics));
}

Result<void> run_prepare(const BenchOptions& options) {
  const std::vector<BenchPassage> passages = TRY(load_passages(options.corpus, options.limit));
  const ProductCorpus corpus = TRY(prepare_corpus(options, passages, false));
  const std::string line = corpus.ingest.dump() + "\n";
  std::fputs(line.c_str(), stdout);
  return {};
}

Result<void> run_ingest(const BenchOptions& options) {
  const std::vector<BenchPassage> passages = TRY(load_passages(options.corpus, options.limit));
  const ProductCorpus corpus = TRY(prepare_corpus(options, passages, true));
  BenchJson metrics = corpus.ingest;
  metrics["vectors"] = options.synthetic_vectors ? "synthetic" : options.model;
  metrics["chars"] = count_characters(passages);
  add_memory(metrics);
  return emit(options, options.synthetic_vectors ? "beleg-without-encoder" : "beleg",
              "product-ingest", std::move(metrics));
}

}  // namespace beleg

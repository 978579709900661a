#include <algorithm>

#include "base/clock.h"
#include "kinds.h"
#include "measure.h"
#include "product_corpus.h"

namespace beleg {
namespace {

/// Passages given to the late interaction are spread over the corpus by these steps, as the pairs
/// of the peers' script are.
constexpr std::size_t kQuestionStep = 1013;
constexpr std::size_t kPairStep = 7919;

Result<std::size_t> encode_in_batches(const Encoder& encoder,
                                      const std::vector<BenchPassage>& passages, std::size_t sample,
                                      std::size_t batch) {
  const std::size_t count = std::min(sample, passages.size());
  const std::size_t step =
      std::max<std::size_t>(1, passages.size() / std::max<std::size_t>(1, count));
  std::size_t tokens = 0;
  for (std::size_t first = 0; first < count; first += batch) {
    std::vector<EncoderInput> inputs;
    for (std::size_t i = first; i < std::min(count, first + batch); ++i) {
      inputs.push_back(
          {.role = InputRole::kPassage, .context = {}, .text = passages[i * step].text});
    }
    for (const EncodedText& encoded : TRY(encoder.encode(inputs))) tokens += encoded.tokens.size();
  }
  return tokens;
}

}  // namespace

Result<void> run_embed(const BenchOptions& options) {
  const Stopwatch since_start;
  const Settings settings = TRY(settings_of(options));
  const auto encoder = TRY(open_encoder(options.home, settings));
  const std::vector<BenchQuery> queries = TRY(load_queries(options.queries, options.query_count));
  const auto encode = [&](const BenchQuery& query) -> Result<std::vector<std::string_view>> {
    const EncoderInput input{.role = InputRole::kQuery, .context = {}, .text = query.text};
    TRY(encoder->encode({&input, 1}));
    return std::vector<std::string_view>{};
  };
  TRY(encode(queries.front()));
  BenchJson metrics = {{"cold_s", since_start.wall_ms() / 1e3},
                       {"cold_cpu_s", since_start.cpu_ms() / 1e3}};
  const std::vector<BenchPassage> passages = TRY(load_passages(options.corpus, options.limit));
  TRY(encode_in_batches(*encoder, passages, std::min<std::size_t>(16, options.sample), 16));
  const std::size_t batch = std::max<std::size_t>(1, options.batch);
  const Stopwatch watch;
  const std::size_t tokens = TRY(encode_in_batches(*encoder, passages, options.sample, batch));
  const double wall_s = watch.wall_ms() / 1e3;
  const double cpu_s = watch.cpu_ms() / 1e3;
  const auto count = static_cast<double>(std::min<std::size_t>(options.sample, passages.size()));
  metrics["n"] = count;
  metrics["tokens"] = tokens;
  metrics["tokens_per_chunk"] = static_cast<double>(tokens) / count;
  metrics["chunks_per_s"] = count / wall_s;
  metrics["chunks_per_cpu_s"] = count / cpu_s;
  metrics["tokens_per_s"] = static_cast<double>(tokens) / wall_s;
  metrics["tokens_per_cpu_s"] = static_cast<double>(tokens) / cpu_s;
  metrics["batch"] = batch;
  std::vector<BenchQuery> not_judged = queries;
  for (BenchQuery& query : not_judged) query.relevant.clear();
  const BenchJson times = TRY(time_queries(encode, not_judged, 3));
  metrics["query_ms"] = {{"wall_p50", times["wall_ms_p50"]},
                         {"wall_p95", times["wall_ms_p95"]},
                         {"cpu_p50", times["cpu_ms_p50"]},
                         {"cpu_p95", times["cpu_ms_p95"]}};
  add_memory(metrics);
  return emit(options, "beleg-" + options.model, "embed", std::move(metrics));
}

Result<void> run_rerank(const BenchOptions& options) {
  const std::vector<BenchQuery> queries = TRY(load_queries(options.queries, options.query_count));
  const ProductCorpus corpus = TRY(prepare_apart(options));
  const Settings settings = TRY(settings_of(options));
  const auto engine = TRY(open_engine(corpus, settings));
  const std::size_t rows = engine->index().rows();
  std::vector<double> wall;
  std::vector<double> cpu;
  for (std::size_t q = 0; q < queries.size(); ++q) {
    const std::vector<QueryVectors> vectors = TRY(engine->encode_questions({queries[q].text}));
    std::vector<Row> candidates;
    candidates.reserve(options.pairs);
    for (std::size_t pair = 0; pair < options.pairs; ++pair) {
      candidates.push_back(static_cast<Row>((q * kQuestionStep + pair * kPairStep) % rows));
    }
    // Untimed once: in the cascade the passages were found, and so touched, just before.
    if (engine->index().score_late(vectors.front(), candidates).size() != candidates.size()) {
      return fail(ErrorCode::kInternal, "late interaction did not score every passage");
    }
    const Stopwatch watch;
    const std::vector<float> scores = engine->index().score_late(vectors.front(), candidates);
    cpu.push_back(watch.cpu_ms());
    wall.push_back(watch.wall_ms());
  }
  BenchJson metrics = {{"pairs", options.pairs}, {"docs", rows}};
  metrics.update(latency_json(wall, cpu));
  const auto pairs = static_cast<double>(options.pairs);
  metrics["pairs_per_s"] = pairs * metrics["qps_wall"].get<double>();
  metrics["pairs_per_cpu_s"] = pairs * metrics["qps_cpu"].get<double>();
  add_memory(metrics);
  return emit(options, "beleg-late-interaction", "rerank", std::move(metrics));
}

}  // namespace beleg

#include <algorithm>
#include <tuple>

#include "base/clock.h"
#include "exact_search.h"
#include "index_access.h"
#include "kinds.h"
#include "measure.h"
#include "synthetic.h"

namespace beleg {
namespace {

constexpr std::uint32_t kDims = 384;
constexpr std::size_t kWarm = 20;
constexpr std::size_t kRecallQueries = 20;  // Each is compared with every row.

/// Adds what a build took, without the time that making up the rows takes.
void add_build(BenchJson& json, std::size_t rows, double wall_s, double cpu_s) {
  json["build_s"] = wall_s;
  json["build_cpu_s"] = cpu_s;
  json["rows_per_s"] = static_cast<double>(rows) / wall_s;
  json["rows_per_cpu_s"] = static_cast<double>(rows) / cpu_s;
}

/// Rows are made up in batches, so that reading the clock does not count.
constexpr std::size_t kBatch = 1000;

/// Sums up what happens between start() and stop().
class Accumulator {
 public:
  void start() { watch_ = Stopwatch(); }
  void stop() {
    wall_s += watch_.wall_ms() / 1e3;
    cpu_s += watch_.cpu_ms() / 1e3;
  }
  double wall_s = 0;
  double cpu_s = 0;

 private:
  Stopwatch watch_;
};

Result<BenchJson> measure_lexical(const BenchOptions& options, std::size_t rows) {
  std::filesystem::create_directories(options.work);
  const std::filesystem::path path = options.work / "growth-lexical.idx";
  const SyntheticTexts texts;
  Accumulator building;
  std::uint64_t bytes = 0;
  {
    LexicalFileBuild build(CompoundLexiconBuilder().build());
    std::vector<std::string> batch;
    for (std::size_t first = 0; first < rows; first += kBatch) {
      batch.clear();
      for (std::size_t row = first; row < std::min(rows, first + kBatch); ++row) {
        batch.push_back(texts.text(row));
        bytes += batch.back().size();
      }
      building.start();
      for (const std::string& text : batch) build.add(text, "en");
      building.stop();
    }
    building.start();
    TRY(build.write(path));
    building.stop();
  }
  BenchJson json = {{"rows", rows}, {"text_mb", static_cast<double>(bytes) / 1e6}};
  add_build(json, rows, building.wall_s, building.cpu_s);
  json["build_peak_mb"] = peak_mb();
  json["disk_mb"] = disk_mb(path);
  release_free_memory();
  const double before = memory_use().resident_mb;
  const LexicalFileSearch index = TRY(LexicalFileSearch::open(path));
  std::vector<BenchQuery> queries;
  queries.reserve(options.query_count);
  for (std::size_t i = 0; i < options.query_count; ++i) {
    queries.push_back({.text = texts.question(i, rows)});
  }
  json["query"] = TRY(time_queries(
      [&](const BenchQuery& query) -> Result<std::vector<std::string_view>> {
        std::ignore = index.search(query.text, options.k);
        return std::vector<std::string_view>{};
      },
      queries, kWarm));
  json["rss_added_mb"] = memory_use().resident_mb - before;
  return json;
}

Result<BenchJson> measure_dense(const BenchOptions& options, std::size_t rows) {
  std::filesystem::create_directories(options.work);
  const std::filesystem::path path = options.work / "growth-dense.idx";
  const SyntheticVectors vectors(kDims);
  std::vector<std::vector<float>> queries(options.query_count, std::vector<float>(kDims));
  for (std::size_t i = 0; i < queries.size(); ++i) vectors.question(i, rows, queries[i]);
  const std::size_t judged = std::min(kRecallQueries, queries.size());
  ExactSearch exact({queries.begin(), queries.begin() + static_cast<std::ptrdiff_t>(judged)},
                    options.k);
  Accumulator building;
  {
    DenseBuild build(kDims);
    std::vector<float> batch(kBatch * kDims);
    for (std::size_t first = 0; first < rows; first += kBatch) {
      const std::size_t count = std::min(kBatch, rows - first);
      const auto of_batch = [&](std::size_t i) {
        return std::span<float>(batch).subspan(i * kDims, kDims);
      };
      for (std::size_t i = 0; i < count; ++i) {
        vectors.vector(first + i, of_batch(i));
        exact.add(of_batch(i));
      }
      building.start();
      for (std::size_t i = 0; i < count; ++i) build.add(of_batch(i));
      building.stop();
    }
    building.start();
    TRY(build.write(path));
    building.stop();
  }
  BenchJson json = {{"rows", rows}, {"dim", kDims}};
  add_build(json, rows, building.wall_s, building.cpu_s);
  json["build_peak_mb"] = peak_mb();
  json["disk_mb"] = disk_mb(path);
  release_free_memory();
  const double before = memory_use().resident_mb;
  const DenseSearch index = TRY(DenseSearch::open(path));
  for (std::size_t i = 0; i < std::min(kWarm, queries.size()); ++i) {
    std::ignore = index.search(queries[i], options.k);
  }
  std::vector<double> wall;
  std::vector<double> cpu;
  double recall = 0;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const Stopwatch watch;
    const std::vector<Row> found = index.search(queries[i], options.k);
    cpu.push_back(watch.cpu_ms());
    wall.push_back(watch.wall_ms());
    if (i < judged) recall += exact.recall(i, found);
  }
  json["query"] = latency_json(wall, cpu);
  json["recall10"] = recall / static_cast<double>(judged);
  json["rss_added_mb"] = memory_use().resident_mb - before;
  return json;
}

}  // namespace

Result<void> run_growth_lexical(const BenchOptions& options) {
  return emit(options, "beleg", "growth-lexical", TRY(measure_lexical(options, options.rows)));
}

Result<void> run_growth_dense(const BenchOptions& options) {
  return emit(options, "beleg", "growth-dense", TRY(measure_dense(options, options.rows)));
}

}  // namespace beleg

#include <algorithm>
#include <tuple>

#include "base/clock.h"
#include "exact_search.h"
#include "index_access.h"
#include "kinds.h"
#include "measure.h"
#include "vector_file.h"

namespace beleg {
namespace {

constexpr std::size_t kWarm = 10;

std::filesystem::path with_suffix(std::filesystem::path prefix, const char* suffix) {
  prefix += suffix;
  return prefix;
}

/// `count` of the vectors, evenly spread.
std::vector<std::vector<float>> spread_rows(const VectorFile& file, std::size_t count) {
  if (count == 0 || count > file.rows) count = file.rows;
  std::vector<std::vector<float>> rows;
  for (std::size_t i = 0; i < count; ++i) {
    const auto row = file.row(i * file.rows / count);
    rows.emplace_back(row.begin(), row.end());
  }
  return rows;
}

BenchJson time_search(const DenseSearch& index, const std::vector<std::vector<float>>& queries,
                      const ExactSearch& exact, std::size_t k) {
  for (std::size_t i = 0; i < std::min(kWarm, queries.size()); ++i)
    std::ignore = index.search(queries[i], k);
  std::vector<double> wall;
  std::vector<double> cpu;
  double recall = 0;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const Stopwatch watch;
    const std::vector<Row> found = index.search(queries[i], k);
    cpu.push_back(watch.cpu_ms());
    wall.push_back(watch.wall_ms());
    recall += exact.recall(i, found);
  }
  BenchJson point = latency_json(wall, cpu);
  point["ef"] = 0;
  point["recall10"] = recall / static_cast<double>(queries.size());
  return point;
}

}  // namespace

Result<void> run_ann(const BenchOptions& options) {
  VectorFile vectors = TRY(read_vector_file(with_suffix(options.vectors, ".docs.npy")));
  const VectorFile asked = TRY(read_vector_file(with_suffix(options.vectors, ".queries.npy")));
  if (options.rows > 0) vectors.rows = std::min<std::size_t>(vectors.rows, options.rows);
  const std::vector<std::vector<float>> queries = spread_rows(asked, options.query_count);
  ExactSearch exact(queries, options.k);
  for (std::size_t row = 0; row < vectors.rows; ++row) exact.add(vectors.row(row));
  std::filesystem::create_directories(options.work);
  const std::filesystem::path path = options.work / "ann-beleg.idx";

  const Stopwatch building;
  {
    DenseBuild build(vectors.dims);
    for (std::size_t row = 0; row < vectors.rows; ++row) build.add(vectors.row(row));
    TRY(build.write(path));
  }
  const double build_cpu_s = building.cpu_ms() / 1e3;
  BenchJson metrics = {{"rows", vectors.rows},
                       {"dim", vectors.dims},
                       {"build_s", building.wall_ms() / 1e3},
                       {"build_cpu_s", build_cpu_s},
                       {"rows_per_cpu_s", static_cast<double>(vectors.rows) / build_cpu_s},
                       {"disk_mb", disk_mb(path)}};
  vectors.values = {};
  release_free_memory();
  const double before = memory_use().resident_mb;
  const DenseSearch index = TRY(DenseSearch::open(path));
  metrics["points"] = BenchJson::array({time_search(index, queries, exact, options.k)});
  metrics["rss_added_mb"] = memory_use().resident_mb - before;
  add_memory(metrics);
  return emit(options, "beleg", "ann", std::move(metrics));
}

}  // namespace beleg

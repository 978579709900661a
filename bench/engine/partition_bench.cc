// What would visiting only the nearest partitions save a dense search? Prints one line of JSON:
//   partition_bench DOCS.npy QUERIES.npy [--rows N] [--segments N] [--list-rows 250] [--queries
//   100]
//
// The rows are spread over segments as an index has them. In each segment k-means puts them into
// partitions, whose rows lie together; a question allows the partitions nearest to it, of all
// segments together, until they hold a given share of all rows, and the quantised scan goes over
// these. Share 1 is the scan of everything, which is what the product does. More rows than the file
// has are made up: copies of its rows with noise, whose cosines with the original lie around .8.
// Times are processor time of one thread, medians. Recall is against comparing every row.

#include <time.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <string>

#include "index/dense_quantised.h"
#include "index/kernels.h"
#include "index/top_k.h"
#include "synthetic.h"
#include "vector_bench.h"
#include "vector_file.h"

namespace beleg::bench {
namespace {

constexpr int kRounds = 4;                       // Of k-means.
constexpr std::size_t kSamplePerPartition = 32;  // Rows that k-means sees.
constexpr float kNoiseCosine = 0.8F;
constexpr float kNoiseDeviation = 0.08F;
constexpr double kShares[] = {1.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6};

double cpu_ms() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

struct Options {
  std::size_t rows = 0;
  std::size_t segments = 1;
  std::size_t list_rows = 250;
  std::size_t queries = 100;
};

/// Row `number` of what is measured: of the file, or a copy with noise.
void make_row(const VectorFile& docs, std::size_t number, std::span<float> out) {
  if (number < docs.rows) {
    std::ranges::copy(docs.row(number), out.begin());
    return;
  }
  RandomStream random(number);
  const std::span<const float> original = docs.row(random.below(docs.rows));
  float along = 0.0F;
  for (std::size_t d = 0; d < out.size(); ++d) {
    out[d] = random.normal();
    along += out[d] * original[d];
  }
  for (std::size_t d = 0; d < out.size(); ++d) out[d] -= along * original[d];
  normalise(out);
  const float cosine = std::clamp(kNoiseCosine + kNoiseDeviation * random.normal(), 0.55F, 0.98F);
  const float sine = std::sqrt(1.0F - cosine * cosine);
  for (std::size_t d = 0; d < out.size(); ++d) out[d] = cosine * original[d] + sine * out[d];
}

/// Rows in the order of their partitions, and where each partition ends.
struct Segment {
  std::vector<float> values;
  std::vector<std::size_t> ends;
  std::vector<std::byte> centroids;  ///< Four-bit codes.
  dense_codes::Tables tables;
  DenseMatrix matrix;
  std::unique_ptr<QuantisedDense> quantised;
};

std::size_t nearest(std::span<const float> row, std::span<const float> centroids,
                    std::vector<float>& products) {
  best_kernels().dots(row.data(), centroids.data(), row.size(), products.size(), products.data());
  return static_cast<std::size_t>(std::ranges::max_element(products) - products.begin());
}

/// Spherical k-means from evenly spaced rows.
std::vector<float> train(std::span<const float> values, std::size_t dims, std::size_t count) {
  const std::size_t rows = values.size() / dims;
  std::vector<float> centroids(count * dims);
  for (std::size_t c = 0; c < count; ++c) {
    std::ranges::copy(values.subspan(c * rows / count * dims, dims),
                      centroids.begin() + static_cast<std::ptrdiff_t>(c * dims));
  }
  const std::size_t sample = std::min(rows, count * kSamplePerPartition);
  std::vector<float> products(count);
  for (int round = 0; round < kRounds; ++round) {
    std::vector<float> sums(centroids.size(), 0.0F);
    for (std::size_t i = 0; i < sample; ++i) {
      const std::span<const float> row = values.subspan(i * rows / sample * dims, dims);
      float* const sum = sums.data() + nearest(row, centroids, products) * dims;
      for (std::size_t d = 0; d < dims; ++d) sum[d] += row[d];
    }
    for (std::size_t c = 0; c < count; ++c) {
      const std::span<float> sum = std::span(sums).subspan(c * dims, dims);
      if (std::ranges::all_of(sum, [](float value) { return value == 0.0F; })) continue;
      normalise(sum);
      std::ranges::copy(sum, centroids.begin() + static_cast<std::ptrdiff_t>(c * dims));
    }
  }
  return centroids;
}

/// Partitions and codes `values`; `partition_ms` and `code_ms` grow by what it took.
void fill(Segment& segment, std::vector<float> values, std::uint32_t dims, std::size_t list_rows,
          double& partition_ms, double& code_ms) {
  double start = cpu_ms();
  const std::size_t rows = values.size() / dims;
  const std::size_t count = std::max<std::size_t>(1, rows / list_rows);
  const std::vector<float> centroids = train(values, dims, count);
  std::vector<std::vector<std::size_t>> members(count);
  std::vector<float> products(count);
  for (std::size_t r = 0; r < rows; ++r) {
    members[nearest(std::span(values).subspan(r * dims, dims), centroids, products)].push_back(r);
  }
  segment.values.reserve(values.size());
  for (const std::vector<std::size_t>& own : members) {
    for (const std::size_t r : own) {
      const auto row = std::span(values).subspan(r * dims, dims);
      segment.values.insert(segment.values.end(), row.begin(), row.end());
    }
    segment.ends.push_back(segment.values.size() / dims);
  }
  segment.centroids = token_codes::encode(centroids, dims);
  partition_ms += cpu_ms() - start;
  start = cpu_ms();
  segment.tables = dense_codes::encode(segment.values, rows, dims, dims);
  code_ms += cpu_ms() - start;
  segment.matrix = DenseMatrix(segment.values, rows, dims);
  segment.quantised = std::make_unique<QuantisedDense>(segment.tables.mean, segment.tables.signs,
                                                       segment.tables.records, segment.matrix);
}

/// The rows of the nearest partitions that hold `share` of all rows, for each segment.
std::vector<RowFilter> nearest_rows(const std::vector<Segment>& segments,
                                    std::span<const float> query, double share) {
  struct Partition {
    float product = 0.0F;
    std::size_t segment = 0;
    std::size_t number = 0;
  };
  const auto dims = static_cast<std::uint32_t>(query.size());
  const CodedQuery coded(query, dims, best_kernels().max_chunk);
  std::vector<Partition> order;
  std::vector<RowFilter> allowed;
  std::size_t rows = 0;
  for (std::size_t s = 0; s < segments.size(); ++s) {
    const std::size_t blocks = token_codes::blocks(segments[s].ends.size());
    std::vector<float> products(blocks * token_codes::kBlockTokens);
    best_kernels().products(coded.chunks()[0], segments[s].centroids.data(), blocks,
                            token_codes::groups(dims), products.data(), products.size());
    for (std::size_t c = 0; c < segments[s].ends.size(); ++c) {
      order.push_back({products[c], s, c});
    }
    allowed.emplace_back(segments[s].matrix.rows());
    rows += segments[s].matrix.rows();
  }
  std::ranges::sort(order, std::greater<>(), &Partition::product);
  std::size_t left = static_cast<std::size_t>(share * static_cast<double>(rows));
  for (const Partition& partition : order) {
    const Segment& segment = segments[partition.segment];
    const std::size_t first = partition.number == 0 ? 0 : segment.ends[partition.number - 1];
    const std::size_t end = segment.ends[partition.number];
    for (std::size_t row = first; row < end; ++row) {
      allowed[partition.segment].allow(static_cast<Row>(row));
    }
    if (end - first >= left) break;
    left -= end - first;
  }
  return allowed;
}

/// Rows are numbered through, over all segments.
std::vector<RowHit> search(const std::vector<Segment>& segments, std::span<const float> query,
                           std::size_t k, double share, QuantisedDense::Work* work) {
  std::optional<std::vector<RowFilter>> allowed;
  if (share < 1.0) allowed = nearest_rows(segments, query, share);
  TopK best(k);
  Row first = 0;
  for (std::size_t s = 0; s < segments.size(); ++s) {
    const DenseRequest request{
        .query = query, .filter = allowed ? &(*allowed)[s] : nullptr, .floor = best.threshold()};
    const auto found = segments[s].quantised->search({&request, 1}, k, best_dense_kernels(), work);
    for (const RowHit& hit : found.front()) best.push({first + hit.row, hit.score});
    first += static_cast<Row>(segments[s].matrix.rows());
  }
  return best.take();
}

std::vector<RowHit> search_exactly(const std::vector<Segment>& segments,
                                   std::span<const float> query, std::size_t k) {
  TopK best(k);
  Row first = 0;
  for (const Segment& segment : segments) {
    const DenseRequest request{.query = query};
    const auto found = segment.matrix.search({&request, 1}, k);
    for (const RowHit& hit : found.front()) best.push({first + hit.row, hit.score});
    first += static_cast<Row>(segment.matrix.rows());
  }
  return best.take();
}

nlohmann::json measure(const std::vector<Segment>& segments,
                       const std::vector<std::span<const float>>& queries, std::size_t k) {
  std::vector<std::vector<RowHit>> right;
  right.reserve(queries.size());
  for (const auto& query : queries) right.push_back(search_exactly(segments, query, k));
  nlohmann::json shares = nlohmann::json::array();
  for (const auto& query : queries) (void)search(segments, query, k, 1.0, nullptr);
  for (const double share : kShares) {
    QuantisedDense::Work work;
    std::vector<double> times;
    std::size_t found = 0;
    for (std::size_t q = 0; q < queries.size(); ++q) {
      const double start = cpu_ms();
      const std::vector<RowHit> hits = search(segments, queries[q], k, share, &work);
      times.push_back(cpu_ms() - start);
      for (const RowHit& hit : hits) {
        found += static_cast<std::size_t>(std::ranges::count(right[q], hit.row, &RowHit::row));
      }
    }
    std::ranges::sort(times);
    const auto count = static_cast<double>(queries.size());
    shares.push_back({{"share", share},
                      {"cpu_ms_p50", times[times.size() / 2]},
                      {"recall", static_cast<double>(found) / count / static_cast<double>(k)},
                      {"fine_rows", static_cast<double>(work.fine) / count},
                      {"exact_rows", static_cast<double>(work.exact) / count}});
  }
  return shares;
}

Result<nlohmann::json> run(const std::string& docs_path, const std::string& queries_path,
                           const Options& options) {
  const VectorFile docs = TRY(read_vector_file(docs_path));
  const VectorFile asked = TRY(read_vector_file(queries_path));
  if (docs.dims != asked.dims || docs.dims % 16 != 0 || docs.rows == 0 || asked.rows == 0) {
    return fail(ErrorCode::kInvalidArgument,
                "documents and queries need the same number of dimensions, a multiple of 16");
  }
  const std::size_t rows = options.rows == 0 ? docs.rows : options.rows;
  // Rows in an order without meaning, so that each segment has rows of all kinds.
  std::vector<std::size_t> numbers(rows);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  RandomStream random(1);
  for (std::size_t i = rows; i > 1; --i) std::swap(numbers[i - 1], numbers[random.below(i)]);
  std::vector<Segment> segments(options.segments);
  double partition_ms = 0.0;
  double code_ms = 0.0;
  for (std::size_t s = 0; s < segments.size(); ++s) {
    const std::size_t first = s * rows / segments.size();
    const std::size_t end = (s + 1) * rows / segments.size();
    std::vector<float> values((end - first) * docs.dims);
    for (std::size_t i = first; i < end; ++i) {
      make_row(docs, numbers[i], std::span(values).subspan((i - first) * docs.dims, docs.dims));
    }
    fill(segments[s], std::move(values), docs.dims, options.list_rows, partition_ms, code_ms);
  }
  std::vector<std::span<const float>> queries;
  const std::size_t count = std::min(options.queries, asked.rows);
  queries.reserve(count);
  for (std::size_t q = 0; q < count; ++q) queries.push_back(asked.row(q * asked.rows / count));
  return nlohmann::json{{"rows", rows},
                        {"segments", segments.size()},
                        {"partitions", segments[0].ends.size()},
                        {"partition_cpu_s", partition_ms / 1e3},
                        {"code_cpu_s", code_ms / 1e3},
                        {"k10", measure(segments, queries, 10)},
                        {"k100", measure(segments, queries, 100)}};
}

}  // namespace
}  // namespace beleg::bench

int main(int argc, char** argv) {
  beleg::bench::Options options;
  const auto count = [](std::size_t& target, std::size_t least) {
    return [&target, least](const std::string& value) {
      target = std::max<std::size_t>(least, std::stoull(value));
    };
  };
  return beleg::bench::run_vector_bench(
      argc, argv,
      "partition_bench DOCS.npy QUERIES.npy [--rows N] [--segments N] [--list-rows N] "
      "[--queries N]",
      {{"--rows", count(options.rows, 0)},
       {"--segments", count(options.segments, 1)},
       {"--list-rows", count(options.list_rows, 1)},
       {"--queries", count(options.queries, 1)}},
      [&](const std::string& documents, const std::string& questions) {
        return beleg::bench::run(documents, questions, options);
      });
}

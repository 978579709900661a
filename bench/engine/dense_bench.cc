// Measures the dense index on vectors from NumPy files; prints one line of JSON:
//   dense_bench DOCS.npy QUERIES.npy [--k 10] [--kernels plain|avx2|avx512] [--batch 16]
//               [--allow 0.01]
// Times are processor time of one thread. Recall is against comparing every row.

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>

#include "index/dense_index.h"
#include "vector_bench.h"
#include "vector_file.h"

namespace beleg::bench {
namespace {

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double percentile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

using Hits = std::vector<std::vector<RowHit>>;

double recall(const Hits& found, const Hits& right) {
  double sum = 0.0;
  for (std::size_t q = 0; q < right.size(); ++q) {
    std::size_t common = 0;
    for (const RowHit& hit : right[q]) {
      common += static_cast<std::size_t>(
          std::any_of(found[q].begin(), found[q].end(),
                      [&hit](const RowHit& other) { return other.row == hit.row; }));
    }
    sum +=
        right[q].empty() ? 1.0 : static_cast<double>(common) / static_cast<double>(right[q].size());
  }
  return sum / static_cast<double>(right.size());
}

/// One search per request, timed one by one; the first ten beforehand, to warm up.
template <class Search>
nlohmann::json measure_single(std::span<const DenseRequest> requests, const Hits& right,
                              const Search& search) {
  for (std::size_t q = 0; q < std::min<std::size_t>(10, requests.size()); ++q) search(requests[q]);
  std::vector<double> times;
  Hits hits;
  for (const DenseRequest& request : requests) {
    const double start = cpu_seconds();
    hits.push_back(search(request));
    times.push_back(1000.0 * (cpu_seconds() - start));
  }
  const double total = std::accumulate(times.begin(), times.end(), 0.0);
  return {{"cpu_ms_p50", percentile(times, 0.5)},
          {"cpu_ms_p99", percentile(times, 0.99)},
          {"queries_per_cpu_second", 1000.0 * static_cast<double>(requests.size()) / total},
          {"recall", recall(hits, right)}};
}

template <class Search>
nlohmann::json measure_batches(std::span<const DenseRequest> requests, std::size_t size,
                               const Hits& right, const Search& search) {
  Hits hits;
  const double start = cpu_seconds();
  for (std::size_t q = 0; q < requests.size(); q += size) {
    for (auto& found : search(requests.subspan(q, std::min(size, requests.size() - q)))) {
      hits.push_back(std::move(found));
    }
  }
  const double total = cpu_seconds() - start;
  return {{"size", size},
          {"queries_per_cpu_second", static_cast<double>(requests.size()) / total},
          {"recall", recall(hits, right)}};
}

struct Options {
  std::size_t k = 10;
  std::size_t batch = 16;
  double allow = 1.0;
  std::string kernels;
};

/// Everything about one set of compressed tables: what `index` decides by itself is left aside.
nlohmann::json measure_quantised(const DenseMatrix& matrix, const dense_codes::Tables& tables,
                                 std::span<const DenseRequest> requests, const Options& options,
                                 const Hits& right) {
  nlohmann::json all;
  const QuantisedDense quantised(tables.mean, tables.signs, tables.records, matrix);
  for (const DenseKernels* kernels : runnable_dense_kernels()) {
    if (!options.kernels.empty() && options.kernels != kernels->name) continue;
    QuantisedDense::Work work;
    const auto search = [&](std::span<const DenseRequest> some) {
      return quantised.search(some, options.k, *kernels, &work);
    };
    nlohmann::json one = measure_single(requests, right, [&search](const DenseRequest& request) {
      return std::move(search(std::span(&request, 1)).front());
    });
    const auto searches =
        static_cast<double>(requests.size() + std::min<std::size_t>(10, requests.size()));
    one["fine_rows"] = static_cast<double>(work.fine) / searches;
    one["exact_rows"] = static_cast<double>(work.exact) / searches;
    one["batched"] = measure_batches(requests, options.batch, right, search);
    all[std::string(kernels->name)] = one;
  }
  return all;
}

/// Every row with the same probability.
RowFilter random_filter(std::size_t rows, double share) {
  RowFilter filter(rows);
  std::uint64_t state = 1;
  for (std::size_t row = 0; row < rows; ++row) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    if (static_cast<double>(state >> 33U) < share * static_cast<double>(1U << 31U)) {
      filter.allow(static_cast<Row>(row));
    }
  }
  return filter;
}

Result<nlohmann::json> run(const std::string& docs_path, const std::string& queries_path,
                           const Options& options) {
  const VectorFile docs = TRY(read_vector_file(docs_path));
  const VectorFile queries = TRY(read_vector_file(queries_path));
  if (docs.dims != queries.dims) {
    return fail(ErrorCode::kInvalidArgument, "documents and queries differ in dimensions");
  }
  const std::uint32_t dims = docs.dims;
  nlohmann::json report{{"rows", docs.rows}, {"dims", dims}, {"k", options.k}};

  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("dense_bench." + std::to_string(::getpid()));
  DenseIndexBuilder builder(dims);
  for (std::size_t r = 0; r < docs.rows; ++r) {
    builder.add(docs.row(r));
  }
  double start = cpu_seconds();
  TRY(builder.write(file, {docs.rows, 0}));
  report["write_cpu_seconds"] = cpu_seconds() - start;
  report["file_bytes"] = std::filesystem::file_size(file);
  const DenseIndex index = TRY(DenseIndex::open(file));
  std::filesystem::remove(file);

  const std::uint32_t stride = DenseMatrix::stride_for(dims);
  std::vector<float> padded(docs.rows * stride, 0.0F);
  for (std::size_t r = 0; r < docs.rows; ++r) {
    std::ranges::copy(docs.row(r), padded.begin() + static_cast<std::ptrdiff_t>(r * stride));
  }
  const DenseMatrix matrix(padded, docs.rows, dims);
  const RowFilter filter = random_filter(docs.rows, options.allow);
  std::vector<DenseRequest> requests;
  requests.reserve(queries.rows);
  for (std::size_t q = 0; q < queries.rows; ++q) {
    requests.push_back({queries.row(q), options.allow < 1.0 ? &filter : nullptr});
  }
  const Hits right = matrix.search(requests, options.k);
  report["exact"] = measure_single(requests, right, [&](const DenseRequest& request) {
    return std::move(matrix.search(std::span(&request, 1), options.k).front());
  });
  report["exact"]["batched"] = measure_batches(
      requests, options.batch, right,
      [&](std::span<const DenseRequest> some) { return matrix.search(some, options.k); });

  start = cpu_seconds();
  const dense_codes::Tables tables = dense_codes::encode(padded, docs.rows, dims, stride);
  report["encode_cpu_seconds"] = cpu_seconds() - start;
  report["quantised"] = measure_quantised(matrix, tables, requests, options, right);

  report["strategy"] = name_of(index.strategy(options.k, requests.front().filter));
  report["index"] = measure_single(requests, right, [&](const DenseRequest& request) {
    return index.search(request.query, options.k, request.filter);
  });
  report["index"]["batched"] = measure_batches(
      requests, options.batch, right,
      [&](std::span<const DenseRequest> some) { return index.search_batch(some, options.k); });
  return report;
}

}  // namespace
}  // namespace beleg::bench

int main(int argc, char** argv) {
  beleg::bench::Options options;
  return beleg::bench::run_vector_bench(
      argc, argv,
      "dense_bench DOCS.npy QUERIES.npy [--k N] [--batch N] [--allow SHARE] [--kernels NAME]",
      {{"--k", [&](const std::string& value) { options.k = std::stoull(value); }},
       {"--batch", [&](const std::string& value) { options.batch = std::stoull(value); }},
       {"--allow", [&](const std::string& value) { options.allow = std::stod(value); }},
       {"--kernels", [&](const std::string& value) { options.kernels = value; }}},
      [&](const std::string& documents, const std::string& questions) {
        return beleg::bench::run(documents, questions, options);
      });
}

#include "index/token_candidates.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "index/kernels.h"
#include "index/top_k.h"

namespace beleg {
namespace {

using token_codes::kBlockTokens;

enum CandidateSection : std::uint32_t {
  kCentroids = 5,
  kListEnds = 6,
  kListRows = 7,
  kDense = 8,
};

/// Blocks of sixteen centroids among which a question token looks for those that it visits.
constexpr std::size_t kBestBlocks = 48;
/// A question token stops after one list entry for so many rows, and at least …
constexpr std::size_t kRowsPerEntry = 4;
constexpr std::size_t kMinEntries = 1000;

/// All products of one chunk or more with the vectors of `blocks`: question token × stride.
std::vector<float> products_with(const CodedQuery& query, std::span<const std::byte> blocks,
                                 std::size_t stride, std::size_t groups) {
  std::vector<float> products(query.tokens() * stride);
  for (const CodedQuery::Chunk& chunk : query.chunks()) {
    best_kernels().products(chunk, blocks.data(), stride / kBlockTokens, groups,
                            products.data() + chunk.first * stride, stride);
  }
  return products;
}

/// The largest of sixteen; the lowest number there is when a damaged scale made it NaN.
float largest(const float* values) {
  std::array<float, 4> lanes;
  lanes.fill(std::numeric_limits<float>::lowest());
  for (std::size_t i = 0; i < kBlockTokens; ++i) {
    lanes[i % 4] = values[i] > lanes[i % 4] ? values[i] : lanes[i % 4];
  }
  return std::max(std::max(lanes[0], lanes[1]), std::max(lanes[2], lanes[3]));
}

/// Centroids that are as good as the best of the kBestBlocks-th best block, best first, so at least
/// as many as there are such blocks.
std::vector<std::uint32_t> nearest(std::span<const float> products, std::size_t centroids) {
  std::vector<float> maxima(products.size() / kBlockTokens);
  for (std::size_t b = 0; b < maxima.size(); ++b) {
    maxima[b] = largest(products.data() + b * kBlockTokens);
  }
  std::vector<float> sorted = maxima;
  const std::size_t wanted = std::min(kBestBlocks, sorted.size()) - 1;
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(wanted),
                   sorted.end(), std::greater<>());
  const float threshold = sorted[wanted];
  std::vector<std::uint32_t> found;
  for (std::size_t b = 0; b < maxima.size(); ++b) {
    if (maxima[b] < threshold) continue;
    const std::size_t end = std::min((b + 1) * kBlockTokens, centroids);
    for (std::size_t c = b * kBlockTokens; c < end; ++c) {
      if (products[c] >= threshold) found.push_back(static_cast<std::uint32_t>(c));
    }
  }
  std::sort(found.begin(), found.end(), [products](std::uint32_t a, std::uint32_t b) {
    return products[a] != products[b] ? products[a] > products[b] : a < b;
  });
  return found;
}

/// The allowed rows with the best estimates.
std::vector<Row> best_rows(std::span<const float> estimates, std::size_t count,
                           const RowFilter* filter) {
  TopK top(count);
  for (std::size_t row = 0; row < estimates.size(); ++row) {
    // False for NaN, too (a damaged scale).
    if (!(estimates[row] >= top.threshold())) continue;
    if (filter != nullptr && !filter->allows(static_cast<Row>(row))) continue;
    top.push({static_cast<Row>(row), estimates[row]});
  }
  std::vector<Row> rows;
  for (const RowHit& hit : top.take()) rows.push_back(hit.row);
  std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace

Result<TokenCandidates> TokenCandidates::open(const SectionFile& file, std::uint32_t dims) {
  TokenCandidates opened;
  if (!file.has(kCentroids, 0) || dims == 0) return opened;
  opened.rows_ = file.identity().rows;
  opened.dims_ = dims;
  opened.codes_ = TRY(file.bytes(kCentroids, 0));
  opened.dense_ = TRY(file.bytes(kDense, 0));
  const std::size_t count = TRY(file.bytes(kListEnds, 0)).size() / sizeof(std::uint32_t);
  opened.list_ends_ = TRY(file.values<std::uint32_t>(kListEnds, 0, count));
  const std::size_t entries = TRY(file.bytes(kListRows, 0)).size() / sizeof(std::uint32_t);
  opened.list_rows_ = TRY(file.values<std::uint32_t>(kListRows, 0, entries));
  if (count == 0 || opened.codes_.size() != token_codes::bytes(count, dims)) {
    return file.damaged("its centroids do not fit their lists");
  }
  if (opened.rows_ > opened.dense_.size() ||
      opened.dense_.size() != token_codes::bytes(opened.rows_, dims)) {
    return file.damaged("its dense codes do not fit its rows");
  }
  opened.centroids_ = count;
  return opened;
}

std::vector<float> TokenCandidates::dense_estimates(std::span<const float> dense) const {
  if (dense.size() != dims_) return std::vector<float>(rows_, 0.0F);
  const CodedQuery query(dense, dims_, best_kernels().max_chunk);
  std::vector<float> estimates = products_with(
      query, dense_, token_codes::blocks(rows_) * kBlockTokens, token_codes::groups(dims_));
  estimates.resize(rows_);
  for (float& estimate : estimates) estimate *= query.scales()[0];
  return estimates;
}

void TokenCandidates::add_token_estimates(const Question& question,
                                          std::vector<float>& estimates) const {
  const std::size_t stride = token_codes::blocks(centroids_) * kBlockTokens;
  const std::vector<float> all =
      products_with(question.tokens, codes_, stride, token_codes::groups(dims_));
  const std::size_t enough = std::max(kMinEntries, rows_ / kRowsPerEntry);
  std::vector<std::uint32_t> visitor(rows_, 0);  // Number + 1 of the last token that came by.
  for (std::uint32_t t = 0; t < question.tokens.tokens(); ++t) {
    const std::span<const float> products = std::span(all).subspan(t * stride, stride);
    const std::vector<std::uint32_t> order = nearest(products, centroids_);
    // Where the token stops is what rows that it does not reach are worth.
    std::size_t stop = 0;
    std::size_t seen = 0;
    while (stop + 1 < order.size() && seen < enough) {
      const std::uint32_t centroid = order[stop++];
      const std::uint32_t begin = centroid == 0 ? 0 : list_ends_[centroid - 1];
      seen += list_ends_[centroid] - begin;
    }
    for (std::size_t i = 0; i < stop; ++i) {
      const float gain = (products[order[i]] - products[order[stop]]) * question.weights[t];
      const std::size_t begin = order[i] == 0 ? 0 : list_ends_[order[i] - 1];
      // A damaged file may say anything.
      const std::size_t end = std::min<std::size_t>(list_ends_[order[i]], list_rows_.size());
      for (std::size_t at = begin; at < end; ++at) {
        const std::uint32_t row = list_rows_[at];
        if (row >= rows_ || visitor[row] == t + 1) continue;
        visitor[row] = t + 1;
        estimates[row] += gain;
      }
    }
  }
}

std::vector<Row> TokenCandidates::find(const Question& question, std::size_t count,
                                       const RowFilter* filter) const {
  if (empty() || count == 0) return {};
  std::vector<float> estimates = dense_estimates(question.dense);
  add_token_estimates(question, estimates);
  return best_rows(estimates, count, filter);
}

void CandidateSections::add_to(SectionFileWriter& file) const {
  if (list_ends.empty()) return;
  file.add_values(kCentroids, 0, centroids);
  file.add_values(kListEnds, 0, list_ends);
  file.add_values(kListRows, 0, list_rows);
  file.add(kDense, 0, dense);
}

}  // namespace beleg

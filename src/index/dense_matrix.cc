#include "index/dense_matrix.h"

#include <algorithm>
#include <array>
#include <bit>

#include "index/kernels.h"
#include "index/top_k.h"

namespace beleg {
namespace {

constexpr std::size_t kRun = 64;  // Rows compared at a time: one word of a filter.

/// A word of the filter, or all rows of the word.
std::uint64_t allowed_word(const RowFilter* filter, std::size_t first, std::size_t rows) {
  const std::size_t count = std::min(kRun, rows - first);
  const std::uint64_t exists = count == kRun ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
  return filter == nullptr ? exists : filter->words()[first / kRun] & exists;
}

/// NaN (a damaged vector) becomes the lowest cosine.
float clamp_cosine(float value) { return value > -1.0F ? std::min(value, 1.0F) : -1.0F; }

}  // namespace

std::vector<float> DenseMatrix::padded(std::span<const float> query) const {
  std::vector<float> filled(stride_, 0.0F);
  std::copy_n(query.begin(), std::min<std::size_t>(query.size(), dims_), filled.begin());
  return filled;
}

float DenseMatrix::score(const std::vector<float>& padded_query, Row row) const {
  float product = 0.0F;
  best_kernels().dots(padded_query.data(), values_.data() + std::size_t{row} * stride_, stride_, 1,
                      &product);
  return clamp_cosine(product);
}

void DenseMatrix::prefetch(Row row) const {
  const float* const vector = values_.data() + std::size_t{row} * stride_;
  for (std::uint32_t i = 0; i < stride_; i += 16) __builtin_prefetch(vector + i);
}

std::vector<std::vector<RowHit>> DenseMatrix::search(std::span<const DenseRequest> requests,
                                                     std::size_t k) const {
  std::vector<std::vector<float>> queries;
  queries.reserve(requests.size());
  for (const DenseRequest& request : requests) queries.push_back(padded(request.query));
  std::vector<TopK> best(requests.size(), TopK(k));
  const Kernels& kernels = best_kernels();
  std::array<float, kRun> scores;
  for (std::size_t first = 0; first < rows_; first += kRun) {
    const float* const block = values_.data() + first * stride_;
    for (std::size_t q = 0; q < requests.size(); ++q) {
      std::uint64_t allowed = allowed_word(requests[q].filter, first, rows_);
      if (allowed == 0) continue;
      const float* const query = queries[q].data();
      // Neighbours share their fetches: above some density it pays to compare the whole run.
      const bool whole = std::popcount(allowed) >= 16;
      if (whole) {
        kernels.dots(query, block, stride_, std::min(kRun, rows_ - first), scores.data());
      }
      for (; allowed != 0; allowed &= allowed - 1) {
        const auto i = static_cast<std::size_t>(std::countr_zero(allowed));
        if (!whole) kernels.dots(query, block + i * stride_, stride_, 1, &scores[i]);
        const float score = clamp_cosine(scores[i]);
        if (score >= best[q].threshold()) best[q].push({static_cast<Row>(first + i), score});
      }
    }
  }
  std::vector<std::vector<RowHit>> hits;
  hits.reserve(best.size());
  for (TopK& found : best) hits.push_back(found.take());
  return hits;
}

}  // namespace beleg

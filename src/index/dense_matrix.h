#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "index/rows.h"

namespace beleg {

/// One question of a batch.
struct DenseRequest {
  std::span<const float> query;       ///< As long as the vectors.
  const RowFilter* filter = nullptr;  ///< Of as many rows as the index has; null: all rows.
  /// Rows that score less may be left out, even where the list is then short of k: k better ones
  /// are known from elsewhere.
  float floor = -std::numeric_limits<float>::infinity();
};

/// The vectors of an index as floats, row after row: the exact scores. Borrows the values.
/// Thread-safe.
class DenseMatrix {
 public:
  DenseMatrix() = default;
  /// `values` has rows × stride_for(dims) floats; what exceeds `dims` is zero.
  DenseMatrix(std::span<const float> values, std::size_t rows, std::uint32_t dims)
      : values_(values), rows_(rows), dims_(dims), stride_(stride_for(dims)) {}

  /// Floats from row to row: a multiple of 16.
  static std::uint32_t stride_for(std::uint32_t dims) { return (dims + 15U) / 16U * 16U; }

  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::uint32_t dims() const { return dims_; }
  /// The question filled up with zeros, as score() needs it.
  [[nodiscard]] std::vector<float> padded(std::span<const float> query) const;
  /// The product of `padded_query` with `row`, in [−1, 1]. A damaged vector scores −1. The same
  /// bits on every processor.
  [[nodiscard]] float score(const std::vector<float>& padded_query, Row row) const;
  /// Asks the processor to fetch the row.
  void prefetch(Row row) const;

  /// The k best allowed rows of each request. Every allowed row is compared; each run of rows is
  /// fetched once for all requests.
  [[nodiscard]] std::vector<std::vector<RowHit>> search(std::span<const DenseRequest> requests,
                                                        std::size_t k) const;

 private:
  std::span<const float> values_;
  std::size_t rows_ = 0;
  std::uint32_t dims_ = 0;
  std::uint32_t stride_ = 0;
};

}  // namespace beleg

#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "index/dense_codes.h"
#include "index/dense_kernels.h"
#include "index/dense_matrix.h"

namespace beleg {

/// Search by compressed vectors. Sign codes of all rows give upper bounds; where a bound reaches
/// the k-th best row so far, four-bit codes give closer ones; what is still in reach is compared
/// exactly. How many rows that are depends on the question: many when many rows are nearly as good.
/// Bounds hold with the probabilities named in dense_codes.cc, so a row is rarely missed, and every
/// score is exact. Borrows the tables. Thread-safe.
class QuantisedDense {
 public:
  /// How much work a search was; for tests and benchmarks.
  struct Work {
    std::size_t fine = 0;   ///< Rows compared by four-bit codes.
    std::size_t exact = 0;  ///< Rows compared by floats.
  };

  /// Sizes as of dense_codes::Tables for `matrix`; matrix.dims() ≤ dense_codes::kMaxDims.
  QuantisedDense(std::span<const float> mean, std::span<const std::byte> signs,
                 std::span<const std::byte> records, DenseMatrix matrix);

  /// The k best allowed rows of each request; each part of the sign codes is fetched once for
  /// several requests. A list may be shorter than possible when the tables are damaged, or a
  /// request has a floor.
  [[nodiscard]] std::vector<std::vector<RowHit>> search(
      std::span<const DenseRequest> requests, std::size_t k,
      const DenseKernels& kernels = best_dense_kernels(), Work* work = nullptr) const;

 private:
  struct Pass;
  class Survivors;
  void scan(std::span<Pass> passes, const DenseKernels& kernels) const;

  std::span<const float> mean_;
  std::span<const std::byte> signs_;
  std::span<const std::byte> records_;
  DenseMatrix matrix_;
  std::shared_ptr<const OrthogonalRotation> rotation_;
};

}  // namespace beleg

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "index/orthogonal_rotation.h"

namespace beleg {

/// Layout of the compressed copies of the dense vectors. Both hold the rotated residual of a row:
/// its vector without the mean of the file. See docs/formats/dense-index.md.
namespace dense_codes {

/// Sign codes come in blocks of 64 rows, one word of a filter.
inline constexpr std::size_t kBlockRows = 64;
/// Sums of sign products stay below 2¹⁶ up to here; longer vectors are only searched exactly.
inline constexpr std::uint32_t kMaxDims = 4096;

/// What turns integers into a product, behind the fine codes of a row.
struct FineTail {
  float scale = 0.0F;  ///< ‖r‖² / ⟨r, codes − 7.5⟩: the product of a residual with itself is exact.
  float offset = 0.0F;  ///< mean · residual.
  float error = 0.0F;   ///< Standard error of a product with a vector of length 1.
  float reserved = 0.0F;
};

/// Bytes of one row's sign codes: eight dimensions a byte.
[[nodiscard]] constexpr std::size_t sign_groups(std::uint32_t dims) {
  return (std::size_t{dims} + 7) / 8;
}
/// A block: for every eight dimensions 64 bytes, one per row; then a correction (uint32) per row.
[[nodiscard]] constexpr std::size_t block_bytes(std::uint32_t dims) {
  return sign_groups(dims) * kBlockRows + kBlockRows * sizeof(std::uint32_t);
}
[[nodiscard]] constexpr std::size_t blocks(std::size_t rows) {
  return (rows + kBlockRows - 1) / kBlockRows;
}
/// Bytes of one row's fine codes, two dimensions a byte, filled up to a multiple of 64.
[[nodiscard]] constexpr std::size_t fine_bytes(std::uint32_t dims) {
  return (sign_groups(dims) * 4 + 63) / 64 * 64;
}
/// Fine codes and tail.
[[nodiscard]] constexpr std::size_t record_bytes(std::uint32_t dims) {
  return fine_bytes(dims) + sizeof(FineTail);
}

/// The compressed copies of all rows.
struct Tables {
  std::vector<float> mean;         ///< `dims` values.
  std::vector<std::byte> signs;    ///< blocks(rows) × block_bytes(dims).
  std::vector<std::byte> records;  ///< rows × record_bytes(dims).
};

/// Compresses `rows` vectors of `dims` floats, `stride` (a multiple of 16) floats apart and filled
/// up with zeros. Two passes: the mean, then each row by itself. The same bytes on every processor.
/// A damaged vector (values that are no numbers, or a length above 10¹⁵) is coded as zeros.
[[nodiscard]] Tables encode(std::span<const float> matrix, std::size_t rows, std::uint32_t dims,
                            std::uint32_t stride);

}  // namespace dense_codes

/// A question's vector, rotated and rounded to integers: five bits for the sign codes, eight for
/// the fine ones. Immutable.
class CodedDenseQuery {
 public:
  /// `query` and `mean` have rotation.dims() finite values; rotation.dims() ≤ kMaxDims.
  CodedDenseQuery(std::span<const float> query, std::span<const float> mean,
                  const OrthogonalRotation& rotation);

  /// What the scan of the sign codes needs. Upper bound of a row's product with the question, less
  /// base(): offset_weight × offset + factor × (scale × Σ table entries − bias).
  struct Scan {
    /// For every four dimensions, 16 bytes: the sum of the question's codes over the bits that are
    /// set, raised so that the smallest entry is 0. At most 60.
    const std::uint8_t* tables = nullptr;
    float scale = 0.0F;
    float bias = 0.0F;
    float offset_weight = 0.0F;
  };
  [[nodiscard]] Scan scan() const { return {tables_.data(), scan_scale_, scan_bias_, mean_share_}; }

  /// Codes of the first and of the second half of the dimensions, fine_bytes() each.
  [[nodiscard]] const std::int8_t* low() const { return codes_.data(); }
  [[nodiscard]] const std::int8_t* high() const { return codes_.data() + codes_.size() / 2; }

  struct Bounds {
    float lower = 0.0F;
    float upper = 0.0F;
  };
  /// Bounds of the row's product less base(), from Σ fine code × question code.
  [[nodiscard]] Bounds fine_bounds(std::int32_t product, const dense_codes::FineTail& tail) const;

  /// question · mean: what all products have in common.
  [[nodiscard]] float base() const { return base_; }

 private:
  void make_tables(std::span<const float> residual, float norm);
  void make_codes(std::span<const float> residual);

  std::vector<std::uint8_t> tables_;
  std::vector<std::int8_t> codes_;
  float scan_scale_ = 0.0F;
  float scan_bias_ = 0.0F;
  float mean_share_ = 0.0F;  // How much of the mean is in the question.
  float fine_scale_ = 0.0F;
  std::int32_t fine_bias_ = 0;  // 15 × the sum of the codes.
  float fine_error_ = 0.0F;
  float base_ = 0.0F;
};

}  // namespace beleg

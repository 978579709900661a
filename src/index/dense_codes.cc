#include "index/dense_codes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "index/kernels.h"

namespace beleg {
namespace {

using dense_codes::FineTail;
using dense_codes::kBlockRows;

/// Of a random direction: √(2/π) is the mean cosine between it and its signs (RaBitQ, Gao and Long,
/// SIGMOD 2024), so this is the sine, the part of a sign code that says nothing.
constexpr float kSignSine = 0.6028F;
/// Standard errors that a row may lie off. One-sided: of rows just as good as the last one that is
/// wanted, 1.2 % exceed the first and 0.6 % the second.
constexpr float kScanErrors = 2.25F;
constexpr float kFineErrors = 2.5F;
/// Rounding of the float products themselves.
constexpr float kSlack = 4e-6F;
/// Question codes of the scan: four of them make a table entry of at most 60, four entries a byte.
constexpr float kScanLevels = 15.0F;
constexpr float kFineLevels = 127.0F;
/// Step of the best uniform quantiser with 16 levels for a normal distribution of variance 1 (Max,
/// Quantizing for minimum distortion, 1960).
constexpr float kFineStep = 0.3352F;

std::size_t padded16(std::size_t size) { return (size + 15) / 16 * 16; }

/// The product in the one order that all processors share. Both sizes are the same multiple of 16.
float dot(std::span<const float> a, std::span<const float> b) {
  float product = 0.0F;
  best_kernels().dots(a.data(), b.data(), a.size(), 1, &product);
  return product;
}

float sum_of_magnitudes(std::span<const float> values) {
  std::array<float, 16> sums{};
  for (std::size_t i = 0; i < values.size(); i += 16) {
    for (std::size_t lane = 0; lane < 16; ++lane) sums[lane] += std::fabs(values[i + lane]);
  }
  float sum = 0.0F;
  for (const float lane : sums) sum += lane;
  return sum;
}

float largest_magnitude(std::span<const float> values) {
  float largest = 0.0F;
  for (const float value : values) largest = std::max(largest, std::fabs(value));
  return largest;
}

/// The upper half of a float32, rounded to nearest. The value must be finite.
std::uint32_t upper_half(float value) {
  return (std::bit_cast<std::uint32_t>(value) + 0x8000U) >> 16U;
}

/// value / step as an integer of at most `levels`; 0 when there is no step.
std::int32_t rounded(float value, float step, float levels) {
  if (!(step > 0.0F)) return 0;
  return static_cast<std::int32_t>(std::lrint(std::clamp(value / step, -levels, levels)));
}

/// Codes one row after the other; keeps its work space.
class RowCoder {
 public:
  RowCoder(std::uint32_t dims, std::span<const float> mean)
      : dims_(dims),
        mean_(padded16(dims), 0.0F),
        rotation_(dims),
        residual_(mean_.size()),
        rotated_(padded16(rotation_.padded_dims()), 0.0F),
        levels_(rotated_.size(), 0.0F) {
    std::copy_n(mean.begin(), dims, mean_.begin());
  }

  /// Writes codes and correction of `vector` at place `slot` of `block`, and `record`.
  void encode(std::span<const float> vector, std::byte* block, std::size_t slot,
              std::byte* record) {
    for (std::size_t d = 0; d < dims_; ++d) residual_[d] = vector[d] - mean_[d];
    rotation_.apply(std::span(residual_).first(dims_),
                    std::span(rotated_).first(rotation_.padded_dims()));
    const float offset = dot(mean_, residual_);
    const float norm_squared = dot(rotated_, rotated_);
    encode_signs(offset, norm_squared, block, slot);
    encode_fine(offset, norm_squared, record);
  }

 private:
  void encode_signs(float offset, float norm_squared, std::byte* block, std::size_t slot) const {
    const std::size_t groups = dense_codes::sign_groups(dims_);
    for (std::size_t g = 0; g < groups; ++g) {
      unsigned bits = 0;
      for (std::size_t j = 0; j < 8; ++j) {
        bits |= static_cast<unsigned>(rotated_[8 * g + j] > 0.0F) << j;
      }
      block[g * kBlockRows + slot] = static_cast<std::byte>(bits);
    }
    const float magnitude = sum_of_magnitudes(rotated_);
    const float factor = magnitude > 0.0F ? norm_squared / magnitude : 0.0F;
    const std::uint32_t correction = (upper_half(factor) << 16U) | (upper_half(offset) & 0xffffU);
    std::memcpy(block + groups * kBlockRows + slot * sizeof correction, &correction,
                sizeof correction);
  }

  void encode_fine(float offset, float norm_squared, std::byte* record) {
    const std::size_t size = rotation_.padded_dims();
    const float deviation = std::sqrt(norm_squared / static_cast<float>(size));
    const float inverse = deviation > 0.0F ? 1.0F / (kFineStep * deviation) : 0.0F;
    for (std::size_t d = 0; d < size; ++d) {
      const float position = std::min(std::max(rotated_[d] * inverse + 8.0F, 0.0F), 15.5F);
      levels_[d] = static_cast<float>(static_cast<std::int32_t>(position)) - 7.5F;
    }
    const std::size_t half = size / 2;
    for (std::size_t d = 0; d < half; ++d) {
      const auto low = static_cast<unsigned>(levels_[d] + 7.5F);
      const auto high = static_cast<unsigned>(levels_[half + d] + 7.5F);
      record[d] = static_cast<std::byte>(low | (high << 4U));
    }
    FineTail tail{.scale = 0.0F, .offset = offset, .error = 0.0F};
    const float product = dot(rotated_, levels_);
    if (product > 0.0F) {
      // What the scaled codes have beside the residual stands at right angles to it.
      const float cosine_squared = product / norm_squared * product / dot(levels_, levels_);
      tail.scale = norm_squared / product;
      tail.error = std::sqrt(norm_squared * std::max(1.0F / cosine_squared - 1.0F, 0.0F) /
                             static_cast<float>(size));
      if (!std::isfinite(tail.error)) tail.error = 0.0F;  // Too short to say: next to the mean.
    }
    std::memcpy(record + dense_codes::fine_bytes(dims_), &tail, sizeof tail);
  }

  std::uint32_t dims_;
  std::vector<float> mean_;
  OrthogonalRotation rotation_;
  std::vector<float> residual_;
  std::vector<float> rotated_;
  std::vector<float> levels_;  // Codes − 7.5.
};

/// A row as it is coded: `zeros` in place of a vector that is damaged.
std::span<const float> usable(std::span<const float> row, std::span<const float> zeros) {
  constexpr float kMostSquared = 1e30F;
  return dot(row, row) <= kMostSquared ? row : zeros;
}

}  // namespace

namespace dense_codes {

Tables encode(std::span<const float> matrix, std::size_t rows, std::uint32_t dims,
              std::uint32_t stride) {
  Tables tables;
  tables.mean.resize(dims, 0.0F);
  tables.signs.resize(blocks(rows) * block_bytes(dims));
  tables.records.resize(rows * record_bytes(dims));
  const std::vector<float> zeros(stride, 0.0F);
  std::vector<double> sums(dims, 0.0);
  for (std::size_t r = 0; r < rows; ++r) {
    const std::span<const float> row = usable(matrix.subspan(r * stride, stride), zeros);
    for (std::size_t d = 0; d < dims; ++d) sums[d] += static_cast<double>(row[d]);
  }
  for (std::size_t d = 0; d < dims; ++d) {
    tables.mean[d] =
        static_cast<float>(sums[d] / static_cast<double>(std::max<std::size_t>(rows, 1)));
  }
  RowCoder coder(dims, tables.mean);
  for (std::size_t r = 0; r < rows; ++r) {
    coder.encode(usable(matrix.subspan(r * stride, stride), zeros),
                 tables.signs.data() + r / kBlockRows * block_bytes(dims), r % kBlockRows,
                 tables.records.data() + r * record_bytes(dims));
  }
  return tables;
}

}  // namespace dense_codes

CodedDenseQuery::CodedDenseQuery(std::span<const float> query, std::span<const float> mean,
                                 const OrthogonalRotation& rotation) {
  const std::size_t dims = rotation.dims();
  std::vector<float> whole(padded16(dims), 0.0F);
  std::vector<float> centre(padded16(dims), 0.0F);
  std::copy_n(query.begin(), dims, whole.begin());
  std::copy_n(mean.begin(), dims, centre.begin());
  base_ = dot(whole, centre);
  // The share of the mean is chosen so that what is left is as short as possible: only that is
  // estimated, and its length is the error's. The products of the mean are known.
  const float mean_squared = dot(centre, centre);
  mean_share_ = mean_squared > 0.0F ? base_ / mean_squared : 0.0F;
  if (!std::isfinite(mean_share_)) mean_share_ = 0.0F;
  for (std::size_t d = 0; d < dims; ++d) whole[d] -= mean_share_ * centre[d];
  std::vector<float> rotated(padded16(rotation.padded_dims()), 0.0F);
  rotation.apply(std::span(whole).first(dims), std::span(rotated).first(rotation.padded_dims()));
  const float norm = std::sqrt(dot(rotated, rotated));
  const std::span<const float> residual = std::span(rotated).first(rotation.padded_dims());
  make_tables(residual, norm);
  make_codes(residual);
  fine_error_ = kFineErrors * norm;
}

void CodedDenseQuery::make_tables(std::span<const float> residual, float norm) {
  const float step = largest_magnitude(residual) / kScanLevels;
  tables_.resize(residual.size() * 4);
  std::int32_t magnitude = 0;  // Σ |code|
  for (std::size_t group = 0; group < residual.size() / 4; ++group) {
    std::array<std::int32_t, 4> codes{};
    std::int32_t raise = 0;
    for (std::size_t j = 0; j < 4; ++j) {
      const float value = residual[4 * group + j];
      codes[j] = rounded(value, step, kScanLevels);
      raise += std::max(-codes[j], 0);
      magnitude += std::abs(codes[j]);
    }
    for (unsigned bits = 0; bits < 16; ++bits) {
      std::int32_t sum = raise;
      for (unsigned j = 0; j < 4; ++j) sum += (bits >> j & 1U) != 0 ? codes[j] : 0;
      tables_[16 * group + bits] = static_cast<std::uint8_t>(sum);
    }
  }
  // Σ ±code = 2 × Σ table entries − Σ |code|.
  const float rounding = step * step * static_cast<float>(residual.size()) / 12.0F;
  const float error = std::sqrt(kSignSine * kSignSine * norm * norm + rounding);
  scan_scale_ = 2.0F * step;
  scan_bias_ = step * static_cast<float>(magnitude) - kScanErrors * error;
}

void CodedDenseQuery::make_codes(std::span<const float> residual) {
  const std::size_t half = residual.size() / 2;
  const std::size_t bytes = (half + 63) / 64 * 64;
  codes_.resize(2 * bytes, 0);
  const float step = largest_magnitude(residual) / kFineLevels;
  fine_scale_ = step / 2.0F;
  std::int32_t sum = 0;
  for (std::size_t d = 0; d < residual.size(); ++d) {
    const std::int32_t code = rounded(residual[d], step, kFineLevels);
    codes_[d < half ? d : bytes + d - half] = static_cast<std::int8_t>(code);
    sum += code;
  }
  fine_bias_ = 15 * sum;
}

CodedDenseQuery::Bounds CodedDenseQuery::fine_bounds(std::int32_t product,
                                                     const FineTail& tail) const {
  const float units = static_cast<float>(2 * product - fine_bias_) * fine_scale_;
  const float estimate = mean_share_ * tail.offset + tail.scale * units;
  const float error = fine_error_ * tail.error + kSlack;
  return {estimate - error, estimate + error};
}

}  // namespace beleg

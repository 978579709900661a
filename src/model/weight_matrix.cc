#include "model/weight_matrix.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace beleg {
namespace {

constexpr std::size_t kHalf = kPanelColumns / 2;
/// Inputs whose weights lie side by side.
constexpr std::size_t kGroup = 4;
constexpr float kLargestWeight = 127.0F;
constexpr std::uint8_t kTwoZeros = kNibbleZero << 4 | kNibbleZero;

static_assert(Q4Matrix::kBlockWeights == kBlockInputs);

}  // namespace

WeightMatrix WeightMatrix::of_floats(std::size_t outputs, std::size_t inputs) {
  WeightMatrix matrix(Kind::kFloats, outputs, inputs);
  matrix.values_ = AlignedFloats(matrix.panels() * inputs * kPanelColumns);
  return matrix;
}

WeightMatrix WeightMatrix::of_four_bits(std::size_t outputs, std::size_t inputs) {
  WeightMatrix matrix(Kind::kFourBits, outputs, inputs);
  matrix.values_ = AlignedFloats(matrix.panels() * inputs / kBlockInputs * kPanelColumns);
  matrix.bytes_.resize(matrix.panels() * inputs * kHalf, kTwoZeros);
  return matrix;
}

WeightMatrix WeightMatrix::of_eight_bits(std::size_t outputs, std::size_t inputs) {
  WeightMatrix matrix(Kind::kEightBits, outputs, inputs);
  matrix.values_ = AlignedFloats(matrix.panels() * inputs / kBlockInputs * kPanelColumns);
  matrix.bytes_.resize(matrix.panels() * inputs * kPanelColumns, kByteZero);
  return matrix;
}

float& WeightMatrix::scale(std::size_t output, std::size_t block) {
  const std::size_t panel = output / kPanelColumns * (inputs_ / kBlockInputs);
  return values_.data()[(panel + block) * kPanelColumns + output % kPanelColumns];
}

void WeightMatrix::set_input(std::size_t input, std::size_t first_output,
                             std::span<const float> weights) {
  while (!weights.empty()) {
    const std::size_t column = first_output % kPanelColumns;
    const std::size_t count = std::min(kPanelColumns - column, weights.size());
    float* row = values_.data() + (first_output / kPanelColumns * inputs_ + input) * kPanelColumns;
    std::copy_n(weights.begin(), count, row + column);
    weights = weights.subspan(count);
    first_output += count;
  }
}

void WeightMatrix::set_outputs(std::size_t first_output, const Q4Matrix& weights) {
  for (std::size_t row = 0; row < weights.rows; ++row) {
    const std::size_t output = first_output + row;
    const std::size_t column = output % kPanelColumns;
    const unsigned shift = column < kHalf ? 0 : 4;
    std::uint8_t* to =
        bytes_.data() + output / kPanelColumns * inputs_ * kHalf + column % kHalf * kGroup;
    const auto put = [&](std::size_t input, unsigned nibble) {
      std::uint8_t& pair = to[input / kGroup * kGroup * kHalf + input % kGroup];
      pair = static_cast<std::uint8_t>((pair & ~(15U << shift)) | nibble << shift);
    };
    for (std::size_t b = 0; b < inputs_ / kBlockInputs; ++b) {
      const Q4Matrix::Block block = weights.block(row, b);
      scale(output, b) = block.scale;
      for (std::size_t j = 0; j < kBlockInputs / 2; ++j) {
        const auto pair = static_cast<unsigned>(block.pairs[j]);
        put(b * kBlockInputs + j, pair & 15U);
        put(b * kBlockInputs + kBlockInputs / 2 + j, pair >> 4U);
      }
    }
  }
}

void WeightMatrix::set_block(std::size_t block, std::size_t first_output,
                             std::span<const float> weights) {
  const std::size_t count = weights.size() / kBlockInputs;
  for (std::size_t i = 0; i < count; ++i) {
    float largest = 0;
    bool finite = true;
    for (std::size_t k = 0; k < kBlockInputs; ++k) {
      finite = finite && std::isfinite(weights[k * count + i]);
      largest = std::max(largest, std::abs(weights[k * count + i]));
    }
    const std::size_t output = first_output + i;
    const float step = largest / kLargestWeight;
    // A step that is no normal number could not be divided by: such weights are zero.
    const bool divisible = finite && step >= std::numeric_limits<float>::min();
    scale(output, block) =
        finite ? (divisible ? step : 0.0F) : std::numeric_limits<float>::quiet_NaN();
    std::uint8_t* to = bytes_.data() + output / kPanelColumns * inputs_ * kPanelColumns +
                       block * kBlockInputs * kPanelColumns + output % kPanelColumns * kGroup;
    for (std::size_t k = 0; k < kBlockInputs; ++k) {
      const long whole = divisible ? std::lrint(weights[k * count + i] / step) : 0;
      to[k / kGroup * kGroup * kPanelColumns + k % kGroup] =
          static_cast<std::uint8_t>(whole + kByteZero);
    }
  }
}

BytePanel WeightMatrix::bytes(std::size_t panel, std::size_t first_input,
                              const TransformerKernels& kernels,
                              std::span<std::uint8_t> scratch) const {
  const std::size_t first = panel * inputs_ + first_input;
  const float* scales = values_.data() + first;  // One a block and output: one an input and panel.
  if (kind_ == Kind::kEightBits) return {bytes_.data() + first * kPanelColumns, scales};
  kernels.unpack(bytes_.data() + first * kHalf,
                 std::min(kPartInputs, inputs_ - first_input) * kHalf, scratch.data());
  return {scratch.data(), scales};
}

}  // namespace beleg

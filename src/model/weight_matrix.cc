#include "model/weight_matrix.h"

#include <algorithm>

namespace beleg {
namespace {

constexpr std::size_t kHalf = kPanelColumns / 2;

}  // namespace

WeightMatrix WeightMatrix::of_floats(std::size_t outputs, std::size_t inputs) {
  WeightMatrix matrix(outputs, inputs);
  matrix.floats_ = AlignedFloats(matrix.panels() * inputs * kPanelColumns);
  return matrix;
}

WeightMatrix WeightMatrix::of_four_bits(std::size_t outputs, std::size_t inputs) {
  WeightMatrix matrix(outputs, inputs);
  matrix.nibbles_.resize(matrix.panels() * inputs * kHalf);
  matrix.scales_ = AlignedFloats(matrix.panels() * inputs);
  return matrix;
}

void WeightMatrix::set_input(std::size_t input, std::size_t first_output,
                             std::span<const float> weights) {
  while (!weights.empty()) {
    const std::size_t column = first_output % kPanelColumns;
    const std::size_t count = std::min(kPanelColumns - column, weights.size());
    float* row = floats_.data() + (first_output / kPanelColumns * inputs_ + input) * kPanelColumns;
    std::copy_n(weights.begin(), count, row + column);
    weights = weights.subspan(count);
    first_output += count;
  }
}

void WeightMatrix::set_outputs(std::size_t first_output, const Q4Matrix& weights) {
  const std::size_t blocks = inputs_ / Q4Matrix::kBlockWeights;
  for (std::size_t row = 0; row < weights.rows; ++row) {
    const std::size_t panel = (first_output + row) / kPanelColumns;
    const std::size_t column = (first_output + row) % kPanelColumns;
    const unsigned shift = column < kHalf ? 0 : 4;
    float* scale = scales_.data() + panel * inputs_ + column;
    std::uint8_t* to = nibbles_.data() + panel * inputs_ * kHalf + column % kHalf;
    for (std::size_t b = 0; b < blocks; ++b, scale += kPanelColumns, to += kHalf * kPanelColumns) {
      const Q4Matrix::Block block = weights.block(row, b);
      *scale = block.scale;
      for (std::size_t j = 0; j < kHalf; ++j) {
        const auto pair = static_cast<unsigned>(block.pairs[j]);
        std::uint8_t& low = to[j * kHalf];
        std::uint8_t& high = to[(j + kHalf) * kHalf];
        low = static_cast<std::uint8_t>(low | (pair & 15U) << shift);
        high = static_cast<std::uint8_t>(high | (pair >> 4U) << shift);
      }
    }
  }
}

const float* WeightMatrix::panel(std::size_t number, std::size_t first_input,
                                 const TransformerKernels& kernels,
                                 std::span<float> scratch) const {
  const std::size_t first = number * inputs_ + first_input;
  if (nibbles_.empty()) return floats_.data() + first * kPanelColumns;
  kernels.widen(nibbles_.data() + first * kHalf, scales_.data() + first,
                std::min(kWidened, inputs_ - first_input), scratch.data());
  return scratch.data();
}

}  // namespace beleg

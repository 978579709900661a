#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/aligned_floats.h"
#include "model/e5_file.h"
#include "model/transformer_kernels.h"

namespace beleg {

/// The weights of a product x·Wᵀ in panels of kPanelColumns outputs, as TransformerKernels read
/// them: as floats, or as whole numbers of four or eight bits with a scale for each block of
/// kBlockInputs inputs and output. Outputs that are over in the last panel have weights of zero.
class WeightMatrix {
 public:
  enum class Kind : std::uint8_t { kFloats, kFourBits, kEightBits };

  /// All zeros.
  static WeightMatrix of_floats(std::size_t outputs, std::size_t inputs);
  /// All zeros. Requires inputs to be a multiple of kBlockInputs.
  static WeightMatrix of_four_bits(std::size_t outputs, std::size_t inputs);
  /// All zeros. Requires inputs to be a multiple of kBlockInputs.
  static WeightMatrix of_eight_bits(std::size_t outputs, std::size_t inputs);

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] std::size_t outputs() const { return outputs_; }
  [[nodiscard]] std::size_t inputs() const { return inputs_; }
  [[nodiscard]] std::size_t panels() const {
    return (outputs_ + kPanelColumns - 1) / kPanelColumns;
  }

  /// Of a matrix of floats: the weights of one input for the outputs from `first_output` on.
  void set_input(std::size_t input, std::size_t first_output, std::span<const float> weights);
  /// Of a matrix of four bits: all weights of the outputs from `first_output` on, bit for bit those
  /// of the file.
  void set_outputs(std::size_t first_output, const Q4Matrix& weights);
  /// Of a matrix of eight bits: the weights of the inputs from kBlockInputs · `block` on for the
  /// outputs from `first_output` on, kBlockInputs rows of as many outputs. A scale is the largest
  /// magnitude of an output / 127; what is no finite number makes the scale no number.
  void set_block(std::size_t block, std::size_t first_output, std::span<const float> weights);

  /// A panel of a matrix of floats. Dies with the matrix.
  [[nodiscard]] const float* floats(std::size_t panel) const {
    return values_.data() + panel * inputs_ * kPanelColumns;
  }

  /// What activations are quantised for. Of matrices of whole numbers.
  [[nodiscard]] std::int32_t zero_point() const {
    return kind_ == Kind::kFourBits ? kNibbleZero : kByteZero;
  }
  /// So many inputs of a panel of bytes are handed out at a time: they stay in the innermost cache.
  static constexpr std::size_t kPartInputs = 512;
  /// Of a matrix of whole numbers: the weights of a panel for kPartInputs inputs (or up to the
  /// last) from `first_input` on, a multiple of kPartInputs; `scratch` has room for kPartInputs ×
  /// kPanelColumns bytes. The view dies with the matrix or with what is in the scratch.
  [[nodiscard]] BytePanel bytes(std::size_t panel, std::size_t first_input,
                                const TransformerKernels& kernels,
                                std::span<std::uint8_t> scratch) const;

 private:
  WeightMatrix(Kind kind, std::size_t outputs, std::size_t inputs)
      : kind_(kind), outputs_(outputs), inputs_(inputs) {}
  /// Where the scale of an output is for a block of inputs.
  float& scale(std::size_t output, std::size_t block);

  Kind kind_ = Kind::kFloats;
  std::size_t outputs_ = 0;
  std::size_t inputs_ = 0;
  AlignedFloats values_;  // Panel by panel. Floats: inputs × kPanelColumns. Whole numbers: scales,
                          // inputs / kBlockInputs × kPanelColumns.
  // Panel by panel, for each four inputs: four bytes an output. With four bits 64 bytes, whose low
  // nibbles are outputs 0 to 15 and whose high nibbles are 16 to 31.
  std::vector<std::uint8_t> bytes_;
};

}  // namespace beleg

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
/// them: as floats, or in four bits that are widened when a panel is used. Outputs that are over in
/// the last panel have weights of zero.
class WeightMatrix {
 public:
  /// All zeros.
  static WeightMatrix of_floats(std::size_t outputs, std::size_t inputs);
  /// Requires inputs to be a multiple of 32.
  static WeightMatrix of_four_bits(std::size_t outputs, std::size_t inputs);

  [[nodiscard]] std::size_t outputs() const { return outputs_; }
  [[nodiscard]] std::size_t inputs() const { return inputs_; }
  [[nodiscard]] std::size_t panels() const {
    return (outputs_ + kPanelColumns - 1) / kPanelColumns;
  }

  /// Of a matrix of floats: the weights of one input for the outputs from `first_output` on.
  void set_input(std::size_t input, std::size_t first_output, std::span<const float> weights);
  /// Of a matrix of four bits: all weights of the outputs from `first_output` on, bit for bit those
  /// of the file. Requires first_output to be a multiple of 16 when anything of it is set before.
  void set_outputs(std::size_t first_output, const Q4Matrix& weights);

  /// How many inputs of a panel are handed out at a time: as many as stay in the innermost cache
  /// when they are widened, else all.
  [[nodiscard]] std::size_t part_inputs() const { return nibbles_.empty() ? inputs_ : kWidened; }
  static constexpr std::size_t kWidened = 128;
  /// The weights of a panel for part_inputs() inputs (or up to the last) from `first_input` on, a
  /// multiple of part_inputs(); `scratch` has room for kWidened × kPanelColumns floats. The pointer
  /// dies with the matrix or with what is in the scratch.
  [[nodiscard]] const float* panel(std::size_t number, std::size_t first_input,
                                   const TransformerKernels& kernels,
                                   std::span<float> scratch) const;

 private:
  WeightMatrix(std::size_t outputs, std::size_t inputs) : outputs_(outputs), inputs_(inputs) {}

  std::size_t outputs_ = 0;
  std::size_t inputs_ = 0;
  AlignedFloats floats_;               // Panel by panel: inputs × kPanelColumns.
  std::vector<std::uint8_t> nibbles_;  // Panel by panel: inputs × 16 bytes.
  AlignedFloats scales_;               // Panel by panel: inputs / 32 × kPanelColumns.
};

}  // namespace beleg

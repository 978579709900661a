#pragma once

#include "model/e5_file.h"
#include "model/transformer_weights.h"

namespace beleg {

/// The transformer's weights in an E5 file. Borrows the file.
class E5Weights final : public TransformerWeights {
 public:
  E5Weights(const E5File& file, Arithmetic arithmetic);

  [[nodiscard]] const TransformerShape& shape() const override { return shape_; }
  Result<std::vector<float>> vector(std::string_view name, std::string_view part,
                                    std::size_t size) const override;
  /// For products of bytes the weights stay at four bits, bit for bit those of the file.
  Result<WeightMatrix> matrix(std::span<const std::string> names, std::size_t out,
                              std::size_t in) const override;

 private:
  const E5File& file_;
  Arithmetic arithmetic_;
  TransformerShape shape_;
};

}  // namespace beleg

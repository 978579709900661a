#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/arithmetic.h"
#include "model/weight_matrix.h"

namespace beleg {

/// Sizes of a transformer encoder of the BERT family.
struct TransformerShape {
  std::uint32_t hidden = 0;
  std::uint32_t layers = 0;
  std::uint32_t heads = 0;  ///< Divides hidden.
  std::uint32_t feed_forward = 0;
  float epsilon = 0.0F;  ///< Of the layer norms.
};

/// Where a transformer's weights come from. Names are "emb.ln", and for layer N "lN.q", "lN.k",
/// "lN.v" (attention), "lN.ao" (its output), "lN.aln" (its norm), "lN.fi", "lN.fo" (feed-forward
/// in and out), "lN.oln" (norm of the layer). Calls may be made from several threads at a time.
class TransformerWeights {
 public:
  virtual ~TransformerWeights() = default;
  [[nodiscard]] virtual const TransformerShape& shape() const = 0;
  /// The gain (`part` = "w") or the bias ("b") of a norm, or the bias of a product.
  virtual Result<std::vector<float>> vector(std::string_view name, std::string_view part,
                                            std::size_t size) const = 0;
  /// The matrices of `names`, each `out` × `in`, as one: their outputs one after the other.
  virtual Result<WeightMatrix> matrix(std::span<const std::string> names, std::size_t out,
                                      std::size_t in) const = 0;
};

}  // namespace beleg

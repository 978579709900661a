#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <openvino/openvino.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/openvino_runtime.h"

// For the few .cc files that hand over weights: it draws in OpenVINO's own headers.

namespace beleg {

/// Sizes of a transformer encoder of the BERT family.
struct TransformerShape {
  std::uint32_t hidden = 0;
  std::uint32_t layers = 0;
  std::uint32_t heads = 0;
  std::uint32_t feed_forward = 0;
  float epsilon = 0.0F;  ///< Of the layer norms.
};

/// Where a transformer's weights come from. Names are "emb.ln", and for layer N "lN.q", "lN.k",
/// "lN.v" (attention), "lN.ao" (its output), "lN.aln" (its norm), "lN.fi", "lN.fo" (feed-forward
/// in and out), "lN.oln" (norm of the layer).
class TransformerWeights {
 public:
  virtual ~TransformerWeights() = default;
  [[nodiscard]] virtual const TransformerShape& shape() const = 0;
  /// The gain (`part` = "w") or the bias ("b") of a norm, or the bias of a product.
  virtual Result<std::vector<float>> vector(std::string_view name, std::string_view part,
                                            std::size_t size) const = 0;
  /// The matrices of `names`, each `out` × `in`, one below the other, as the second factor of
  /// x·Wᵀ. May throw what OpenVINO throws.
  virtual Result<ov::Output<ov::Node>> matrix(std::span<const std::string> names, std::size_t out,
                                              std::size_t in) const = 0;
};

/// A network that takes several sequences of different lengths in one run, their tokens one after
/// the other without padding. Only attention, a small part of the work, sees one row per sequence.
/// Inputs: "embeddings" (tokens × hidden: the sum of word, position and type embeddings), "rows"
/// (sequences × length: for each place of a sequence the number of its token), "places" (tokens:
/// for each token its place in "rows", counted row by row), "mask" (sequences × 1 × 1 × length,
/// added to the attention scores: 0, or a large negative number for places without token). Output:
/// the last hidden state (tokens × hidden).
Result<OpenVinoModel> compile_transformer(const TransformerWeights& weights,
                                          const OpenVinoOptions& options);

}  // namespace beleg

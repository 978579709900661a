#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/transformer_kernels.h"
#include "model/transformer_weights.h"

namespace beleg {

/// A transformer encoder of the BERT family (Vaswani et al. 2017; Devlin et al. 2019: norms behind
/// each part, exact GELU). Products with matrices of whole numbers are those of bytes, all else is
/// 32-bit floats. Sequences go through it one after the other without padding, and each gets the
/// same bits whatever it goes with. Immutable; run() is thread-safe and uses the calling thread
/// only.
class Transformer {
 public:
  /// Reads the weights on up to `threads` threads. Errors: those of the weights.
  static Result<Transformer> create(const TransformerWeights& weights, std::size_t threads);

  [[nodiscard]] const TransformerShape& shape() const { return shape_; }

  /// The last hidden states, tokens × hidden, of sequences of `lengths` tokens each, none 0, whose
  /// embeddings (the sums of word, position and type, tokens × hidden) lie one after the other.
  [[nodiscard]] std::vector<float> run(
      std::span<const float> embeddings, std::span<const std::size_t> lengths,
      const TransformerKernels& kernels = best_transformer_kernels()) const;

 private:
  /// x·Wᵀ + b.
  struct Product {
    WeightMatrix weights;
    AlignedFloats bias;
  };
  struct Norm {
    AlignedFloats gain;
    AlignedFloats bias;
  };
  struct Layer {
    Product attention_in;  ///< Queries, keys and values.
    Product attention_out;
    Norm attention_norm;
    Product feed_forward_in;
    Product feed_forward_out;
    Norm output_norm;
  };
  struct Reader;
  class Pass;

  explicit Transformer(const TransformerShape& shape) : shape_(shape) {}

  TransformerShape shape_;
  Norm embedding_norm_;
  std::vector<Layer> layers_;
};

}  // namespace beleg

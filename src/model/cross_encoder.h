#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/result.h"

namespace beleg {

/// Judges pairs of texts: a reranker, or any other sequence-pair classifier. Thread-safe.
class CrossEncoder {
 public:
  virtual ~CrossEncoder() = default;
  [[nodiscard]] virtual const std::string& name() const = 0;
  [[nodiscard]] virtual const Sha256& model_hash() const = 0;
  /// Raw logits of each (first, second) pair: one row per pair, as many columns as the model has
  /// labels. A pair that is longer than the model's length is cut into windows over `second`; the
  /// window with the largest relevance logit stands for the pair.
  virtual Result<std::vector<std::vector<float>>> logits(
      std::string_view first, std::span<const std::string_view> seconds) const = 0;
  /// The relevance logit of a row: the only one, or label 1 minus label 0. Where config.json names
  /// one label "entailment" or "relevant", it is that label minus the others' log-sum-exp.
  [[nodiscard]] virtual float relevance_logit(std::span<const float> row) const = 0;
};

/// Opens an ONNX sequence classifier of the BERT, XLM-R or DeBERTa-v2/v3 family from a folder with
/// model.onnx (or onnx/model.onnx, model_quantized.onnx) and tokenizer.json; config.json and
/// tokenizer_config.json are used where present. Errors name the file and what it lacks.
Result<std::unique_ptr<CrossEncoder>> open_onnx_cross_encoder(const std::string& folder,
                                                              std::uint32_t threads);

}  // namespace beleg

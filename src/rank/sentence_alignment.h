#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "text/span.h"

namespace beleg {

/// Late interaction restricted to parts of a passage: how well each sentence alone covers the
/// question. Nothing is encoded: the passage's token vectors, which know their context, are there.
///
/// `cosine` is question tokens × row tokens, row-major; `weights` (one per question token, sum 1)
/// are those of the index; `token_bytes` are the byte spans of the row's text tokens within the
/// passage, the first of which is row token number `context_tokens`. A sentence without tokens
/// scores −1. Result: one score per sentence, in [−1, 1].
[[nodiscard]] std::vector<double> score_sentences(std::span<const float> cosine,
                                                  std::span<const float> weights,
                                                  std::size_t row_tokens,
                                                  std::size_t context_tokens,
                                                  std::span<const ByteSpan> token_bytes,
                                                  std::span<const ByteSpan> sentences);

}  // namespace beleg

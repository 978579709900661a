#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "model/tokenizer.h"
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

/// The same over the whole row, context tokens too: what its best sentence could score at most.
[[nodiscard]] double score_row(std::span<const float> cosine, std::span<const float> weights,
                               std::size_t row_tokens);

/// Weights of the tokens of one part of a question, with those that it shares with its other parts
/// (`others`) counted kSharedTokenShare of theirs; they still sum to 1. What the parts share chose
/// the articles already, so a sentence has to meet what this part alone asks for. `weights` (one
/// per token, sum 1) are those of the index. Without other parts, or without a token of its own,
/// the weights stay as they are.
[[nodiscard]] std::vector<float> focus_on_part(std::span<const TokenId> tokens,
                                               std::span<const std::vector<TokenId>> others,
                                               std::vector<float> weights);

/// Chosen on the questions of several parts in `examples/questions/newsroom.jsonl`.
inline constexpr float kSharedTokenShare = 0.3F;

}  // namespace beleg

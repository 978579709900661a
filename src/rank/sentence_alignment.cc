#include "rank/sentence_alignment.h"

#include <algorithm>

namespace beleg {
namespace {

/// Weighted mean over the question's tokens of the best cosine in the columns [first, last).
double best_cosines(std::span<const float> cosine, std::span<const float> weights,
                    std::size_t row_tokens, std::size_t first, std::size_t last) {
  double score = 0.0;
  for (std::size_t q = 0; q < weights.size(); ++q) {
    const float* row = cosine.data() + q * row_tokens;
    score += static_cast<double>(weights[q]) *
             static_cast<double>(*std::max_element(row + first, row + last));
  }
  return score;
}

}  // namespace

double score_row(std::span<const float> cosine, std::span<const float> weights,
                 std::size_t row_tokens) {
  return row_tokens == 0 ? -1.0 : best_cosines(cosine, weights, row_tokens, 0, row_tokens);
}

std::vector<double> score_sentences(std::span<const float> cosine, std::span<const float> weights,
                                    std::size_t row_tokens, std::size_t context_tokens,
                                    std::span<const ByteSpan> token_bytes,
                                    std::span<const ByteSpan> sentences) {
  std::vector<double> scores(sentences.size(), -1.0);
  // A truncated passage has fewer vectors than tokens.
  const std::size_t text_tokens =
      std::min(token_bytes.size(), row_tokens > context_tokens ? row_tokens - context_tokens : 0);
  for (std::size_t s = 0; s < sentences.size(); ++s) {
    std::size_t first = text_tokens;
    std::size_t last = 0;
    for (std::size_t t = 0; t < text_tokens; ++t) {
      if (token_bytes[t].start >= sentences[s].start && token_bytes[t].start < sentences[s].end) {
        first = std::min(first, t);
        last = t + 1;
      }
    }
    if (first >= last) continue;
    scores[s] =
        best_cosines(cosine, weights, row_tokens, context_tokens + first, context_tokens + last);
  }
  return scores;
}

std::vector<float> focus_on_part(std::span<const TokenId> tokens,
                                 std::span<const std::vector<TokenId>> others,
                                 std::vector<float> weights) {
  const auto is_shared = [others](TokenId token) {
    return std::any_of(others.begin(), others.end(), [token](const std::vector<TokenId>& other) {
      return std::find(other.begin(), other.end(), token) != other.end();
    });
  };
  std::vector<float> focused = weights;
  double sum = 0.0;
  bool has_own = false;
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    if (is_shared(tokens[t])) {
      focused[t] *= kSharedTokenShare;
    } else {
      has_own = has_own || weights[t] > 0.0F;
    }
    sum += static_cast<double>(focused[t]);
  }
  if (!has_own) return weights;
  for (float& weight : focused) weight = static_cast<float>(static_cast<double>(weight) / sum);
  return focused;
}

}  // namespace beleg

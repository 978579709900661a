#include "rank/sentence_alignment.h"

#include <algorithm>

namespace beleg {

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
    double score = 0.0;
    for (std::size_t q = 0; q < weights.size(); ++q) {
      const float* row = cosine.data() + q * row_tokens + context_tokens;
      score += static_cast<double>(weights[q]) *
               static_cast<double>(*std::max_element(row + first, row + last));
    }
    scores[s] = score;
  }
  return scores;
}

}  // namespace beleg

#pragma once

#include <cstddef>
#include <cstdint>

#include "index/posting_list.h"

namespace beleg {

/// What a kernel needs to score a block of postings.
struct Bm25Block {
  const PostingBlock* block = nullptr;
  const std::uint8_t* length_classes = nullptr;  ///< By document.
  const float* norms = nullptr;                  ///< By length class.
  float title_weight = 0.0F;
  float heading_weight = 0.0F;
  float factor = 0.0F;  ///< idf × weight × (k1 + 1) × scale.
};

/// scores[i] = factor · tf / (tf + norm), rounded; 0 for what is not a number. All variants give
/// the same numbers: products and sums stay two operations.
using ScoreBlock = void (*)(const Bm25Block& input, std::uint32_t* scores);

[[nodiscard]] ScoreBlock plain_score_block();
/// The fastest that this processor has. Chosen once.
[[nodiscard]] ScoreBlock best_score_block();

/// Documents whose sums are looked at together.
inline constexpr std::size_t kSumChunk = 64;
/// Looks at whole chunks of sums[first …end): returns where the first of them starts that has a sum
/// of at least `wanted` (≥ 1), or `end`. Sums that it passes become zero. `first` and `end` are
/// multiples of kSumChunk. Sums are below 2^31.
using FindChunk = std::size_t (*)(std::uint32_t* sums, std::size_t first, std::size_t end,
                                  std::uint32_t wanted);
[[nodiscard]] FindChunk plain_find_chunk();
[[nodiscard]] FindChunk best_find_chunk();

}  // namespace beleg

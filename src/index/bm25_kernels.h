#pragma once

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

}  // namespace beleg

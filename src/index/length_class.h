#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "index/index_snapshot.h"
#include "index/lexical_format.h"

namespace beleg {

/// Lengths of documents in one byte: exact below 64 words, then in steps of 2 %. BM25 needs no
/// more, and a byte per document stays in the cache.
namespace length_class {

inline constexpr std::size_t kClasses = 256;

/// The class nearest to a length in words (≥ 0; NaN counts as 0).
[[nodiscard]] std::uint8_t of(float words);
/// The length that a class stands for.
[[nodiscard]] float words_of(std::uint8_t length_class);

}  // namespace length_class

/// The length of a document by the weights of its fields.
[[nodiscard]] inline float weighted_length(const FieldLengths& words, float title_weight,
                                           float heading_weight) {
  return static_cast<float>(words.body) + title_weight * static_cast<float>(words.title) +
         heading_weight * static_cast<float>(words.headings);
}

}  // namespace beleg

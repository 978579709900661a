#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "route/plan_clauses.h"

namespace beleg {

/// Things named side by side: "A und B", "A, B oder C".
struct Sides {
  std::vector<WordRange> items;  ///< 2 … 4, or none.
  /// What all sides share: "die größten Chips von" in "die größten Chips von Google und IBM"; or
  /// what "that" and "dem" in the last side stand for ("the mirror of Webb or that of Hubble").
  WordRange shared;
  std::size_t end = 0;  ///< First word after the last of them.
};

/// Reads sides from `at`. `links` are the words that may stand between the last two ("und oder").
/// Every side has at most seven words, a content word, and is not a pronoun.
[[nodiscard]] Sides read_sides(const Words& words, std::size_t at, std::size_t end,
                               std::string_view links);

/// Where a side that starts at `at` ends: at a preposition, a verb, an adverb or punctuation; with
/// `attributes`, "von" and "of" belong to it.
[[nodiscard]] std::size_t side_end(const Words& words, std::size_t at, std::size_t end,
                                   bool attributes);

/// Sides that two given ranges make, with what they share.
[[nodiscard]] Sides make_sides(const Words& words, WordRange left, WordRange right);

/// True when a side is plural; `all` decides for endings that names have as well.
[[nodiscard]] bool is_plural_side(const Words& words, WordRange side, const Sides& all);

/// Two or more things compared: one sub-question for each, with the aspect.
[[nodiscard]] Decomposition compare_sides(const Words& words, WordRange sentence);

/// The same asked of several things: "Welche Nebenwirkungen haben A und B?"
[[nodiscard]] Decomposition split_entities(const Words& words, WordRange sentence);

}  // namespace beleg

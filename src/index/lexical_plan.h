#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "index/lexical_part.h"
#include "index/lexical_search.h"

namespace beleg {

/// A term of the question in the segments.
struct FoundTerm {
  float idf = 0.0F;
  float weight = 1.0F;
  std::size_t report = 0;                             ///< Number of its QueryTermReport.
  std::vector<std::optional<std::uint32_t>> numbers;  ///< By segment.
};

/// One word of the question.
struct FoundGroup {
  std::vector<FoundTerm> wholes;
  std::vector<FoundTerm> parts;
  float mass = 0.0F;  ///< idf of the word as a whole.
};

/// What a question asks of all documents in one language.
struct LexicalPlan {
  std::vector<FoundGroup> groups;
  float scale = 1.0F;  ///< Units of a score, a power of two.

  /// A power of two with which no sum of scores overflows. `limit` is Bm25Saturation::limit().
  void choose_scale(float limit);
  /// The term as it is looked up in a segment that has it.
  [[nodiscard]] SearchTerm term_in(const LexicalPart& part, std::size_t segment,
                                   const FoundTerm& term) const;
  /// What is searched in a segment; words of which it has nothing are left out.
  [[nodiscard]] std::vector<SearchGroup> groups_in(const LexicalPart& part,
                                                   std::size_t segment) const;
  /// The share of the question's idf mass that a document matched. A word of which only parts are
  /// there counts with the weight of those parts.
  [[nodiscard]] float matched_share(const LexicalPart& part, std::size_t segment,
                                    std::uint32_t document) const;
};

}  // namespace beleg

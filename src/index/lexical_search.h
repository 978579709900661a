#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "index/bm25.h"
#include "index/lexical_part.h"
#include "index/posting_list.h"
#include "index/rows.h"
#include "index/top_k.h"

namespace beleg {

/// A term of the question that a part has.
struct SearchTerm {
  PostingList postings;
  float factor = 0.0F;  ///< idf × weight × scale.
};

/// One word of the question: the larger of (whole word, sum of its parts), and a little of the
/// smaller. Never both empty.
struct SearchGroup {
  std::vector<SearchTerm> wholes;
  std::vector<SearchTerm> parts;

  [[nodiscard]] bool is_single() const { return wholes.size() + parts.size() == 1; }
  [[nodiscard]] const SearchTerm& single() const { return wholes.empty() ? parts[0] : wholes[0]; }
};

/// What the smaller of (whole word, its parts) adds to the larger, in tenths: a passage with the
/// whole word must not count twice for it, one with other words made of the same parts must still
/// profit. German questions of XQuAD: nDCG@10 .9538 at 0, .9548 at 0.3, .9539 at 1.
inline constexpr FixedScore kTenthsBeside = 3;

[[nodiscard]] inline FixedScore group_score(FixedScore whole, FixedScore parts) {
  const FixedScore larger = whole > parts ? whole : parts;
  const FixedScore smaller = whole > parts ? parts : whole;
  // Scores are below 2^30, see LexicalIndex: the product fits.
  return larger + smaller * kTenthsBeside / 10;
}

/// A question put to one part of one segment.
struct LexicalSearch {
  const LexicalPart* part = nullptr;
  const Bm25Saturation* saturation = nullptr;
  std::span<const std::uint8_t> length_classes;  ///< By the weights of the settings.
  bool impacts_hold = false;                     ///< The part's impacts bound these scores.
  float scale = 1.0F;                            ///< A power of two.
  const RowFilter* filter = nullptr;             ///< Of the segment's rows; null: all.
  Row first_row = 0;                             ///< What the segment's row 0 is called outside.
  std::vector<SearchGroup> groups;
};

/// How a part is searched. All give the same hits with the same scores.
enum class LexicalStrategy : std::uint8_t {
  kExhaustive,    ///< Every posting of every term: the oracle.
  kMaxScore,      ///< Windows of documents; terms that cannot decide are only looked up.
  kBlockMaxWand,  ///< Document by document, jumping over blocks that cannot matter. Never chosen.
  kFilterDriven,  ///< The allowed documents are looked up in the lists.
};
[[nodiscard]] std::string_view lexical_strategy_name(LexicalStrategy strategy);

/// The strategy that costs least for this question.
[[nodiscard]] LexicalStrategy choose_lexical_strategy(const LexicalSearch& search, std::size_t k);

/// Moves the part's best documents into `best`. kMaxScore and kBlockMaxWand need impacts that hold.
void run_lexical_search(const LexicalSearch& search, LexicalStrategy strategy, TopK& best);

void search_exhaustively(const LexicalSearch& search, TopK& best);
void search_by_max_score(const LexicalSearch& search, TopK& best);
void search_by_block_max_wand(const LexicalSearch& search, TopK& best);
void search_by_filter(const LexicalSearch& search, TopK& best);

/// Takes a scored document into `best` if the filter allows it.
inline void offer(const LexicalSearch& search, std::uint32_t document, FixedScore score,
                  TopK& best) {
  if (score == 0) return;
  const float value = static_cast<float>(score) / search.scale;
  if (value < best.threshold()) return;
  const Row row = search.part->row_of(document);
  if (search.filter != nullptr && !search.filter->allows(row)) return;
  best.push({search.first_row + row, value});
}

/// Scores below this cannot enter `best`.
[[nodiscard]] inline FixedScore entry_score(const LexicalSearch& search, const TopK& best) {
  // Large sums are rounded when they become floats: stay a little below.
  const float wanted = best.threshold() * search.scale * 0.999999F;
  if (!(wanted > 1.0F)) return 1;
  return wanted < static_cast<float>(kMaxFixedScore) ? static_cast<FixedScore>(wanted)
                                                     : kMaxFixedScore;
}

}  // namespace beleg

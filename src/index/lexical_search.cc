#include "index/lexical_search.h"

#include <algorithm>
#include <bit>

#include "index/lexical_cursor.h"

namespace beleg {

std::string_view lexical_strategy_name(LexicalStrategy strategy) {
  switch (strategy) {
    case LexicalStrategy::kExhaustive:
      return "exhaustive";
    case LexicalStrategy::kMaxScore:
      return "max_score";
    case LexicalStrategy::kBlockMaxWand:
      return "block_max_wand";
    case LexicalStrategy::kFilterDriven:
      return "filter_driven";
  }
  return "exhaustive";
}

LexicalStrategy choose_lexical_strategy(const LexicalSearch& search, std::size_t k) {
  std::size_t postings = 0;
  std::size_t terms = 0;
  for (const SearchGroup& group : search.groups) {
    for (const SearchTerm& term : group.wholes) postings += term.postings.size();
    for (const SearchTerm& term : group.parts) postings += term.postings.size();
    terms += group.wholes.size() + group.parts.size();
  }
  // Looking a document up in a list costs as much as scoring a block of it.
  if (search.filter != nullptr &&
      search.filter->count() * terms * kDocumentsPerBlock / 2 < postings) {
    return LexicalStrategy::kFilterDriven;
  }
  // Adding everything up is faster than asking what is worth it, as far as it was measured; at the
  // last size MaxScore has caught up for ten hits. Block-max WAND never was faster than it. See
  // docs/decisions/0029-lexical-strategies.md.
  constexpr std::uint32_t kFewDocuments = 500'000;
  constexpr std::size_t kManyHits = 100;
  const bool all = k > kManyHits || search.part->documents() <= kFewDocuments;
  return all || !search.impacts_hold ? LexicalStrategy::kExhaustive : LexicalStrategy::kMaxScore;
}

void run_lexical_search(const LexicalSearch& search, LexicalStrategy strategy, TopK& best) {
  switch (strategy) {
    case LexicalStrategy::kExhaustive:
      return search_exhaustively(search, best);
    case LexicalStrategy::kMaxScore:
      return search_by_max_score(search, best);
    case LexicalStrategy::kBlockMaxWand:
      return search_by_block_max_wand(search, best);
    case LexicalStrategy::kFilterDriven:
      return search_by_filter(search, best);
  }
}

void search_by_filter(const LexicalSearch& search, TopK& best) {
  std::vector<GroupCursor> groups;
  groups.reserve(search.groups.size());
  for (const SearchGroup& group : search.groups) groups.emplace_back(search, group);
  const auto words = search.filter->words();
  for (std::size_t w = 0; w < words.size(); ++w) {
    for (std::uint64_t bits = words[w]; bits != 0; bits &= bits - 1) {
      const auto row = static_cast<Row>(w * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
      const std::optional<std::uint32_t> document = search.part->document_of(row);
      if (!document) continue;
      FixedScore score = 0;
      for (GroupCursor& group : groups) score += group.score_at(*document);
      offer(search, *document, score, best);
    }
  }
}

}  // namespace beleg

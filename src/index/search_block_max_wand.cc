#include <algorithm>
#include <vector>

#include "index/lexical_cursor.h"
#include "index/lexical_search.h"

namespace beleg {
namespace {

struct Group {
  GroupCursor* cursor = nullptr;
  FixedScore bound = 0;
};

/// Insertion: after a step only the first few are out of place.
void sort_by_document(std::vector<Group>& groups) {
  for (std::size_t i = 1; i < groups.size(); ++i) {
    const Group moving = groups[i];
    std::size_t at = i;
    for (; at > 0 && groups[at - 1].cursor->document() > moving.cursor->document(); --at) {
      groups[at] = groups[at - 1];
    }
    groups[at] = moving;
  }
}

/// The first group at which the bounds of all before it reach `wanted`, and all further groups on
/// the same document; empty when they never do.
std::size_t find_pivot(const std::vector<Group>& groups, FixedScore wanted) {
  FixedScore sum = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::uint32_t document = groups[i].cursor->document();
    if (document == TermCursor::kEnd) break;
    sum += groups[i].bound;
    if (sum < wanted) continue;
    while (i + 1 < groups.size() && groups[i + 1].cursor->document() == document) ++i;
    return i + 1;
  }
  return 0;
}

}  // namespace

/// Block-max WAND (Ding and Suel, SIGIR 2011).
void search_by_block_max_wand(const LexicalSearch& search, TopK& best) {
  std::vector<GroupCursor> cursors;
  cursors.reserve(search.groups.size());
  std::vector<Group> groups;
  for (const SearchGroup& group : search.groups) {
    cursors.emplace_back(search, group);
    cursors.back().seek(0);
    groups.push_back({&cursors.back(), cursors.back().bound()});
  }
  while (true) {
    sort_by_document(groups);
    const FixedScore wanted = entry_score(search, best);
    const std::size_t pivots = find_pivot(groups, wanted);
    if (pivots == 0) return;
    const std::uint32_t document = groups[pivots - 1].cursor->document();
    FixedScore block_bound = 0;
    for (std::size_t i = 0; i < pivots; ++i) {
      block_bound += groups[i].cursor->bound_within(document, document + 1);
    }
    if (block_bound < wanted) {
      // Nothing up to the end of the nearest block can enter.
      std::uint32_t next =
          pivots < groups.size() ? groups[pivots].cursor->document() : TermCursor::kEnd;
      for (std::size_t i = 0; i < pivots; ++i) {
        next = std::min(next, groups[i].cursor->bound_end(document) + 1);
      }
      next = std::max(next, document + 1);
      for (std::size_t i = 0; i < pivots; ++i) groups[i].cursor->seek(next);
      continue;
    }
    if (groups[0].cursor->document() == document) {
      FixedScore score = 0;
      for (std::size_t i = 0; i < pivots; ++i) {
        score += groups[i].cursor->score_at(document);
        groups[i].cursor->seek(document + 1);
      }
      offer(search, document, score, best);
    } else {
      for (std::size_t i = 0; i < pivots && groups[i].cursor->document() < document; ++i) {
        groups[i].cursor->seek(document);
      }
    }
  }
}

}  // namespace beleg

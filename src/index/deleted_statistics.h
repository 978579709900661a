#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "index/bm25.h"
#include "index/lexical_segment.h"
#include "index/rows.h"

namespace beleg {

/// How many of the deleted documents of a part have a term.
struct DeletedTerm {
  std::uint32_t term = 0;  ///< Number in the part's dictionary.
  std::uint32_t documents = 0;
  friend bool operator==(const DeletedTerm&, const DeletedTerm&) = default;
};
static_assert(sizeof(DeletedTerm) == 8);

/// What the deleted documents of one part would add to the statistics: so that scores do not depend
/// on what is gone, nor on how rows are spread over segments.
struct DeletedOfPart {
  LanguageStatistics sums;
  std::span<const DeletedTerm> terms;  ///< Ascending by term.

  [[nodiscard]] std::uint32_t documents_with(std::uint32_t term) const;
};

/// The same, owning its terms.
struct CountedDeletions {
  LanguageStatistics sums;
  std::vector<DeletedTerm> terms;
};

/// Counts by reading all postings of a part once. `live` has the rows of the segment that are
/// left.
[[nodiscard]] CountedDeletions count_deletions(const LexicalPart& part, const RowFilter& live);

}  // namespace beleg

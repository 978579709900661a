#include <algorithm>
#include <array>
#include <vector>

#include "index/bm25_kernels.h"
#include "index/lexical_search.h"

namespace beleg {
namespace {

std::size_t padded(std::size_t documents) {
  return (documents + kSumChunk - 1) / kSumChunk * kSumChunk;
}

/// Sums of the documents of a part, kept per thread so that a query allocates nothing. All zero
/// between two queries.
struct Accumulators {
  std::vector<FixedScore> total;
  std::vector<FixedScore> wholes;
  std::vector<FixedScore> parts;
  std::vector<std::uint32_t> touched;

  void fit(std::size_t documents) {
    const std::size_t size = padded(documents);
    if (total.size() < size) {
      total.resize(size, 0);
      wholes.resize(size, 0);
      parts.resize(size, 0);
    }
  }
};

Accumulators& thread_accumulators() {
  thread_local Accumulators accumulators;
  return accumulators;
}

/// Calls visit(document, score) for every document of a term.
template <class Visit>
void for_each_score(const LexicalSearch& search, const SearchTerm& term, const Visit& visit) {
  PostingBlock block;
  std::array<FixedScore, kDocumentsPerBlock> scores;
  for (std::uint32_t b = 0; b < term.postings.blocks(); ++b) {
    if (!term.postings.decode(b, block)) return;
    search.saturation->score(block, search.length_classes, term.factor, scores);
    for (std::uint32_t i = 0; i < block.count; ++i) visit(block.documents[i], scores[i]);
  }
}

void add_group(const LexicalSearch& search, const SearchGroup& group, Accumulators& sums) {
  if (group.is_single()) {
    for_each_score(search, group.single(), [&](std::uint32_t document, FixedScore score) {
      sums.total[document] += score;
    });
    return;
  }
  sums.touched.clear();
  for (const SearchTerm& term : group.wholes) {
    for_each_score(search, term, [&](std::uint32_t document, FixedScore score) {
      if (sums.wholes[document] == 0) sums.touched.push_back(document);
      sums.wholes[document] = std::max(sums.wholes[document], score);
    });
  }
  for (const SearchTerm& term : group.parts) {
    for_each_score(search, term, [&](std::uint32_t document, FixedScore score) {
      if (sums.wholes[document] == 0 && sums.parts[document] == 0) {
        sums.touched.push_back(document);
      }
      sums.parts[document] += score;
    });
  }
  for (const std::uint32_t document : sums.touched) {
    sums.total[document] += group_score(sums.wholes[document], sums.parts[document]);
    sums.wholes[document] = 0;
    sums.parts[document] = 0;
  }
}

}  // namespace

void search_exhaustively(const LexicalSearch& search, TopK& best) {
  const std::size_t documents = search.part->documents();
  Accumulators& sums = thread_accumulators();
  sums.fit(documents);
  for (const SearchGroup& group : search.groups) add_group(search, group, sums);
  const FindChunk find_chunk = best_find_chunk();
  const std::size_t end = padded(documents);
  FixedScore* const total = sums.total.data();
  std::size_t first = 0;
  FixedScore wanted = entry_score(search, best);
  while ((first = find_chunk(total, first, end, wanted)) < end) {
    for (std::size_t i = first; i < first + kSumChunk; ++i) {
      // Compared before it becomes a float: most documents of a chunk cannot enter.
      if (total[i] < wanted) continue;
      offer(search, static_cast<std::uint32_t>(i), total[i], best);
      wanted = entry_score(search, best);
    }
    std::fill_n(total + first, kSumChunk, FixedScore{0});
    first += kSumChunk;
  }
}

}  // namespace beleg

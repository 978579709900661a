#include "index/deleted_statistics.h"

#include <algorithm>

namespace beleg {

std::uint32_t DeletedOfPart::documents_with(std::uint32_t term) const {
  const auto found = std::lower_bound(
      terms.begin(), terms.end(), term,
      [](const DeletedTerm& entry, std::uint32_t wanted) { return entry.term < wanted; });
  return found != terms.end() && found->term == term ? found->documents : 0;
}

CountedDeletions count_deletions(const LexicalPart& part, const RowFilter& live) {
  CountedDeletions counted;
  std::vector<std::uint8_t> dead(part.documents(), 0);
  for (std::uint32_t document = 0; document < part.documents(); ++document) {
    if (live.allows(part.row_of(document))) continue;
    dead[document] = 1;
    const FieldLengths& words = part.lengths()[document];
    ++counted.sums.documents;
    counted.sums.body_words += words.body;
    counted.sums.title_words += words.title;
    counted.sums.heading_words += words.headings;
  }
  if (counted.sums.documents == 0) return counted;
  PostingBlock block;
  for (std::uint32_t term = 0; term < part.dictionary().size(); ++term) {
    const PostingList list = part.postings(part.dictionary().entry(term));
    std::uint32_t documents = 0;
    for (std::uint32_t b = 0; b < list.blocks() && list.decode_documents(b, block); ++b) {
      for (std::uint32_t i = 0; i < block.count; ++i) documents += dead[block.documents[i]];
    }
    if (documents > 0) counted.terms.push_back({term, documents});
  }
  return counted;
}

}  // namespace beleg

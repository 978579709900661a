#include "index/lexical_part.h"

#include <cmath>
#include <cstring>

#include "index/length_class.h"
#include "index/position_codec.h"

namespace beleg {
namespace {

/// Walks over the positions of a block; false where they cannot be read.
bool check_positions(std::span<const std::byte> bytes, std::size_t& offset,
                     const PostingBlock& block) {
  for (std::uint32_t i = 0; i < block.count; ++i) {
    const bool in_field[] = {block.body[i] > 0, block.in_title && block.title[i] > 0,
                             block.in_headings && block.headings[i] > 0};
    for (const bool there : in_field) {
      if (there && !position_codec::skip_run(bytes, offset)) return false;
    }
  }
  return true;
}

}  // namespace

Result<LexicalPart> LexicalPart::open(const SectionFile& file, std::uint32_t part) {
  LexicalPart opened;
  opened.meta_ = TRY(file.values<LexicalMeta>(kLexicalMeta, part, 1))[0];
  const LexicalMeta& meta = opened.meta_;
  opened.language_.assign(meta.language, ::strnlen(meta.language, sizeof meta.language));
  opened.rows_ = TRY(file.values<Row>(kLexicalRows, part, meta.documents));
  opened.lengths_ = TRY(file.values<FieldLengths>(kLexicalLengths, part, meta.documents));
  opened.length_classes_ =
      TRY(file.values<std::uint8_t>(kLexicalLengthClasses, part, meta.documents));
  opened.dictionary_ = TRY(TermDictionary::open(file, part, meta.terms));
  opened.postings_ = TRY(file.bytes(kLexicalPostings, part));
  opened.positions_ = TRY(file.bytes(kLexicalPositions, part));
  // Rows in order and in range: nothing that is looked up by them leaves its table. A row is in one
  // part only, and this is one pass over mapped memory.
  const std::uint64_t rows = file.identity().rows;
  for (std::size_t i = 0; i < opened.rows_.size(); ++i) {
    if (opened.rows_[i] >= rows || (i > 0 && opened.rows_[i] <= opened.rows_[i - 1])) {
      return file.damaged("the rows of part " + std::to_string(part) + " are not in order");
    }
  }
  return opened;
}

std::optional<std::uint32_t> LexicalPart::document_of(Row row) const {
  const auto found = std::lower_bound(rows_.begin(), rows_.end(), row);
  if (found == rows_.end() || *found != row) return std::nullopt;
  return static_cast<std::uint32_t>(found - rows_.begin());
}

std::string LexicalPart::check() const {
  for (std::size_t i = 0; i < lengths_.size(); ++i) {
    if (length_classes_[i] !=
        length_class::of(weighted_length(lengths_[i], meta_.title_weight, meta_.heading_weight))) {
      return "the length of row " + std::to_string(rows_[i]) + " is wrong";
    }
  }
  std::string previous;
  TermDictionary::Cursor cursor(dictionary_);
  PostingBlock block;
  std::uint32_t terms = 0;
  while (cursor.next()) {
    if (terms > 0 && cursor.term() <= previous) return "its terms are not sorted";
    previous = cursor.term();
    ++terms;
    const TermEntry& entry = dictionary_.entry(cursor.number());
    const PostingList list = postings(entry);
    std::uint32_t found = 0;
    std::size_t place = 0;
    for (std::uint32_t b = 0; b < list.blocks(); ++b) {
      if (!list.decode(b, block)) return "the postings of '" + previous + "' cannot be read";
      found += block.count;
      if (has_positions() && !check_positions(positions(entry), place, block)) {
        return "the positions of '" + previous + "' cannot be read";
      }
    }
    if (found == 0 || found != entry.document_frequency) {
      return "the postings of '" + previous + "' are incomplete";
    }
  }
  return terms == dictionary_.size() ? std::string() : "its dictionary cannot be read";
}

}  // namespace beleg

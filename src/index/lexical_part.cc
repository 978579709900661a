#include "index/lexical_part.h"

#include <algorithm>
#include <cstring>

namespace beleg {

/// Reads the terms of a front-coded block one after the other. Never leaves the section.
class LexicalPart::TermBlockReader {
 public:
  TermBlockReader(std::span<const std::byte> bytes, std::size_t offset)
      : bytes_(bytes), offset_(offset) {}

  /// False when the bytes are damaged.
  bool next() {
    const std::optional<std::uint32_t> shared = varint();
    const std::optional<std::uint32_t> rest = varint();
    if (!shared || !rest || *shared > term_.size() || *rest > bytes_.size() - offset_) return false;
    term_.resize(*shared);
    term_.append(reinterpret_cast<const char*>(bytes_.data()) + offset_, *rest);
    offset_ += *rest;
    return true;
  }
  [[nodiscard]] std::string_view term() const { return term_; }

 private:
  std::optional<std::uint32_t> varint() {
    std::uint32_t value = 0;
    for (std::uint32_t shift = 0; shift < 32 && offset_ < bytes_.size(); shift += 7) {
      const auto byte = std::to_integer<std::uint32_t>(bytes_[offset_++]);
      value |= (byte & 0x7fU) << shift;
      if (byte < 0x80) return value;
    }
    return std::nullopt;
  }

  std::span<const std::byte> bytes_;
  std::size_t offset_;
  std::string term_;
};

Result<LexicalPart> LexicalPart::open(const SectionFile& file, std::uint32_t part) {
  LexicalPart opened;
  opened.meta_ = TRY(file.values<LexicalMeta>(kLexicalMeta, part, 1))[0];
  const LexicalMeta& meta = opened.meta_;
  opened.language_.assign(meta.language, ::strnlen(meta.language, sizeof meta.language));
  opened.rows_ = TRY(file.values<Row>(kLexicalRows, part, meta.documents));
  opened.lengths_ = TRY(file.values<FieldLengths>(kLexicalLengths, part, meta.documents));
  opened.term_bytes_ = TRY(file.bytes(kLexicalTerms, part));
  const std::uint64_t blocks = (std::uint64_t{meta.terms} + kTermsPerBlock - 1) / kTermsPerBlock;
  opened.term_blocks_ = TRY(file.values<std::uint32_t>(kLexicalTermBlocks, part, blocks));
  opened.entries_ = TRY(file.values<TermEntry>(kLexicalTermEntries, part, meta.terms));
  opened.postings_ = TRY(file.bytes(kLexicalPostings, part));
  const std::uint64_t rows = file.identity().rows;
  for (std::size_t i = 0; i < opened.rows_.size(); ++i) {
    if (opened.rows_[i] >= rows || (i > 0 && opened.rows_[i] <= opened.rows_[i - 1])) {
      return file.damaged("the rows of part " + std::to_string(part) + " are not in order");
    }
  }
  for (const std::uint32_t offset : opened.term_blocks_) {
    if (offset > opened.term_bytes_.size()) {
      return file.damaged("the dictionary of part " + std::to_string(part) + " is damaged");
    }
  }
  return opened;
}

std::optional<std::uint32_t> LexicalPart::document_of(Row row) const {
  const auto found = std::lower_bound(rows_.begin(), rows_.end(), row);
  if (found == rows_.end() || *found != row) return std::nullopt;
  return static_cast<std::uint32_t>(found - rows_.begin());
}

std::optional<TermEntry> LexicalPart::find(std::string_view term) const {
  // The last block whose first term is not after `term`.
  std::size_t low = 0;
  std::size_t high = term_blocks_.size();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    TermBlockReader reader(term_bytes_, term_blocks_[middle]);
    if (reader.next() && reader.term() <= term) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == 0) return std::nullopt;
  const std::size_t first = (low - 1) * kTermsPerBlock;
  const std::size_t end = std::min<std::size_t>(first + kTermsPerBlock, entries_.size());
  TermBlockReader reader(term_bytes_, term_blocks_[low - 1]);
  for (std::size_t i = first; i < end && reader.next(); ++i) {
    if (reader.term() == term) return entries_[i];
    if (reader.term() > term) break;
  }
  return std::nullopt;
}

std::string LexicalPart::check() const {
  std::string previous;
  for (std::size_t i = 0; i < entries_.size(); i += kTermsPerBlock) {
    TermBlockReader reader(term_bytes_, term_blocks_[i / kTermsPerBlock]);
    const std::size_t end = std::min<std::size_t>(i + kTermsPerBlock, entries_.size());
    for (std::size_t t = i; t < end; ++t) {
      if (!reader.next()) return "its dictionary cannot be read";
      if (t > 0 && reader.term() <= previous) return "its terms are not sorted";
      previous = reader.term();
      const PostingList list = postings(entries_[t]);
      PostingBlock block;
      std::uint32_t found = 0;
      for (std::uint32_t b = 0; b < list.blocks(); ++b) {
        if (!list.decode(b, block)) return "the postings of '" + previous + "' cannot be read";
        found += block.count;
      }
      if (found == 0 || found != entries_[t].document_frequency) {
        return "the postings of '" + previous + "' are incomplete";
      }
    }
  }
  return {};
}

}  // namespace beleg

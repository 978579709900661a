#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "index/lexical_format.h"
#include "index/posting_list.h"
#include "index/rows.h"

namespace beleg {

/// The rows of one language: dictionary, postings, lengths; mapped. Documents are numbered within
/// the part; row_of() leads to the rows of the index. Thread-safe.
class LexicalPart {
 public:
  static Result<LexicalPart> open(const SectionFile& file, std::uint32_t part);

  [[nodiscard]] std::string_view language() const { return language_; }
  [[nodiscard]] std::uint32_t documents() const { return meta_.documents; }
  [[nodiscard]] std::uint32_t terms() const { return meta_.terms; }
  [[nodiscard]] const LexicalMeta& meta() const { return meta_; }
  [[nodiscard]] std::span<const FieldLengths> lengths() const { return lengths_; }
  /// Requires document < documents().
  [[nodiscard]] Row row_of(std::uint32_t document) const { return rows_[document]; }
  /// Empty when the row is in another part.
  [[nodiscard]] std::optional<std::uint32_t> document_of(Row row) const;

  /// Empty when the term is in no document of the part.
  [[nodiscard]] std::optional<TermEntry> find(std::string_view term) const;
  [[nodiscard]] PostingList postings(const TermEntry& entry) const {
    return {postings_, entry, meta_.documents};
  }
  /// Decodes everything; empty, or what is wrong.
  [[nodiscard]] std::string check() const;

 private:
  class TermBlockReader;

  std::string language_;
  LexicalMeta meta_;
  std::span<const Row> rows_;
  std::span<const FieldLengths> lengths_;
  std::span<const std::byte> term_bytes_;
  std::span<const std::uint32_t> term_blocks_;
  std::span<const TermEntry> entries_;
  std::span<const std::byte> postings_;
};

}  // namespace beleg

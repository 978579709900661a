#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "index/lexical_format.h"
#include "index/posting_list.h"
#include "index/rows.h"
#include "index/term_dictionary.h"

namespace beleg {

/// The rows of one language in a segment: dictionary, postings, lengths; mapped. Documents are
/// numbered within the part; row_of() leads to the rows of the segment. Thread-safe.
class LexicalPart {
 public:
  static Result<LexicalPart> open(const SectionFile& file, std::uint32_t part);

  [[nodiscard]] std::string_view language() const { return language_; }
  [[nodiscard]] std::uint32_t documents() const { return meta_.documents; }
  [[nodiscard]] const LexicalMeta& meta() const { return meta_; }
  [[nodiscard]] bool has_positions() const { return meta_.has_positions != 0; }
  [[nodiscard]] ImpactWeights weights() const { return {meta_.title_weight, meta_.heading_weight}; }
  [[nodiscard]] std::span<const FieldLengths> lengths() const { return lengths_; }
  /// Of the lengths by weights().
  [[nodiscard]] std::span<const std::uint8_t> length_classes() const { return length_classes_; }
  [[nodiscard]] std::span<const Row> rows() const { return rows_; }
  /// Requires document < documents().
  [[nodiscard]] Row row_of(std::uint32_t document) const { return rows_[document]; }
  /// Empty when the row is in another part.
  [[nodiscard]] std::optional<std::uint32_t> document_of(Row row) const;

  [[nodiscard]] const TermDictionary& dictionary() const { return dictionary_; }
  [[nodiscard]] PostingList postings(const TermEntry& entry) const {
    return {postings_, entry, meta_.documents};
  }
  /// From the term's first position to the end of the section; empty when the entry is damaged.
  [[nodiscard]] std::span<const std::byte> positions(const TermEntry& entry) const {
    return positions_.subspan(std::min<std::uint64_t>(entry.positions, positions_.size()));
  }
  /// Decodes everything; empty, or what is wrong.
  [[nodiscard]] std::string check() const;

 private:
  std::string language_;
  LexicalMeta meta_;
  std::span<const Row> rows_;
  std::span<const FieldLengths> lengths_;
  std::span<const std::uint8_t> length_classes_;
  TermDictionary dictionary_;
  std::span<const std::byte> postings_;
  std::span<const std::byte> positions_;
};

}  // namespace beleg

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"

namespace beleg {

/// What a filter can ask of a row, as the truth has it.
struct RowAttributes {
  PassageId passage{};
  VersionId version{};
  DocumentId document{};
  std::optional<UnixSeconds> published;
  std::string language;  ///< ISO 639-1 or "und".
  std::string source;
  std::string story;
  std::string domain;
  std::vector<std::string> access;
};

/// Conditions that must all hold. Evaluated before the search, never after it.
struct FilterSpec {
  std::vector<std::string> languages;  ///< Any of; empty means no condition. So for all lists.
  std::vector<std::string> sources;
  std::vector<std::string> stories;
  std::vector<std::string> domains;
  std::vector<DocumentId> documents;
  /// Rows without a date fail a condition on it.
  std::optional<UnixSeconds> published_from;   ///< Inclusive.
  std::optional<UnixSeconds> published_until;  ///< Exclusive.
  /// Labels the asker holds. A row with labels is visible only if one of them is held; rows without
  /// labels are visible to all. Always applied.
  std::vector<std::string> held_access;

  [[nodiscard]] bool operator==(const FilterSpec&) const = default;
};

/// The rows a search may return: one bit per row.
class RowFilter {
 public:
  explicit RowFilter(std::size_t rows) : bits_((rows + 63) / 64, 0), rows_(rows) {}
  void allow(Row row) { bits_[row >> 6U] |= std::uint64_t{1} << (row & 63U); }
  [[nodiscard]] bool allows(Row row) const { return ((bits_[row >> 6U] >> (row & 63U)) & 1U) != 0; }
  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t count() const;
  /// The bits, 64 rows a word, the lowest first; bits beyond the last row are zero.
  [[nodiscard]] const std::vector<std::uint64_t>& words() const { return bits_; }

 private:
  std::vector<std::uint64_t> bits_;
  std::size_t rows_;
};

/// One result of one retriever.
struct RowHit {
  Row row = 0;
  float score = 0.0F;
  friend bool operator==(const RowHit&, const RowHit&) = default;
};

}  // namespace beleg

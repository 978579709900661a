#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "index/text_condition.h"

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
  std::vector<TextCondition> texts;  ///< All of them.
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
  explicit RowFilter(std::size_t rows) : owned_((rows + 63) / 64, 0), words_(owned_), rows_(rows) {}
  /// A part of `whole`, which must outlive it: rows first … first + rows − 1, numbered from 0.
  /// `first` is a multiple of 64. Bits beyond the last row must be zero in `whole`.
  RowFilter(const RowFilter& whole, std::size_t first, std::size_t rows)
      : words_(whole.words_.subspan(first / 64, (rows + 63) / 64)), rows_(rows) {}
  RowFilter(RowFilter&& other) noexcept { *this = std::move(other); }
  RowFilter& operator=(RowFilter&& other) noexcept {
    const bool owner = !other.owned_.empty();
    owned_ = std::move(other.owned_);
    words_ = owner ? std::span<const std::uint64_t>(owned_) : other.words_;
    rows_ = other.rows_;
    return *this;
  }
  RowFilter(const RowFilter& other)
      : owned_(other.words_.begin(), other.words_.end()), words_(owned_), rows_(other.rows_) {}
  RowFilter& operator=(const RowFilter& other) {
    if (this != &other) *this = RowFilter(other);
    return *this;
  }
  ~RowFilter() = default;

  /// Not for a part of another filter.
  void allow(Row row) { owned_[row >> 6U] |= std::uint64_t{1} << (row & 63U); }
  /// All rows are allowed.
  static RowFilter all(std::size_t rows) {
    RowFilter filter(rows);
    for (std::uint64_t& word : filter.owned_) word = ~std::uint64_t{0};
    if (rows % 64 != 0) filter.owned_.back() = (std::uint64_t{1} << (rows % 64)) - 1;
    return filter;
  }
  /// Allows rows first, first + 1, … as `part` allows 0, 1, …, and `live` too unless it is empty.
  /// `first` is a multiple of 64.
  void place(const RowFilter& part, std::size_t first, std::span<const std::uint64_t> live) {
    for (std::size_t i = 0; i < part.words_.size(); ++i) {
      owned_[first / 64 + i] = part.words_[i] & (live.empty() ? ~std::uint64_t{0} : live[i]);
    }
  }
  [[nodiscard]] bool allows(Row row) const {
    return ((words_[row >> 6U] >> (row & 63U)) & 1U) != 0;
  }
  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t count() const;
  /// The bits, 64 rows a word, the lowest first; bits beyond the last row are zero.
  [[nodiscard]] std::span<const std::uint64_t> words() const { return words_; }

 private:
  std::vector<std::uint64_t> owned_;
  std::span<const std::uint64_t> words_;
  std::size_t rows_ = 0;
};

/// One result of one retriever.
struct RowHit {
  Row row = 0;
  float score = 0.0F;
  friend bool operator==(const RowHit&, const RowHit&) = default;
};

/// How parts of an index were searched, for explain.
struct SearchPass {
  std::string language;       ///< Of the parts, where the index has parts by language; else empty.
  std::string_view strategy;  ///< Static.
  std::size_t segments = 0;   ///< How many were searched so.
  friend bool operator==(const SearchPass&, const SearchPass&) = default;
};

/// Counts one more segment that was searched so.
void count_pass(std::vector<SearchPass>& passes, std::string_view language,
                std::string_view strategy);

}  // namespace beleg

#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "index/rows.h"
#include "index/section_file.h"

namespace beleg {

inline constexpr SectionFileKind kRowsFile{"BELEGROW", 1};

/// Distinct strings, sorted, found by binary search in the mapped file.
class StringTable {
 public:
  StringTable() = default;
  static Result<StringTable> open(const SectionFile& file, std::uint32_t part);

  [[nodiscard]] std::size_t size() const { return offsets_.empty() ? 0 : offsets_.size() - 1; }
  /// The string; empty when `id` is out of range or the table is damaged. Dies with the file.
  [[nodiscard]] std::string_view at(std::uint32_t id) const;
  /// Position of `text`, or size().
  [[nodiscard]] std::size_t find(std::string_view text) const;

 private:
  std::span<const std::uint32_t> offsets_;
  std::string_view text_;
};

/// Attributes of all rows, mapped. Thread-safe.
class RowTable {
 public:
  static Result<RowTable> open(const std::filesystem::path& path);

  [[nodiscard]] std::size_t rows() const { return passages_.size(); }
  [[nodiscard]] const SectionFile& file() const { return file_; }
  [[nodiscard]] RowAttributes attributes(Row row) const;
  [[nodiscard]] PassageId passage_of(Row row) const;
  [[nodiscard]] Result<Row> row_of(PassageId passage) const;
  [[nodiscard]] RowFilter make_filter(const FilterSpec& spec) const;
  /// Release dates, kRowNoDate where there is none.
  [[nodiscard]] std::span<const std::int64_t> published() const { return published_; }
  [[nodiscard]] std::span<const std::int64_t> passages() const { return passages_; }
  /// Languages of the rows in `live` with how many rows each has, most first.
  [[nodiscard]] std::vector<std::pair<std::string, std::size_t>> languages(
      const RowFilter& live) const;

 private:
  [[nodiscard]] std::vector<std::string> access_of(std::uint32_t set) const;
  [[nodiscard]] std::vector<std::uint8_t> visible_sets(const std::vector<std::string>& held) const;

  SectionFile file_;
  std::span<const std::int64_t> passages_;
  std::span<const std::int64_t> versions_;
  std::span<const std::int64_t> published_;
  std::span<const std::uint32_t> documents_;
  std::span<const std::int64_t> document_ids_;
  std::span<const std::uint32_t> languages_;
  std::span<const std::uint32_t> sources_;
  std::span<const std::uint32_t> stories_;
  std::span<const std::uint32_t> domains_;
  std::span<const std::uint32_t> access_;
  std::span<const std::uint32_t> set_offsets_;
  std::span<const std::uint32_t> set_labels_;
  StringTable language_names_;
  StringTable source_names_;
  StringTable story_names_;
  StringTable domain_names_;
  StringTable label_names_;
};

/// Collects the attributes of rows and writes the file.
class RowTableBuilder {
 public:
  /// Passage ids must ascend.
  Result<void> add(const RowAttributes& attributes);
  [[nodiscard]] std::size_t rows() const { return passages_.size(); }
  [[nodiscard]] IndexIdentity identity() const;
  Result<void> write(const std::filesystem::path& path) const;

 private:
  /// Strings numbered in the order of their first appearance; sorted when written.
  struct Interner {
    std::map<std::string, std::uint32_t, std::less<>> ids;
    std::uint32_t intern(std::string_view text);
  };

  std::vector<std::int64_t> passages_;
  std::vector<std::int64_t> versions_;
  std::vector<std::int64_t> documents_;
  std::vector<std::int64_t> published_;
  std::vector<std::uint32_t> languages_;
  std::vector<std::uint32_t> sources_;
  std::vector<std::uint32_t> stories_;
  std::vector<std::uint32_t> domains_;
  std::vector<std::uint32_t> access_;
  Interner language_names_;
  Interner source_names_;
  Interner story_names_;
  Interner domain_names_;
  std::map<std::vector<std::string>, std::uint32_t> access_sets_;
};

}  // namespace beleg

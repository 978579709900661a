#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "index/lexical_format.h"

namespace beleg {

/// The first eight bytes of a term as a number that sorts as they do, zeros where it is shorter.
[[nodiscard]] std::uint64_t term_prefix(std::string_view term);

/// The sorted terms of a part, front-coded in blocks, with where their postings are. Mapped;
/// whatever the bytes are, no access leaves them. Thread-safe.
class TermDictionary {
 public:
  TermDictionary() = default;
  /// kCorrupt when a block would start outside the section.
  static Result<TermDictionary> open(const SectionFile& file, std::uint32_t part,
                                     std::uint32_t terms);

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(entries_.size()); }
  /// The number of a term; empty when it is not there.
  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view term) const;
  /// Requires number < size().
  [[nodiscard]] const TermEntry& entry(std::uint32_t number) const { return entries_[number]; }

  /// Walks over the terms in order.
  class Cursor {
   public:
    explicit Cursor(const TermDictionary& dictionary) : dictionary_(&dictionary) {}
    /// False at the end, or where the bytes are damaged.
    bool next();
    [[nodiscard]] std::string_view term() const { return term_; }
    [[nodiscard]] std::uint32_t number() const { return number_; }

   private:
    const TermDictionary* dictionary_;
    std::string term_;
    std::size_t offset_ = 0;
    std::uint32_t number_ = 0;
    std::uint32_t next_ = 0;
  };

 private:
  std::span<const std::byte> bytes_;
  std::span<const std::uint32_t> blocks_;
  std::span<const std::uint64_t> prefixes_;
  std::span<const TermEntry> entries_;
};

/// Front-codes sorted, distinct terms.
class TermDictionaryBuilder {
 public:
  void add(std::string_view term, const TermEntry& entry);
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(entries_.size()); }
  /// kLimit when the terms take more than 4 GB.
  Result<void> add_sections(SectionFileWriter& file, std::uint32_t part) const;

 private:
  std::string bytes_;
  std::string previous_;
  std::vector<std::uint32_t> blocks_;
  std::vector<std::uint64_t> prefixes_;
  std::vector<TermEntry> entries_;
};

}  // namespace beleg

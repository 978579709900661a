#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/analyzer.h"

namespace beleg {

/// What a lexicon word may be; the bits are joined by "or".
enum LexiconFlags : std::uint8_t {
  kModifier = 1U << 0U,     ///< May stand before the last part.
  kHead = 1U << 1U,         ///< May be the last part as it is written.
  kStem = 1U << 2U,         ///< A stem: the last part may be any inflection of it.
  kSimplexWord = 1U << 3U,  ///< A word or stem of a word that is never split.
};
inline constexpr std::uint8_t kAllLexiconFlags = kModifier | kHead | kStem | kSimplexWord;

/// A word of the lexicon, folded by fold_german, in Latin-1: one byte per letter.
struct LexiconEntry {
  std::string word;
  std::uint32_t count = 0;  ///< Occurrences in the corpus, those of the shipped list added.
  std::uint8_t flags = 0;
};

/// Splits by dictionary. A hash table of words, probed with a rolling hash, so that looking up all
/// substrings of a word costs one multiplication each.
class DictionaryLexicon final : public CompoundLexicon {
 public:
  /// `entries` sorted by word, without duplicates, words of 2 to 255 letters.
  explicit DictionaryLexicon(const std::vector<LexiconEntry>& entries);

  [[nodiscard]] std::vector<std::string> split(std::string_view word) const override;
  [[nodiscard]] std::string serialize() const override;

  [[nodiscard]] std::size_t size() const { return records_.size(); }

 private:
  struct Record {
    std::uint32_t offset = 0;  // In pool_.
    std::uint32_t count = 0;
    float cost = 0;  // Negative logarithm of the word's relative frequency.
    std::uint8_t length = 0;
    std::uint8_t flags = 0;
  };
  struct Slot {
    std::uint32_t tag = 0;     // High half of the hash.
    std::uint32_t record = 0;  // Index + 1; 0 is empty.
  };
  struct Step;

  [[nodiscard]] const Record* find(std::uint64_t hash, std::string_view word) const;
  [[nodiscard]] const Record* find(std::string_view word) const;
  [[nodiscard]] std::string_view word_of(const Record& record) const {
    return std::string_view(pool_).substr(record.offset, record.length);
  }
  void add_modifiers(std::string_view word, std::size_t start, std::vector<Step>& steps) const;
  void add_unknown_modifiers(std::string_view word, std::size_t start,
                             std::vector<Step>& steps) const;
  void add_heads(std::string_view word, std::string_view stem, std::size_t start,
                 std::vector<Step>& steps) const;
  [[nodiscard]] bool worth_splitting(std::string_view word, const std::vector<Step>& steps) const;

  std::string pool_;
  std::vector<Record> records_;
  std::vector<Slot> slots_;
};

/// The stem by which inflections of a head are found, in Latin-1, umlauts stripped by the stemmer.
[[nodiscard]] std::string lexicon_stem(std::string_view latin1_word);

/// The byte form: see compound_lexicon_format.cc. Nothing when the bytes are damaged.
[[nodiscard]] std::string serialize_lexicon(const std::vector<LexiconEntry>& entries);
[[nodiscard]] std::optional<std::vector<LexiconEntry>> parse_lexicon(std::string_view bytes);

}  // namespace beleg

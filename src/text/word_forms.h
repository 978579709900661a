#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "text/analyzer.h"

namespace beleg {

/// What one word without punctuation becomes in the index.
struct WordForms {
  struct Part {
    std::string term;
    float weight = 1.0F;       ///< Relative to the word.
    std::uint32_t number = 0;  ///< Of the term in the sink that WordCache::find was asked for.
  };
  std::string term;
  std::uint32_t number = 0;  ///< As of a part.
  std::vector<Part> parts;   ///< Of a compound; without the term itself.
  bool stop_word = false;
};

/// Turns words of one language into terms. Immutable, thread-safe.
class WordNormalizer {
 public:
  virtual ~WordNormalizer() = default;
  /// `folded` comes from append_folded; its apostrophes are written '.
  [[nodiscard]] virtual WordForms forms_of(std::string_view folded) const = 0;
  /// Weight of the parts of a hyphenated word relative to the whole.
  [[nodiscard]] virtual float hyphen_part_weight() const { return 0.8F; }
  /// Whether the language writes a decimal comma.
  [[nodiscard]] virtual bool has_decimal_comma() const { return true; }
};

/// Umlaut folding, Snowball, compounds (`compounds` may be null).
[[nodiscard]] std::unique_ptr<WordNormalizer> make_german_normalizer(
    std::shared_ptr<const CompoundLexicon> compounds);
/// Accents off, possessives off, Snowball.
[[nodiscard]] std::unique_ptr<WordNormalizer> make_english_normalizer();
/// The folded word as it is: every other language.
[[nodiscard]] std::unique_ptr<WordNormalizer> make_plain_normalizer();

/// Remembers the forms of frequent words, so that stemming, splitting and numbering are paid once.
/// Belongs to one thread; analyzers and sinks share it, told apart by their ids.
class WordCache {
 public:
  WordCache();
  ~WordCache();
  WordCache(const WordCache&) = delete;
  WordCache& operator=(const WordCache&) = delete;

  /// The forms of `folded` by `normalizer`, whose id is `owner`, with the numbers of `sink`. The
  /// reference holds until the next call.
  [[nodiscard]] const WordForms& find(const WordNormalizer& normalizer, std::uint64_t owner,
                                      TermSink& sink, std::string_view folded);

 private:
  struct Slot;
  std::vector<Slot> slots_;
  WordForms uncached_;
};

/// The cache of the calling thread.
[[nodiscard]] WordCache& word_cache_of_this_thread();

}  // namespace beleg

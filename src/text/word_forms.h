#pragma once

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
    float weight = 1.0F;  ///< Relative to the word.
  };
  std::string term;
  std::vector<Part> parts;  ///< Of a compound; without the term itself.
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
/// Accents off, no stemming: every other language.
[[nodiscard]] std::unique_ptr<WordNormalizer> make_plain_normalizer();

}  // namespace beleg

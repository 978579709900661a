#pragma once

#include <cstdint>
#include <string_view>

namespace beleg {

// All words are folded by append_folded and come without their final point; `language` is an
// ISO 639-1 code. Languages other than German and English use the lists of both.

enum class AbbreviationKind : std::uint8_t {
  kNone,
  kInside,    ///< The sentence goes on after it: "Dr.", "z.B.", "e.g."
  kAnywhere,  ///< May be the last word of a sentence: "usw.", "Inc.", "p.m."
};

[[nodiscard]] AbbreviationKind abbreviation_kind(std::string_view word, std::string_view language);

/// "Nr.", "Abs.", "No.", "Fig.": an abbreviation where a number follows.
[[nodiscard]] bool is_abbreviation_before_number(std::string_view word);

/// Articles, pronouns, prepositions and the like: capitalised only where a sentence starts.
[[nodiscard]] bool is_sentence_starter(std::string_view word, std::string_view language);

/// Months, "Jahrhundert" and other nouns that a German ordinal stands before.
[[nodiscard]] bool follows_ordinal(std::string_view word);

}  // namespace beleg

#pragma once

#include <cstdint>
#include <string_view>

namespace beleg {

/// Word classes that the planning rules tell apart; a word may have several.
enum class WordClass : std::uint32_t {
  kNone = 0,
  kInterrogative = 1U << 0,      ///< wer, wann, welche; who, when, which
  kInterrogativeNoun = 1U << 1,  ///< An interrogative that a noun follows: welche, which, whose
  kAuxiliary = 1U << 2,          ///< Finite forms of to be, to have, modal verbs, do-support
  kVerb = 1U << 3,               ///< Other frequent finite verbs (English: base forms)
  kPreposition = 1U << 4,
  kDeterminer = 1U << 5,
  kPersonal = 1U << 6,       ///< Third-person pronouns: sie, er, ihn; they, it, him
  kPossessive = 1U << 7,     ///< ihre, sein, deren; its, their
  kDemonstrative = 1U << 8,  ///< diese, dies; this, these
  kPronominal = 1U << 9,     ///< dafür, davon, dagegen
  kSubject = 1U << 10,       ///< Pronouns that are a subject: man, ich, es; you, it, there
  kCoordinator = 1U << 11,
  kSubordinator = 1U << 12,
  kAdverb = 1U << 13,      ///< Frequent adverbs and particles, lower-case
  kDegree = 1U << 14,      ///< Adjectives and adverbs that "wie"/"how" asks for: hoch, lange
  kReciprocal = 1U << 15,  ///< zusammen, einander; together, both
  kCompareCue = 1U << 16,  ///< unterschied, vergleich, vs; difference, compared
  kRequest = 1U << 17,     ///< Opens a request: erkläre, nenne; explain, tell
  kParticiple = 1U << 18,  ///< Irregular participles (English)
};

constexpr WordClass operator|(WordClass a, WordClass b) {
  return static_cast<WordClass>(static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b));
}
/// True when `word` has one of the classes in `wanted`.
constexpr bool has_class(WordClass word, WordClass wanted) {
  return (static_cast<std::uint32_t>(word) & static_cast<std::uint32_t>(wanted)) != 0;
}

/// The classes of a folded (lower-case) word; kNone for a word the table does not have.
/// Thread-safe.
[[nodiscard]] WordClass classify_word(std::string_view folded, bool german);

/// True when `word` is one of the words in `list`, which are separated by single spaces.
[[nodiscard]] bool is_one_of(std::string_view word, std::string_view list);
/// True when `word` ends with one of the endings in `list`.
[[nodiscard]] bool ends_with_one_of(std::string_view word, std::string_view list);

/// Lower-cases ASCII and the Latin-1 letters (ÄÖÜ …) of UTF-8 text; the length in bytes stays.
void fold_case(std::string_view text, char* out);

}  // namespace beleg

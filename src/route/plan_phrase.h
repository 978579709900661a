#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "route/plan_words.h"

namespace beleg {

/// What opens a question: "wann", "an welchen Medikamenten zur Behandlung von Alzheimer", "how many
/// drugs", "wie hoch".
struct QuestionPhrase {
  enum class Kind : std::uint8_t {
    kBare,    ///< wer, was, wann, how
    kNoun,    ///< welche Nebenwirkungen, how many drugs
    kDegree,  ///< wie hoch, how old
  };
  WordRange range;       ///< With the preposition before it.
  std::size_t head = 0;  ///< The interrogative.
  WordRange noun;        ///< kNoun: the noun phrase without interrogative.
  Kind kind = Kind::kBare;

  [[nodiscard]] bool has_preposition() const { return head > range.begin; }
};

/// Parses the question phrase that starts at word `at`, none when no such phrase starts there.
[[nodiscard]] std::optional<QuestionPhrase> parse_question_phrase(const Words& words,
                                                                  std::size_t at, std::size_t end);

/// How a clause goes on after its question phrase.
enum class ClauseShape : std::uint8_t {
  kNothing,   ///< The clause ends: "… und warum?"
  kDirect,    ///< A finite verb follows: "wie wirkt es", "how does it work".
  kEmbedded,  ///< The verb stands elsewhere: "wie es wirkt", "how it works".
  kVerbless,  ///< Words follow, none of them a finite verb: "wann Schiller".
};
[[nodiscard]] ClauseShape shape_after(const Words& words, const QuestionPhrase& phrase,
                                      std::size_t end);

/// True when the word can be a finite verb: in the tables, or by its ending.
[[nodiscard]] bool looks_finite(const Words& words, std::size_t i);
/// True for forms of "sein" and "to be".
[[nodiscard]] bool is_copula(const Words& words, std::size_t i);

/// The noun phrase at or soon after word `at`: determiner, adjectives, nouns and close attributes.
/// Skips pronouns and adverbs before it. Empty when there is none.
[[nodiscard]] WordRange find_noun_phrase(const Words& words, std::size_t at, std::size_t end);

/// Skips adverbs and "wenn ja,", "if so," after a coordinator.
[[nodiscard]] std::size_t skip_fillers(const Words& words, std::size_t at, std::size_t end);

/// `end` without trailing punctuation.
[[nodiscard]] std::size_t trim_end(const Words& words, std::size_t begin, std::size_t end);

}  // namespace beleg

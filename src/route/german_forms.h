#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace beleg {

/// Small German morphology for the sub-questions. Every function leaves a word as it is where its
/// rule is not sure: a form that is slightly off is found by the stemmer, a wrong word is not.

/// The nominative plural of a noun in the dative plural: "Medikamenten" → "Medikamente",
/// "Ländern" → "Länder", "Mitteln" → "Mittel"; "Patienten", "Studien", "Zellen" stay.
[[nodiscard]] std::string nominative_plural(std::string_view dative_plural);

enum class GermanCase { kNominative, kAccusative, kDative };

/// A noun phrase, word by word, in another case: articles, adjectives before the noun and, for the
/// dative plural, the noun. `plural` tells about the phrase's own number.
[[nodiscard]] std::string recase(const std::vector<std::string>& words, GermanCase target,
                                 bool plural);

/// The positive of a comparative: "besser" → "gut", "gefährlicher" → "gefährlich", "höher" →
/// "hoch". Empty when the word is not a comparative that the rule knows.
[[nodiscard]] std::string german_positive(std::string_view comparative);

/// The third person singular of a finite plural: "haben" → "hat", "wirken" → "wirkt". Empty when
/// unsure (strong verbs with a vowel change are in a table).
[[nodiscard]] std::string german_singular_verb(std::string_view plural);
/// The third person plural of a finite singular: "hat" → "haben"; empty when unsure.
[[nodiscard]] std::string german_plural_verb(std::string_view singular);

/// True when a finite verb is plural by its form: "sind", "haben", "wirken", "wirkten".
[[nodiscard]] bool is_plural_verb(std::string_view folded);

/// True when the noun has an ending that (nearly) only plurals have: "-ungen", "-ien", "-innen", …
[[nodiscard]] bool is_surely_plural(std::string_view noun);
/// True when the noun might be a plural: it ends in -e, -en, -er, -eln, -ern or -s.
[[nodiscard]] bool may_be_plural(std::string_view noun);

/// The gender that the ending of a noun tells: 'f' (-ung, -heit), 'm' (-ismus), 'n' (-chen), or 0.
[[nodiscard]] char gender_by_ending(std::string_view noun);

}  // namespace beleg

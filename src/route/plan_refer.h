#pragma once

#include <string>
#include <vector>

#include "route/plan_phrase.h"
#include "route/plan_words.h"

namespace beleg {

/// Something that the first clause speaks of and a later clause may refer to by a pronoun.
struct Antecedent {
  std::string nominative;
  std::string accusative;
  std::string dative;
  std::string noun;  ///< The bare noun or name, folded: to recognise "dieses Medikament".
  bool plural = false;
  char gender =
      0;  ///< 'm', 'f', 'n', 'x' for masculine or neuter, 'p' for a person asked for; 0 unknown.
  bool asked_for = false;  ///< The noun of the question phrase: not yet known, so a weak topic.
  bool relative =
      false;  ///< Ends with a relative clause: a comma must follow unless the text ends.
};

/// The noun phrases of the first clause, the most likely antecedents first.
[[nodiscard]] std::vector<Antecedent> find_antecedents(const Words& words, WordRange clause);

/// The noun of a question phrase without its interrogative, in the nominative, as a phrase that can
/// stand in a statement: "welches neue Medikament" → "das neue Medikament". `verb` is the finite
/// verb.
[[nodiscard]] std::string question_noun(const Words& words, const QuestionPhrase& phrase,
                                        std::size_t verb);

struct ResolvedClause {
  std::string text;
  bool referred = false;  ///< A pronoun was found and replaced.
};

/// The words of `clause` with its pronouns replaced by what they refer to. Where a clause without
/// pronoun has no topic of its own ("… und welche Risiken gibt es?"), the first antecedent is
/// added ("bei Casgevy").
[[nodiscard]] ResolvedClause resolve_references(const Words& words, WordRange clause,
                                                const std::vector<Antecedent>& antecedents);

/// True when the clause has a pronoun that points back.
[[nodiscard]] bool has_pronoun(const Words& words, WordRange clause);

}  // namespace beleg

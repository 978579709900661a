#pragma once

#include <string>
#include <vector>

#include "route/plan.h"
#include "route/plan_phrase.h"
#include "route/plan_refer.h"
#include "route/plan_words.h"

namespace beleg {

/// What the rules made of one sentence. Without sub-questions nothing applied.
struct Decomposition {
  std::vector<SubQuestion> questions;
  PlanReason reason = PlanReason::kSingle;
  PlanFeatures features;  ///< Only those that the rules themselves set.
};

/// Coordinated clauses, elliptic clauses and several question words. `antecedents` are those of an
/// earlier sentence, for pronouns in the first clause.
[[nodiscard]] Decomposition split_clauses(const Words& words, WordRange sentence,
                                          const std::vector<Antecedent>& antecedents);

/// The question that `phrase` asks with the verb and the rest of `base`: base "Wann wurde Casgevy
/// zugelassen", phrase "für welche Krankheit" → "Für welche Krankheit wurde Casgevy zugelassen?".
/// `part` holds the phrase and what follows it. Empty when it cannot be formed.
[[nodiscard]] std::string complete_ellipsis(const Words& words, WordRange base,
                                            const QuestionPhrase& phrase, WordRange part);

/// True when a later question phrase leaves out the noun of the first: "Which countries …, and
/// which …", "Wie viel Energie …, und wie viel …".
[[nodiscard]] bool shares_noun(const Words& words, const QuestionPhrase& first,
                               const QuestionPhrase& later);

/// English: "When did Croatia adopt the euro, and when did Bulgaria?" → "When did Bulgaria adopt
/// the euro?". Empty when `part` has a verb of its own.
[[nodiscard]] std::string complete_verb_ellipsis(const Words& words, WordRange base,
                                                 const QuestionPhrase& phrase, WordRange part);

/// True when the range opens like a question or a request for an answer.
[[nodiscard]] bool opens_question(const Words& words, WordRange range);

}  // namespace beleg

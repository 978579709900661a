#pragma once

#include <vector>

#include "index/condition_words.h"
#include "index/lexical_part.h"
#include "index/rows.h"

namespace beleg {

/// The rows of `allowed` (over the segment's rows) in `part` that meet the condition, ascending.
/// `words` are those of the condition in the language of the part; without words no row meets it.
[[nodiscard]] std::vector<Row> search_condition(const LexicalPart& part,
                                                const std::vector<ConditionWord>& words,
                                                const TextCondition& condition,
                                                const RowFilter& allowed);

}  // namespace beleg

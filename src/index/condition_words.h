#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "index/text_condition.h"
#include "text/analyzer.h"

namespace beleg {

/// One word of a condition in the terms of one part of the index.
struct ConditionWord {
  std::vector<std::string> terms;  ///< Forms of the same word: any of them will do. Never empty.
  std::uint32_t offset = 0;        ///< Its position, counted from the first word.
};

/// The words of a condition as texts with this analyzer have them. The parts of compounds and
/// identifiers are left out, since the whole is asked for; the words that a reference to a
/// provision is written with, since the reference stands for them; and stop words as the kind says.
[[nodiscard]] std::vector<ConditionWord> condition_words(const Analyzer& analyzer,
                                                         std::string_view text,
                                                         TextConditionKind kind);

}  // namespace beleg

#pragma once

#include <string_view>

namespace beleg {

/// How much a word speaks for German and for English.
struct WordEvidence {
  double german = 0;
  double english = 0;
};

/// Evidence of a function word or interrogative, folded by append_folded; none for other words.
[[nodiscard]] WordEvidence function_word_evidence(std::string_view word);

}  // namespace beleg

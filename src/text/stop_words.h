#pragma once

#include <string_view>

namespace beleg {

/// Whether a word folded by fold_german carries no content of its own in German text.
[[nodiscard]] bool is_german_stop_word(std::string_view word);

/// Whether a folded word without accents, its apostrophes written ', carries no content of its own
/// in English text.
[[nodiscard]] bool is_english_stop_word(std::string_view word);

}  // namespace beleg

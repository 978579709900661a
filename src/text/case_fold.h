#pragma once

#include <string>
#include <string_view>

namespace beleg {

/// Appends to `out` the word in lower case, NFKC, without soft hyphens and zero-width characters:
/// Unicode's NFKC_Casefold, so that "Straße" and "STRASSE" are one word and so are "ﬁ" and "fi".
void append_folded(std::string_view word, std::string& out);

/// Replaces letters of a folded word by what writers put for them: accented Latin and Greek ones by
/// their base letters ("café" → "cafe"), "ё" by "е"; Arabic vowel signs and Hebrew points go. With
/// `keep_umlauts`, ä, ö and ü stay.
[[nodiscard]] std::string strip_accents(std::string_view folded, bool keep_umlauts);

/// True when every byte is ASCII.
[[nodiscard]] bool is_ascii(std::string_view text);

}  // namespace beleg

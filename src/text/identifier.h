#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/span.h"

namespace beleg {

/// A piece of an identifier, its offsets relative to the identifier.
struct IdentifierPart {
  ByteSpan span;
  bool letters_only = false;  ///< A word, to be stemmed like any other.
};

/// The pieces of an identifier: between punctuation, and in pieces up to 64 bytes also at the humps
/// of camelCase and where letters and digits meet ("covid19"). Empty when there is only one piece.
[[nodiscard]] std::vector<IdentifierPart> split_identifier(std::string_view token);

/// The form in which a number is looked up, empty when the token is not one number. Separators of
/// thousands go and the decimal sign becomes a point: "1.234,5" (German) and "1,234.5" (English)
/// are both "1234.5". `comma_decimal`: whether the language writes a decimal comma.
[[nodiscard]] std::string canonical_number(std::string_view token, bool comma_decimal);

/// "U.S.A" → "USA", "z.B" → "zB"; empty when the token is not single letters with points.
[[nodiscard]] std::string join_acronym(std::string_view token);

/// A URL without scheme, "www." and a final slash, so that its usual spellings are one term.
[[nodiscard]] std::string_view canonical_url(std::string_view url);

/// "Bürger:innen", "Bürger*innen", "Bürger_innen", "Bürger/innen", "BürgerInnen": the bytes before
/// the feminine ending, 0 when the token has no such form.
[[nodiscard]] std::size_t gender_form_stem(std::string_view token);

}  // namespace beleg

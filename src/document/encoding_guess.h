#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace beleg {

/// What kind of binary file the first bytes announce ("a PNG image"), or empty.
[[nodiscard]] std::string_view binary_kind(std::string_view bytes);

/// True when more control characters stand in `text` than any text has (tabs, line ends, form
/// feeds, back spaces and escapes do not count).
[[nodiscard]] bool too_many_controls(std::string_view text);

/// UTF-16 without a byte order mark: true for big endian, false for little, empty when it is
/// neither.
[[nodiscard]] std::optional<bool> looks_like_utf16(std::string_view bytes);

/// True when bytes that are not valid UTF-8 are UTF-8 with some damage: there are at least as many
/// well-formed sequences of several bytes as bytes that fit into none.
[[nodiscard]] bool is_mostly_utf8(std::string_view bytes);

/// Bytes 0x80 to 0x9F: control characters in ISO 8859, letters and quotes in Windows code pages.
[[nodiscard]] bool has_c1_bytes(std::string_view bytes);

/// Upper-case name of an encoding that ICU can decode ("latin1" → "ISO-8859-1"), or empty.
[[nodiscard]] std::string canonical_encoding(std::string_view label);

/// The most likely encoding of bytes that are not UTF-8. Text in Latin letters is read as one of
/// the Western European encodings only: the others would differ in letters that nobody can check.
[[nodiscard]] std::string guess_legacy_encoding(std::string_view bytes);

}  // namespace beleg

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace beleg {

/// One byte per letter: a form for German words in which offsets are letter counts. Nothing when a
/// character lies outside Latin-1.
[[nodiscard]] std::optional<std::string> utf8_to_latin1(std::string_view utf8);
[[nodiscard]] std::string latin1_to_utf8(std::string_view latin1);

}  // namespace beleg

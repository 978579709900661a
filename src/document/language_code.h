#pragma once

#include <string>
#include <string_view>

namespace beleg {

/// The ISO 639-1 code of what a source calls a language: "de-DE", "de_AT.UTF-8", "ger", "deu",
/// "German" and "Deutsch" are all "de". Empty when the name is not known.
[[nodiscard]] std::string language_code(std::string_view name);

}  // namespace beleg

#pragma once

#include <string>
#include <string_view>

namespace beleg {

/// Brings the spellings of a German word to one: accents go, ae, oe and ue that stand for an umlaut
/// become one ("kuendigung" → "kündigung"; but "neue", "quelle", "aktuell" stay), ß is already ss.
/// Takes a word folded by append_folded. Folding a folded word changes nothing.
[[nodiscard]] std::string fold_german(std::string_view folded);

}  // namespace beleg

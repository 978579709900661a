#pragma once

#include <string>
#include <string_view>

namespace beleg {

/// A language guess: ISO 639-1 code, or "und" when the text does not tell.
struct LanguageGuess {
  std::string code = "und";
  double confidence = 0.0;  ///< In [0,1].
};

/// Detects the language of a document or a question. Short input is decided by German and English
/// function words, umlauts and character statistics; below 0.5 the code is "und". Thread-safe.
[[nodiscard]] LanguageGuess detect_language(std::string_view text);

}  // namespace beleg

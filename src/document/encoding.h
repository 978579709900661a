#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace beleg {

struct DecodedText {
  std::string text;                ///< Valid UTF-8, no byte order mark, line ends "\n".
  std::string encoding;            ///< "UTF-8", "UTF-16LE", "WINDOWS-1252", "ISO-8859-15", …
  std::uint32_t replacements = 0;  ///< U+FFFD put in for undecodable bytes.
};

/// Detects the encoding of text and decodes it without loss. `declared` (from a <meta> or header)
/// is used when the bytes allow it. Errors: kUnsupported when the bytes are binary, not text.
Result<DecodedText> decode_text(std::string_view bytes, std::string_view declared = {});

}  // namespace beleg

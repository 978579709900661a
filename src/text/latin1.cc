#include "text/latin1.h"

#include "text/characters.h"
#include "text/utf8.h"

namespace beleg {

std::optional<std::string> utf8_to_latin1(std::string_view utf8) {
  std::string latin1;
  latin1.reserve(utf8.size());
  for (std::size_t i = 0; i < utf8.size();) {
    const DecodedChar decoded = decode_at(utf8, i);
    if (decoded.code_point > 0xFF) return std::nullopt;
    latin1.push_back(static_cast<char>(decoded.code_point));
    i += decoded.length;
  }
  return latin1;
}

std::string latin1_to_utf8(std::string_view latin1) {
  std::string utf8;
  utf8.reserve(latin1.size() + 4);
  for (const char c : latin1) append_utf8(static_cast<unsigned char>(c), utf8);
  return utf8;
}

}  // namespace beleg

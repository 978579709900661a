#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace beleg {

/// What a character means to the word breaker.
enum class CharClass : std::uint8_t {
  kSeparator,   ///< White space, punctuation, symbols.
  kLower,       ///< A letter that is not upper case, scripts without case included.
  kUpper,       ///< An upper-case or title-case letter.
  kDigit,       ///< A decimal digit, or a superscript or subscript one.
  kMark,        ///< A combining mark: belongs to the letter before it.
  kIgnorable,   ///< Soft hyphen, zero-width characters, direction marks.
  kHyphen,      ///< ASCII hyphen and the two Unicode hyphens.
  kApostrophe,  ///< ASCII and typographic apostrophes and what people type instead.
  kConnector,   ///< Other punctuation that may stand inside an identifier.
  kDictionary,  ///< Of a script whose words are found by dictionary: Chinese, Japanese, Thai …
  kNonAscii,    ///< Only in the table of bytes: look at the whole character.
};

/// One decoded character. A malformed byte is a separator of length 1, so that analysis never
/// fails.
struct DecodedChar {
  char32_t code_point = 0;
  std::uint32_t length = 1;
};

[[nodiscard]] DecodedChar decode_at(std::string_view text, std::size_t position);

/// The class of a character outside ASCII.
[[nodiscard]] CharClass classify(char32_t code_point);

namespace detail {
consteval std::array<CharClass, 256> make_byte_classes() {
  std::array<CharClass, 256> classes{};
  for (std::size_t c = 0; c < 256; ++c) {
    classes[c] = c >= 0x80 ? CharClass::kNonAscii : CharClass::kSeparator;
  }
  for (std::size_t c = 'a'; c <= 'z'; ++c) classes[c] = CharClass::kLower;
  for (std::size_t c = 'A'; c <= 'Z'; ++c) classes[c] = CharClass::kUpper;
  for (std::size_t c = '0'; c <= '9'; ++c) classes[c] = CharClass::kDigit;
  for (const char c : {'_', '/', '\\', '.', ':', ',', '@', '&', '+', '#', '*'}) {
    classes[static_cast<unsigned char>(c)] = CharClass::kConnector;
  }
  classes['-'] = CharClass::kHyphen;
  classes['\''] = CharClass::kApostrophe;
  classes['`'] = CharClass::kApostrophe;
  return classes;
}
}  // namespace detail

inline constexpr std::array<CharClass, 256> kByteClasses = detail::make_byte_classes();

[[nodiscard]] inline CharClass byte_class(char byte) {
  return kByteClasses[static_cast<unsigned char>(byte)];
}

/// The class of the character at `position` and its length in bytes.
struct ClassAt {
  CharClass char_class = CharClass::kSeparator;
  std::uint32_t length = 1;
};

[[nodiscard]] inline ClassAt class_at(std::string_view text, std::size_t position) {
  const CharClass by_byte = byte_class(text[position]);
  if (by_byte != CharClass::kNonAscii) return {by_byte, 1};
  const DecodedChar decoded = decode_at(text, position);
  return {decoded.length == 1 ? CharClass::kSeparator : classify(decoded.code_point),
          decoded.length};
}

}  // namespace beleg

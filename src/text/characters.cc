#include "text/characters.h"

#include <unicode/uchar.h>

#include <algorithm>

namespace beleg {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// Scripts written without spaces between words, sorted; punctuation of theirs is left out.
constexpr Range kDictionaryRanges[] = {
    {0x0E01, 0x0E4E},   {0x0E81, 0x0EDF},   {0x1000, 0x103F}, {0x1050, 0x108F}, {0x1780, 0x17D3},
    {0x1980, 0x19DF},   {0x2E80, 0x2FDF},   {0x3005, 0x3007}, {0x3021, 0x3029}, {0x3031, 0x3035},
    {0x3038, 0x303B},   {0x3041, 0x309F},   {0x30A1, 0x30FA}, {0x30FC, 0x30FF}, {0x31F0, 0x31FF},
    {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xAA60, 0xAA7F}, {0xF900, 0xFAFF}, {0xFF66, 0xFF9F},
    {0x1B000, 0x1B16F}, {0x20000, 0x3FFFD},
};

bool needs_dictionary(char32_t c) {
  if (c < kDictionaryRanges[0].first) return false;
  const auto* after =
      std::upper_bound(std::begin(kDictionaryRanges), std::end(kDictionaryRanges), c,
                       [](char32_t value, const Range& range) { return value < range.first; });
  return c <= (after - 1)->last;
}

CharClass classify_by_category(char32_t c) {
  switch (u_charType(static_cast<UChar32>(c))) {
    case U_UPPERCASE_LETTER:
    case U_TITLECASE_LETTER:
      return CharClass::kUpper;
    case U_LOWERCASE_LETTER:
    case U_MODIFIER_LETTER:
    case U_OTHER_LETTER:
    case U_LETTER_NUMBER:
      return CharClass::kLower;
    case U_DECIMAL_DIGIT_NUMBER:
      return CharClass::kDigit;
    case U_OTHER_NUMBER:
      // Of these only the superscripts and subscripts read as digits: m², CO₂.
      return u_getNumericValue(static_cast<UChar32>(c)) >= 0 &&
                     (c <= 0xB9 || (c >= 0x2070 && c <= 0x2089))
                 ? CharClass::kDigit
                 : CharClass::kSeparator;
    case U_NON_SPACING_MARK:
    case U_ENCLOSING_MARK:
    case U_COMBINING_SPACING_MARK:
      return CharClass::kMark;
    case U_FORMAT_CHAR:
      return CharClass::kIgnorable;
    default:
      return CharClass::kSeparator;
  }
}

}  // namespace

DecodedChar decode_at(std::string_view text, std::size_t position) {
  const auto byte = [&](std::size_t i) -> char32_t {
    return static_cast<unsigned char>(text[position + i]);
  };
  const auto is_tail = [&](std::size_t i) {
    return position + i < text.size() && (byte(i) & 0xC0U) == 0x80U;
  };
  const char32_t lead = byte(0);
  if (lead < 0x80U) return {lead, 1};
  if (lead >= 0xC2U && lead < 0xE0U && is_tail(1)) {
    return {((lead & 0x1FU) << 6U) | (byte(1) & 0x3FU), 2};
  }
  if (lead >= 0xE0U && lead < 0xF0U && is_tail(1) && is_tail(2)) {
    return {((lead & 0x0FU) << 12U) | ((byte(1) & 0x3FU) << 6U) | (byte(2) & 0x3FU), 3};
  }
  if (lead >= 0xF0U && lead < 0xF5U && is_tail(1) && is_tail(2) && is_tail(3)) {
    return {((lead & 0x07U) << 18U) | ((byte(1) & 0x3FU) << 12U) | ((byte(2) & 0x3FU) << 6U) |
                (byte(3) & 0x3FU),
            4};
  }
  return {0xFFFD, 1};
}

CharClass classify(char32_t c) {
  if (c >= 0xC0 && c <= 0xFF) {  // The umlauts and accents of Western Europe, first.
    if (c == 0xD7 || c == 0xF7) return CharClass::kSeparator;
    return c <= 0xDE ? CharClass::kUpper : CharClass::kLower;
  }
  switch (c) {
    case 0x00AD:  // Soft hyphen.
    case 0x034F:  // Combining grapheme joiner.
    case 0x180E:
    case 0xFEFF:  // Byte order mark.
      return CharClass::kIgnorable;
    case 0x00B4:  // Acute accent, often typed for an apostrophe.
    case 0x02BC:
    case 0x2018:
    case 0x2019:
    case 0xFF07:
      return CharClass::kApostrophe;
    case 0x2010:
    case 0x2011:  // Non-breaking hyphen.
      return CharClass::kHyphen;
    default:
      break;
  }
  if (c >= 0xFE00 && c <= 0xFE0F) return CharClass::kIgnorable;  // Variation selectors.
  if (needs_dictionary(c)) return CharClass::kDictionary;
  return classify_by_category(c);
}

}  // namespace beleg

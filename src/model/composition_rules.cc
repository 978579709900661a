#include "model/composition_rules.h"

#include <unicode/unorm2.h>
#include <unicode/utf16.h>

#include <array>

#include "text/utf8.h"

namespace beleg {
namespace {

// The scripts that have composed characters, without Hangul: Latin to Kana, then the Brahmic
// scripts beyond the first plane.
constexpr std::array<std::pair<UChar32, UChar32>, 2> kRanges = {
    {{0xc0, 0x3400}, {0x11000, 0x12000}}};

std::string to_utf8(const UChar* units, std::int32_t length) {
  std::string text;
  for (std::int32_t i = 0; i < length;) {
    UChar32 code_point = 0;
    U16_NEXT(units, i, length, code_point);
    append_utf8(static_cast<char32_t>(code_point), text);
  }
  return text;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> canonical_compositions() {
  std::vector<std::pair<std::string, std::string>> rules;
  UErrorCode error = U_ZERO_ERROR;
  const UNormalizer2* nfc = unorm2_getNFCInstance(&error);
  if (U_FAILURE(error)) return rules;
  std::array<UChar, 32> pair{};
  std::array<UChar, 32> full{};
  for (const auto& [begin, end] : kRanges) {
    for (UChar32 c = begin; c < end; ++c) {
      error = U_ZERO_ERROR;
      const std::int32_t length =
          unorm2_getRawDecomposition(nfc, c, pair.data(), pair.size(), &error);
      if (length < 2 || U_FAILURE(error)) continue;
      UChar32 first = 0;
      UChar32 second = 0;
      std::int32_t at = 0;
      U16_NEXT(pair.data(), at, length, first);
      if (at == length) continue;  // A singleton: one character stands for another.
      U16_NEXT(pair.data(), at, length, second);
      if (unorm2_composePair(nfc, first, second) != c)
        continue;  // Never composed (Unicode UAX 15).
      std::string composed;
      append_utf8(static_cast<char32_t>(c), composed);
      rules.emplace_back(to_utf8(pair.data(), length), composed);
      const std::int32_t full_length =
          unorm2_getDecomposition(nfc, c, full.data(), full.size(), &error);
      if (U_SUCCESS(error) && full_length > length) {
        rules.emplace_back(to_utf8(full.data(), full_length), composed);
      }
    }
  }
  return rules;
}

}  // namespace beleg

#include "text/case_fold.h"

#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/stringpiece.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <array>

#include "text/characters.h"
#include "text/utf8.h"

namespace beleg {
namespace {

// Base letters of U+00E0 … U+017F; upper-case code points hold the same as their lower-case ones.
constexpr std::array<std::string_view, 0x180 - 0xE0> kBaseLetters = {
    "a", "a", "a", "a", "a", "a", "ae", "c",  "e", "e", "e",  "e",  "i",  "i", "i", "i", "d", "n",
    "o", "o", "o", "o", "o", "",  "o",  "u",  "u", "u", "u",  "y",  "th", "y", "a", "a", "a", "a",
    "a", "a", "c", "c", "c", "c", "c",  "c",  "c", "c", "d",  "d",  "d",  "d", "e", "e", "e", "e",
    "e", "e", "e", "e", "e", "e", "g",  "g",  "g", "g", "g",  "g",  "g",  "g", "h", "h", "h", "h",
    "i", "i", "i", "i", "i", "i", "i",  "i",  "i", "i", "ij", "ij", "j",  "j", "k", "k", "k", "l",
    "l", "l", "l", "l", "l", "l", "l",  "l",  "l", "n", "n",  "n",  "n",  "n", "n", "n", "n", "n",
    "o", "o", "o", "o", "o", "o", "oe", "oe", "r", "r", "r",  "r",  "r",  "r", "s", "s", "s", "s",
    "s", "s", "s", "s", "t", "t", "t",  "t",  "t", "t", "u",  "u",  "u",  "u", "u", "u", "u", "u",
    "u", "u", "u", "u", "w", "w", "y",  "y",  "y", "z", "z",  "z",  "z",  "z", "z", "s"};

constexpr char32_t kCapitalDottedI = 0x130;

// Letters of Latin-1 and Latin Extended-A whose NFKC_Casefold is one precomposed letter.
bool folds_to_one_letter(char32_t c) {
  if (c < 0xC0 || c > 0x17F) return false;
  switch (c) {
    case kCapitalDottedI:
    case 0x132:
    case 0x133:
    case 0x13F:
    case 0x140:
    case 0x149:
    case 0x17F:
      return false;
    default:
      return true;
  }
}

// Marks that writers leave out: combining accents, Hebrew points, Arabic vowel signs and the
// stretching of Arabic words.
bool is_optional_mark(char32_t c) {
  return (c >= 0x300 && c <= 0x36F) || (c >= 0x591 && c <= 0x5BD) || (c >= 0x610 && c <= 0x61A) ||
         c == 0x640 || (c >= 0x64B && c <= 0x65F) || c == 0x670;
}

// The letter that writers put instead of one beyond U+017F: Latin and Greek ones lose their
// accents, "ё" is written "е", and Arabic alif and ya lose what stands on or under them.
char32_t plain_letter(char32_t c) {
  if (c == 0x451) return 0x435;
  if (c == 0x622 || c == 0x623 || c == 0x625) return 0x627;
  if (c == 0x649) return 0x64A;
  const bool latin = (c >= 0x180 && c < 0x250) || (c >= 0x1E00 && c < 0x1F00);
  const bool greek = (c >= 0x386 && c < 0x3D0) || (c >= 0x1F00 && c < 0x2000);
  if (!latin && !greek) return c;
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* normalizer = icu::Normalizer2::getNFDInstance(status);
  icu::UnicodeString decomposed;
  if (U_FAILURE(status) || !normalizer->getDecomposition(static_cast<UChar32>(c), decomposed)) {
    return c;
  }
  return static_cast<char32_t>(decomposed.char32At(0));
}

void append_folded_by_icu(std::string_view word, std::string& out) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* normalizer = icu::Normalizer2::getNFKCCasefoldInstance(status);
  const std::size_t before = out.size();
  if (U_SUCCESS(status)) {
    icu::StringByteSink<std::string> sink(&out);
    normalizer->normalizeUTF8(0,
                              icu::StringPiece(word.data(), static_cast<std::int32_t>(word.size())),
                              sink, nullptr, status);
  }
  if (U_SUCCESS(status)) return;
  // Without ICU's data the word stays as it is written: still found by those who write it so.
  out.resize(before);
  out.append(word);
}

}  // namespace

bool is_ascii(std::string_view text) {
  unsigned char all = 0;
  for (const char c : text) all = static_cast<unsigned char>(all | static_cast<unsigned char>(c));
  return all < 0x80U;
}

void append_folded(std::string_view word, std::string& out) {
  const std::size_t before = out.size();
  for (std::size_t i = 0; i < word.size();) {
    const char c = word[i];
    if (static_cast<unsigned char>(c) < 0x80U) {
      out.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c);
      ++i;
      continue;
    }
    const DecodedChar decoded = decode_at(word, i);
    if (decoded.code_point == 0xDF) {
      out.append("ss");
    } else if (decoded.code_point == kCapitalDottedI) {
      out.push_back('i');  // Its case folding would be an i with a second dot.
    } else if (folds_to_one_letter(decoded.code_point)) {
      const UChar32 folded =
          u_foldCase(static_cast<UChar32>(decoded.code_point), U_FOLD_CASE_DEFAULT);
      append_utf8(static_cast<char32_t>(folded), out);
    } else if (decoded.code_point != 0xAD) {
      out.resize(before);
      append_folded_by_icu(word, out);
      return;
    }
    i += decoded.length;
  }
}

std::string strip_accents(std::string_view folded, bool keep_umlauts) {
  std::string stripped;
  stripped.reserve(folded.size());
  for (std::size_t i = 0; i < folded.size();) {
    const DecodedChar decoded = decode_at(folded, i);
    const char32_t c = decoded.code_point;
    const bool umlaut = c == 0xE4 || c == 0xF6 || c == 0xFC;
    if (c >= 0xE0 && c < 0x180 && c != 0xF7 && !(keep_umlauts && umlaut)) {
      stripped.append(kBaseLetters[c - 0xE0]);
    } else if (c < 0x180) {
      stripped.append(folded.substr(i, decoded.length));
    } else if (!is_optional_mark(c)) {
      const char32_t plain = plain_letter(c);
      if (plain == c) {
        stripped.append(folded.substr(i, decoded.length));
      } else {
        append_utf8(plain, stripped);
      }
    }
    i += decoded.length;
  }
  return stripped;
}

}  // namespace beleg

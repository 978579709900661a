#include "document/encoding.h"

#include <unicode/ucnv.h>
#include <unicode/utf16.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "document/encoding_guess.h"
#include "text/utf8.h"

namespace beleg {
namespace {

struct CloseConverter {
  void operator()(UConverter* converter) const { ucnv_close(converter); }
};
using Converter = std::unique_ptr<UConverter, CloseConverter>;

void append_replacement(DecodedText& out) {
  out.text += "\xEF\xBF\xBD";
  ++out.replacements;
}

/// "\r\n" and "\r" become "\n", in place.
void normalize_line_ends(std::string& text) {
  const std::size_t first = text.find('\r');
  if (first == std::string::npos) return;
  std::size_t write = first;
  for (std::size_t read = first; read < text.size(); ++read) {
    if (text[read] == '\r') {
      text[write++] = '\n';
      if (read + 1 < text.size() && text[read + 1] == '\n') ++read;
    } else {
      text[write++] = text[read];
    }
  }
  text.resize(write);
}

/// Decodes UTF-8 with U+FFFD for each maximal part that cannot be a character (Unicode 15.0,
/// section 3.9, "U+FFFD Substitution of Maximal Subparts").
DecodedText decode_utf8_lossy(std::string_view bytes) {
  DecodedText out{.text = {}, .encoding = "UTF-8", .replacements = 0};
  out.text.reserve(bytes.size());
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  const std::size_t length = bytes.size();
  std::size_t i = 0;
  while (i < length) {
    const std::size_t start = i;
    UChar32 code_point = 0;
    U8_NEXT(data, i, length, code_point);
    if (code_point < 0) {
      append_replacement(out);
    } else {
      out.text.append(bytes, start, i - start);
    }
  }
  return out;
}

DecodedText decode_utf16(std::string_view bytes, bool big_endian) {
  DecodedText out{.text = {}, .encoding = big_endian ? "UTF-16BE" : "UTF-16LE", .replacements = 0};
  out.text.reserve(bytes.size());
  const auto unit_at = [&](std::size_t i) {
    const auto first = static_cast<std::uint8_t>(bytes[i]);
    const auto second = static_cast<std::uint8_t>(bytes[i + 1]);
    return static_cast<char16_t>(big_endian ? first << 8U | second : second << 8U | first);
  };
  std::size_t i = 0;
  for (; i + 1 < bytes.size(); i += 2) {
    const char16_t unit = unit_at(i);
    if (!U16_IS_SURROGATE(unit)) {
      append_utf8(unit, out.text);
    } else if (U16_IS_LEAD(unit) && i + 3 < bytes.size() && U16_IS_TRAIL(unit_at(i + 2))) {
      append_utf8(static_cast<char32_t>(U16_GET_SUPPLEMENTARY(unit, unit_at(i + 2))), out.text);
      i += 2;
    } else {
      append_replacement(out);
    }
  }
  if (i < bytes.size()) append_replacement(out);
  return out;
}

/// A single-byte encoding, by a table of all 256 bytes made once per call.
std::optional<DecodedText> decode_single_byte(UConverter* converter, std::string_view bytes) {
  std::array<std::string, 128> high;
  for (unsigned byte = 0x80; byte < 0x100; ++byte) {
    const char source = static_cast<char>(byte);
    std::array<UChar, 4> target{};
    UErrorCode status = U_ZERO_ERROR;
    const std::int32_t length = ucnv_toUChars(converter, target.data(), 4, &source, 1, &status);
    if (U_FAILURE(status) || length != 1) return std::nullopt;
    append_utf8(target[0], high[byte - 0x80]);
  }
  DecodedText out;
  out.text.reserve(bytes.size() + bytes.size() / 8);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<std::uint8_t>(bytes[i]);
    if (byte < 0x80) {
      out.text.push_back(bytes[i]);
      continue;
    }
    const std::string& character = high[byte - 0x80U];
    if (character == "\xEF\xBF\xBD") ++out.replacements;
    out.text += character;
  }
  return out;
}

/// Any other encoding, in blocks through UTF-16.
std::optional<DecodedText> decode_multi_byte(UConverter* converter, std::string_view bytes) {
  DecodedText out;
  out.text.reserve(bytes.size() + bytes.size() / 2);
  std::vector<UChar> block(1U << 14U);
  const char* source = bytes.data();
  const char* const source_end = source + bytes.size();
  char16_t lead = 0;
  bool more = true;
  while (more) {
    UChar* target = block.data();
    UErrorCode status = U_ZERO_ERROR;
    ucnv_toUnicode(converter, &target, block.data() + block.size(), &source, source_end, nullptr, 1,
                   &status);
    more = status == U_BUFFER_OVERFLOW_ERROR;
    if (U_FAILURE(status) && !more) return std::nullopt;
    for (const UChar* unit = block.data(); unit != target; ++unit) {
      if (U16_IS_LEAD(*unit)) {
        lead = *unit;
      } else if (U16_IS_TRAIL(*unit)) {
        append_utf8(static_cast<char32_t>(U16_GET_SUPPLEMENTARY(lead, *unit)), out.text);
      } else {
        if (*unit == 0xfffd) ++out.replacements;
        append_utf8(*unit, out.text);
      }
    }
  }
  return out;
}

std::optional<DecodedText> decode_as(const std::string& encoding, std::string_view bytes) {
  UErrorCode status = U_ZERO_ERROR;
  const Converter converter(ucnv_open(encoding.c_str(), &status));
  if (U_FAILURE(status)) return std::nullopt;
  const bool single = ucnv_getMaxCharSize(converter.get()) == 1;
  auto out = single ? decode_single_byte(converter.get(), bytes)
                    : decode_multi_byte(converter.get(), bytes);
  if (out) out->encoding = encoding;
  return out;
}

std::unexpected<Error> binary(std::string_view reason) {
  return fail(ErrorCode::kUnsupported, "not text: " + std::string(reason),
              "give a text file, or name the file after its real kind");
}

/// UTF-16 by its byte order mark, or without one where half of the bytes of ASCII characters are
/// NUL. UTF-32 is told apart and refused.
Result<std::optional<DecodedText>> try_utf16(std::string_view bytes) {
  const bool utf32 = bytes.starts_with(std::string_view("\xFF\xFE\0\0", 4)) ||
                     bytes.starts_with(std::string_view("\0\0\xFE\xFF", 4));
  if (utf32) {
    return fail(ErrorCode::kUnsupported, "encoded in UTF-32", "convert the file to UTF-8");
  }
  if (bytes.starts_with("\xFF\xFE")) return decode_utf16(bytes.substr(2), false);
  if (bytes.starts_with("\xFE\xFF")) return decode_utf16(bytes.substr(2), true);
  const auto big_endian = looks_like_utf16(bytes);
  if (!big_endian) return std::nullopt;
  auto decoded = decode_utf16(bytes, *big_endian);
  if (decoded.replacements != 0 || too_many_controls(decoded.text)) return std::nullopt;
  return decoded;
}

/// The bytes are neither UTF-8 nor UTF-16: what was declared, if it fits, else what is likely.
DecodedText decode_legacy(std::string_view bytes, std::string_view declared) {
  const std::string named = canonical_encoding(declared);
  const bool foreign = !named.empty() && named != "UTF-8" && !named.starts_with("UTF-16");
  if (foreign) {
    const bool latin = named == "ISO-8859-1" || named == "ISO-8859-15";
    const std::string encoding = latin && has_c1_bytes(bytes) ? "WINDOWS-1252" : named;
    auto decoded = decode_as(encoding, bytes);
    if (decoded && decoded->replacements == 0) return *std::move(decoded);
  }
  const std::string guess = guess_legacy_encoding(bytes);
  if (auto decoded = decode_as(guess, bytes); decoded && decoded->replacements == 0) {
    return *std::move(decoded);
  }
  // Windows-1252 has a character for every byte, so this one cannot fail.
  auto decoded = decode_as("WINDOWS-1252", bytes);
  return decoded ? *std::move(decoded) : decode_utf8_lossy(bytes);
}

}  // namespace

Result<DecodedText> decode_text(std::string_view bytes, std::string_view declared) {
  if (const auto kind = binary_kind(bytes); !kind.empty()) return binary(kind);
  DecodedText out;
  if (auto utf16 = TRY(try_utf16(bytes))) {
    out = *std::move(utf16);
  } else {
    if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
    if (std::memchr(bytes.data(), 0, bytes.size()) != nullptr) {
      return binary("it contains NUL bytes");
    }
    if (is_valid_utf8(bytes)) {
      out = {.text = std::string(bytes), .encoding = "UTF-8", .replacements = 0};
    } else if (is_mostly_utf8(bytes)) {
      out = decode_utf8_lossy(bytes);
    } else {
      out = decode_legacy(bytes, declared);
    }
  }
  if (too_many_controls(out.text)) return binary("it is full of control characters");
  normalize_line_ends(out.text);
  return out;
}

}  // namespace beleg

#include "document/encoding_guess.h"

#include <uchardet.h>
#include <unicode/ucnv.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>

namespace beleg {
namespace {

constexpr std::size_t kSampleBytes = 1U << 18U;  // Detectors settle long before this.

bool is_c0_control(unsigned char c) {
  const bool usual = (c >= '\b' && c <= '\r') || c == 0x1b;
  return (c < 0x20 && !usual) || c == 0x7f;
}

bool is_letter(unsigned char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

std::string ascii_upper(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return upper;
}

std::string detect_with_uchardet(std::string_view bytes) {
  const std::unique_ptr<uchardet, decltype(&uchardet_delete)> detector(uchardet_new(),
                                                                       &uchardet_delete);
  if (!detector) return {};
  const auto sample = bytes.substr(0, kSampleBytes);
  if (uchardet_handle_data(detector.get(), sample.data(), sample.size()) != 0) return {};
  uchardet_data_end(detector.get());
  return canonical_encoding(uchardet_get_charset(detector.get()));
}

struct ByteCounts {
  std::size_t high = 0;
  std::size_t letters = 0;  // ASCII.
  std::size_t c1 = 0;
  std::size_t a4 = 0;  // The euro sign of ISO-8859-15, the currency sign nobody uses elsewhere.
};

ByteCounts count_bytes(std::string_view bytes) {
  ByteCounts counts;
  for (const char c : bytes.substr(0, kSampleBytes)) {
    const auto byte = static_cast<unsigned char>(c);
    counts.high += byte >= 0x80 ? 1 : 0;
    counts.letters += is_letter(byte) ? 1 : 0;
    counts.c1 += byte >= 0x80 && byte < 0xa0 ? 1 : 0;
    counts.a4 += byte == 0xa4 ? 1 : 0;
  }
  return counts;
}

}  // namespace

std::string_view binary_kind(std::string_view bytes) {
  using Magic = std::pair<std::string_view, std::string_view>;
  static constexpr std::array<Magic, 17> kMagic{{
      {"%PDF-", "it is a PDF file"},
      {"\x89PNG\r\n", "it is a PNG image"},
      {"\xFF\xD8\xFF", "it is a JPEG image"},
      {"GIF87a", "it is a GIF image"},
      {"GIF89a", "it is a GIF image"},
      {"\x7F"
       "ELF",
       "it is an ELF program"},
      {"PK\x03\x04", "it is a ZIP archive (or a .docx, .xlsx, .odt, .epub file)"},
      {"\x1F\x8B", "it is gzip-compressed"},
      {"BZh9", "it is bzip2-compressed"},
      {"\xFD"
       "7zXZ",
       "it is xz-compressed"},
      {"\x28\xB5\x2F\xFD", "it is zstd-compressed"},
      {"7z\xBC\xAF", "it is a 7z archive"},
      {"Rar!\x1A", "it is a RAR archive"},
      {"SQLite format 3", "it is an SQLite database"},
      {"\xD0\xCF\x11\xE0", "it is an old Microsoft Office file"},
      {"{\\rtf", "it is an RTF file"},
      {"wOFF", "it is a font"},
  }};
  for (const auto& [magic, kind] : kMagic) {
    if (bytes.starts_with(magic)) return kind;
  }
  return {};
}

bool too_many_controls(std::string_view text) {
  std::size_t controls = 0;
  for (const char c : text) controls += is_c0_control(static_cast<unsigned char>(c)) ? 1 : 0;
  return controls >= 2 && controls * 20 > text.size();  // More than 5 %.
}

std::optional<bool> looks_like_utf16(std::string_view bytes) {
  const auto sample = bytes.substr(0, kSampleBytes);
  if (bytes.size() < 4 || bytes.size() % 2 != 0) return std::nullopt;
  std::array<std::size_t, 2> zeros{};
  for (std::size_t i = 0; i < sample.size(); ++i) zeros[i % 2] += sample[i] == '\0' ? 1 : 0;
  const std::size_t enough = sample.size() / 2 / 10 + 1;  // A tenth of all units: the blanks.
  if (zeros[1] >= enough && zeros[0] == 0) return false;
  if (zeros[0] >= enough && zeros[1] == 0) return true;
  return std::nullopt;
}

bool is_mostly_utf8(std::string_view bytes) {
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  const std::size_t length = bytes.size();
  std::size_t good = 0;
  std::size_t bad = 0;
  std::size_t i = 0;
  while (i < length) {
    UChar32 code_point = 0;
    U8_NEXT(data, i, length, code_point);
    if (code_point < 0) {
      ++bad;
    } else if (code_point >= 0x80) {
      ++good;
    }
  }
  return good > 0 && good >= bad;
}

bool has_c1_bytes(std::string_view bytes) {
  return std::any_of(bytes.begin(), bytes.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x80 && byte < 0xa0;
  });
}

std::string canonical_encoding(std::string_view label) {
  if (label.empty() || label.size() > 40) return {};
  const std::string upper = ascii_upper(label);
  if (upper == "ASCII" || upper == "US-ASCII" || upper == "ANSI_X3.4-1968") return "WINDOWS-1252";
  if (upper == "UTF8") return "UTF-8";
  // A text in UTF-7 can hide markup from whoever looked at it before us.
  if (upper.contains("UTF-7") || upper.contains("UTF7")) return {};
  UErrorCode status = U_ZERO_ERROR;
  const char* name = ucnv_getStandardName(upper.c_str(), "MIME", &status);
  if (name == nullptr || U_FAILURE(status)) {
    status = U_ZERO_ERROR;
    name = ucnv_getStandardName(upper.c_str(), "IANA", &status);
  }
  return name == nullptr || U_FAILURE(status) ? std::string() : ascii_upper(name);
}

std::string guess_legacy_encoding(std::string_view bytes) {
  const ByteCounts counts = count_bytes(bytes);
  std::string detected = detect_with_uchardet(bytes);
  const bool latin_script = counts.high * 2 < counts.letters;
  if (!latin_script && !detected.empty() && detected != "UTF-8") return detected;
  if (counts.c1 > 0) return "WINDOWS-1252";
  if (detected == "ISO-8859-15" || counts.a4 > 0) return "ISO-8859-15";
  return detected == "WINDOWS-1252" ? "WINDOWS-1252" : "ISO-8859-1";
}

}  // namespace beleg

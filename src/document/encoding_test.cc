#include "document/encoding.h"

#include <gtest/gtest.h>

#include <string>

#include "document/encoding_guess.h"
#include "text/utf8.h"

namespace beleg {
namespace {

using std::string_literals::operator""s;

std::string utf16(std::u16string_view text, bool big_endian) {
  std::string bytes;
  for (const char16_t unit : text) {
    const auto high = static_cast<char>(unit >> 8U);
    const auto low = static_cast<char>(unit & 0xffU);
    bytes += big_endian ? std::string{high, low} : std::string{low, high};
  }
  return bytes;
}

TEST(DecodeText, Utf8IsTakenAsItIs) {
  const auto text = decode_text("Käse – 3 € 🧀");
  ASSERT_TRUE(text);
  EXPECT_EQ(text->text, "Käse – 3 € 🧀");
  EXPECT_EQ(text->encoding, "UTF-8");
  EXPECT_EQ(text->replacements, 0U);
}

TEST(DecodeText, ByteOrderMarkIsDropped) {
  const auto text = decode_text(
      "\xEF\xBB\xBF"
      "Käse");
  ASSERT_TRUE(text);
  EXPECT_EQ(text->text, "Käse");
  EXPECT_EQ(text->encoding, "UTF-8");
}

TEST(DecodeText, LineEndsBecomeNewlines) {
  const auto text = decode_text("a\r\nb\rc\n\r\nd\r");
  ASSERT_TRUE(text);
  EXPECT_EQ(text->text, "a\nb\nc\n\nd\n");
}

TEST(DecodeText, DecomposedUmlautsStayAsTheyAre) {
  const auto text = decode_text("Ka\xCC\x88se");
  ASSERT_TRUE(text);
  EXPECT_EQ(text->text, "Ka\xCC\x88se");
}

TEST(DecodeText, Latin1) {
  const auto text = decode_text(
      "F\xFC"
      "r die K\xE4"
      "ufer gr\xF6\xDF"
      "erer H\xE4"
      "user gilt das nicht.");
  ASSERT_TRUE(text);
  EXPECT_EQ(text->text, "Für die Käufer größerer Häuser gilt das nicht.");
  EXPECT_TRUE(text->encoding == "ISO-8859-1" || text->encoding == "WINDOWS-1252") << text->encoding;
  EXPECT_EQ(text->replacements, 0U);
}

TEST(DecodeText, Windows1252) {
  const auto text = decode_text(
      "\x84Gr\xFC\xDF"
      "e\x93 \x96 f\xFC"
      "r 5 \x80 \x97 sagt er\x85");
  ASSERT_TRUE(text);
  EXPECT_EQ(text->text, "„Grüße“ – für 5 € — sagt er…");
  EXPECT_EQ(text->encoding, "WINDOWS-1252");
  EXPECT_EQ(text->replacements, 0U);
}

TEST(DecodeText, EveryHighByteOfWindows1252HasACharacter) {
  for (unsigned byte = 0x80; byte < 0x100; ++byte) {
    const std::string bytes =
        "Gr\xFC\xDF"
        "e aus K\xF6ln, \x84"
        "so " +
        std::string(1, static_cast<char>(byte)) + " und mehr Text";
    const auto text = decode_text(bytes);
    ASSERT_TRUE(text) << byte;
    EXPECT_EQ(text->replacements, 0U) << byte;
    EXPECT_TRUE(is_valid_utf8(text->text)) << byte;
    EXPECT_EQ(count_code_points(text->text), bytes.size()) << byte;
    EXPECT_TRUE(text->text.starts_with("Grüße aus Köln, „so ")) << text->text;
  }
}

TEST(DecodeText, Latin9HasTheEuroSign) {
  const auto text = decode_text("Der Preis betr\xE4gt 20 \xA4 f\xFCr alle K\xE4ufer.");
  ASSERT_TRUE(text);
  EXPECT_EQ(text->text, "Der Preis beträgt 20 € für alle Käufer.");
  EXPECT_EQ(text->encoding, "ISO-8859-15");
}

TEST(DecodeText, DeclaredEncodingIsUsed) {
  // E6 is "ć" in ISO-8859-2 and "æ" in the Western ones.
  const auto text = decode_text("Jo\xB9ko \xC6iri\xE6", "ISO-8859-2");
  ASSERT_TRUE(text);
  EXPECT_EQ(text->text, "Joško Ćirić");
  EXPECT_EQ(text->encoding, "ISO-8859-2");
}

TEST(DecodeText, DeclaredLatin1WithWindowsQuotesIsWindows) {
  const auto text = decode_text(
      "\x84"
      "f\xFC"
      "r\x93",
      "iso-8859-1");
  ASSERT_TRUE(text);
  EXPECT_EQ(text->text, "„für“");
  EXPECT_EQ(text->encoding, "WINDOWS-1252");
}

TEST(DecodeText, Utf8WinsOverAWrongDeclaration) {
  const auto text = decode_text("für Käse", "iso-8859-1");
  ASSERT_TRUE(text);
  EXPECT_EQ(text->text, "für Käse");
  EXPECT_EQ(text->encoding, "UTF-8");
}

TEST(DecodeText, WrongOrHostileDeclarationsDoNoHarm) {
  for (const char* declared : {"no-such-charset", "utf-7", "UTF-16", "", "\xff\xff", "utf-8"}) {
    const auto text = decode_text(
        "f\xFC"
        "r alle K\xE4ufer",
        declared);
    ASSERT_TRUE(text) << declared;
    EXPECT_EQ(text->text, "für alle Käufer") << declared;
  }
}

TEST(DecodeText, Utf16WithMark) {
  for (const bool big_endian : {false, true}) {
    const auto text =
        decode_text((big_endian ? "\xFE\xFF"s : "\xFF\xFE"s) + utf16(u"Käse\r\n🧀", big_endian));
    ASSERT_TRUE(text);
    EXPECT_EQ(text->text, "Käse\n🧀");
    EXPECT_EQ(text->encoding, big_endian ? "UTF-16BE" : "UTF-16LE");
    EXPECT_EQ(text->replacements, 0U);
  }
}

TEST(DecodeText, Utf16WithoutMark) {
  for (const bool big_endian : {false, true}) {
    const auto text = decode_text(utf16(u"Größere Häuser für alle", big_endian));
    ASSERT_TRUE(text);
    EXPECT_EQ(text->text, "Größere Häuser für alle");
    EXPECT_EQ(text->encoding, big_endian ? "UTF-16BE" : "UTF-16LE");
  }
}

TEST(DecodeText, BrokenUtf16IsCounted) {
  const auto text = decode_text("\xFF\xFE"s +
                                utf16(u"ab\xD83D"
                                      u"c",
                                      false) +
                                "x");
  ASSERT_TRUE(text);
  EXPECT_EQ(text->text, "ab\uFFFDc\uFFFD");
  EXPECT_EQ(text->replacements, 2U);
}

TEST(DecodeText, DamagedUtf8IsRepairedAndCounted) {
  // C3 alone, 80 alone, E2 82 cut off (one maximal part), and good umlauts around them.
  const auto text = decode_text("Käse \xC3 für \x80 Öl \xE2\x82 und Ähren");
  ASSERT_TRUE(text);
  EXPECT_EQ(text->text, "Käse \uFFFD für \uFFFD Öl \uFFFD und Ähren");
  EXPECT_EQ(text->encoding, "UTF-8");
  EXPECT_EQ(text->replacements, 3U);
}

TEST(DecodeText, CyrillicWithoutDeclaration) {
  // Windows-1251.
  const auto text = decode_text(
      "\xCF\xF0\xE8\xE2\xE5\xF2, \xEC\xE8\xF0! \xDD\xF2\xEE \xEF\xF0\xEE\xF1\xF2\xEE\xE9 "
      "\xF2\xE5\xEA\xF1\xF2 \xED\xE0 \xF0\xF3\xF1\xF1\xEA\xEE\xEC \xFF\xE7\xFB\xEA\xE5.");
  ASSERT_TRUE(text);
  EXPECT_EQ(text->text, "Привет, мир! Это простой текст на русском языке.");
  EXPECT_EQ(text->encoding, "WINDOWS-1251");
}

TEST(DecodeText, BinaryIsRefusedWithAReason) {
  const std::pair<std::string, const char*> cases[] = {
      {"%PDF-1.4\nanything", "PDF"},
      {"\x89PNG\r\n\x1a\n1234"s, "PNG"},
      {"\x7F"
       "ELF\x02\x01\x01\0\0\0"s,
       "ELF"},
      {"PK\x03\x04zip", "ZIP"},
      {"text with a \0 inside, and more text"s, "NUL"},
      {"\x01\x02\x03\x04 text \x05\x06\x0e", "control"},
      {"\xFF\xFE\0\0a\0\0\0"s, "UTF-32"},
  };
  for (const auto& [bytes, reason] : cases) {
    const auto text = decode_text(bytes);
    ASSERT_FALSE(text) << reason;
    EXPECT_EQ(text.error().code, ErrorCode::kUnsupported);
    EXPECT_NE(text.error().message.find(reason), std::string::npos) << text.error().message;
    EXPECT_FALSE(text.error().remedy.empty());
  }
}

TEST(DecodeText, EmptyAndTinyInputs) {
  EXPECT_EQ(decode_text("")->text, "");
  EXPECT_EQ(decode_text("a")->text, "a");
  EXPECT_EQ(decode_text("\xFF\xFE")->text, "");
  EXPECT_EQ(decode_text("\xE4")->text, "ä");
}

TEST(CanonicalEncoding, KnowsAliases) {
  EXPECT_EQ(canonical_encoding("latin1"), "ISO-8859-1");
  EXPECT_EQ(canonical_encoding("cp1252"), "WINDOWS-1252");
  EXPECT_EQ(canonical_encoding("Utf-8"), "UTF-8");
  EXPECT_EQ(canonical_encoding("nonsense"), "");
}

}  // namespace
}  // namespace beleg

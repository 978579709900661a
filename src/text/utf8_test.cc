#include "text/utf8.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace beleg {
namespace {

// The slow, obvious reading of RFC 3629, to compare with.
bool is_valid_slowly(std::string_view bytes) {
  for (std::size_t i = 0; i < bytes.size();) {
    const auto lead = static_cast<unsigned char>(bytes[i]);
    const std::size_t length = lead < 0x80    ? 1
                               : lead < 0xC0  ? 0
                               : lead < 0xE0  ? 2
                               : lead < 0xF0  ? 3
                               : lead <= 0xF7 ? 4
                                              : 0;
    if (length == 0 || i + length > bytes.size()) return false;
    char32_t code_point = length == 1 ? lead : lead & (0x7FU >> length);
    for (std::size_t k = 1; k < length; ++k) {
      const auto tail = static_cast<unsigned char>(bytes[i + k]);
      if ((tail & 0xC0U) != 0x80U) return false;
      code_point = (code_point << 6U) | (tail & 0x3FU);
    }
    constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (code_point < kSmallest[length] || code_point > 0x10FFFF) return false;
    if (code_point >= 0xD800 && code_point <= 0xDFFF) return false;
    i += length;
  }
  return true;
}

TEST(Utf8, KnowsWellFormedText) {
  EXPECT_TRUE(is_valid_utf8(""));
  EXPECT_TRUE(is_valid_utf8("plain"));
  EXPECT_TRUE(is_valid_utf8("Größe € 😀"));
  EXPECT_TRUE(is_valid_utf8(std::string(1000, 'a') + "ß"));
  EXPECT_FALSE(is_valid_utf8("\xC0\xAF"));          // Overlong.
  EXPECT_FALSE(is_valid_utf8("\xE0\x9F\xBF"));      // Overlong.
  EXPECT_FALSE(is_valid_utf8("\xED\xA0\x80"));      // Surrogate.
  EXPECT_FALSE(is_valid_utf8("\xF4\x90\x80\x80"));  // Above U+10FFFF.
  EXPECT_FALSE(is_valid_utf8("\xC3"));
  EXPECT_FALSE(is_valid_utf8("\x80"));
  EXPECT_FALSE(is_valid_utf8(std::string(40, 'a') + "\xE2\x82"));
}

TEST(Utf8, ValidatesLikeTheSlowReading) {
  std::mt19937 random(7);
  constexpr unsigned char kBytes[] = {0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0,
                                      0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xED,
                                      0xEE, 0xEF, 0xF0, 0xF1, 0xF4, 0xF5, 0xFF};
  int valid = 0;
  for (int round = 0; round < 200000; ++round) {
    std::string bytes(random() % 4 == 0 ? random() % 40 : 0, 'x');
    const std::size_t tail = random() % 5;
    for (std::size_t i = 0; i < tail; ++i) {
      bytes.push_back(static_cast<char>(kBytes[random() % std::size(kBytes)]));
    }
    ASSERT_EQ(is_valid_utf8(bytes), is_valid_slowly(bytes)) << testing::PrintToString(bytes);
    valid += is_valid_utf8(bytes) ? 1 : 0;
  }
  EXPECT_GT(valid, 1000);
}

TEST(Utf8, DecodesWhatItEncodes) {
  std::string encoded;
  std::u32string wanted;
  for (const char32_t c : {0x0U, 0x41U, 0x7FU, 0x80U, 0x7FFU, 0x800U, 0xD7FFU, 0xE000U, 0xFFFFU,
                           0x10000U, 0x10FFFFU}) {
    append_utf8(c, encoded);
    wanted.push_back(c);
  }
  EXPECT_TRUE(is_valid_utf8(encoded));
  EXPECT_EQ(decode_utf8(encoded), wanted);
  EXPECT_EQ(count_code_points(encoded), wanted.size());
  std::string euro;
  append_utf8(0x20AC, euro);
  EXPECT_EQ(euro, "\xE2\x82\xAC");
}

TEST(CodePointIndex, MapsAsCountingDoes) {
  std::mt19937 random(11);
  constexpr char32_t kLetters[] = {'a', 0xE4, 0x20AC, 0x1F600};
  for (const std::size_t size : {0U, 1U, 63U, 64U, 65U, 200U, 1000U}) {
    for (int mix = 1; mix <= 4; ++mix) {
      std::string text;
      for (std::size_t i = 0; i < size; ++i) {
        append_utf8(kLetters[random() % static_cast<unsigned>(mix)], text);
      }
      const CodePointIndex index(text);
      ASSERT_EQ(index.size(), size);
      std::uint32_t code_point = 0;
      for (std::uint32_t byte = 0; byte <= text.size(); ++byte) {
        const bool starts =
            byte == text.size() || (static_cast<unsigned char>(text[byte]) & 0xC0U) != 0x80U;
        if (starts && byte > 0) ++code_point;
        ASSERT_EQ(index.code_point_of(byte), code_point) << byte;
        if (starts) {
          ASSERT_EQ(index.byte_of(code_point), byte);
        }
      }
    }
  }
}

TEST(CodePointIndex, SlicesByCodePoints) {
  const std::string text = "Größe: 5 € – 😀!";
  const CodePointIndex index(text);
  EXPECT_EQ(index.slice({2, 5}), "öße");
  EXPECT_EQ(index.slice({9, 10}), "€");
  EXPECT_EQ(index.slice({13, 14}), "😀");
  EXPECT_EQ(index.slice({0, index.size()}), text);
  EXPECT_EQ(index.to_code_points(index.to_bytes({3, 13})), (Span{3, 13}));
}

}  // namespace
}  // namespace beleg

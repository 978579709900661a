#include "model/charsmap.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace beleg {
namespace {

/// A double array of 256 units by hand, with the key "a" → "b": the root's children are at 1 ^
/// byte, the value of the child at its own index ^ 2.
std::string small_map(std::string_view replacements, std::uint32_t value = 0) {
  std::vector<std::uint32_t> units(256, 0x8000'0000U);
  units[0] = 1U << 10U;  // Offset 1.
  const std::uint32_t child = 1U ^ 'a';
  units[child] = 2U << 10U | 1U << 8U | 'a';  // Offset 2, has a value, label "a".
  units[child ^ 2U] = 0x8000'0000U | value;
  std::string bytes;
  const auto append = [&](std::uint32_t number) {
    for (unsigned i = 0; i < 4; ++i) bytes.push_back(static_cast<char>(number >> (8 * i) & 0xffU));
  };
  append(static_cast<std::uint32_t>(units.size() * 4));
  for (const std::uint32_t unit : units) append(unit);
  return bytes + std::string(replacements);
}

TEST(Charsmap, DecodesRules) {
  const auto rules = MUST(decode_charsmap(small_map(std::string_view("b\0c\0", 4))));
  ASSERT_EQ(rules.size(), 1U);
  EXPECT_EQ(rules[0].from, "a");
  EXPECT_EQ(rules[0].to, "b");
  EXPECT_EQ(MUST(decode_charsmap(small_map(std::string_view("b\0c\0", 4), 2)))[0].to, "c");
  EXPECT_EQ(MUST(decode_charsmap(small_map(std::string_view("b\0c\0", 4), 1)))[0].to, "");
}

TEST(Charsmap, RefusesDamage) {
  EXPECT_FALSE(decode_charsmap("").has_value());
  EXPECT_FALSE(decode_charsmap("abc").has_value());
  EXPECT_FALSE(decode_charsmap(std::string("\0\0\0\0", 4)).has_value());
  EXPECT_FALSE(decode_charsmap(small_map("b")).has_value());  // Not ended by a zero.
  EXPECT_FALSE(decode_charsmap(small_map("")).has_value());
  EXPECT_FALSE(decode_charsmap(small_map(std::string_view("b\0", 2), 99)).has_value());
  const std::string map = small_map(std::string_view("b\0", 2));
  for (std::size_t size = 0; size < map.size(); size += 7) {
    EXPECT_FALSE(decode_charsmap(std::string_view(map).substr(0, size)).has_value()) << size;
  }
}

TEST(Charsmap, EndsOnALoop) {
  // The child of "a" has offset 'a' ^ …: its own child along "a" is itself.
  std::string map = small_map(std::string_view("b\0", 2));
  const std::uint32_t child = 1U ^ 'a';
  const std::uint32_t offset = 'a';  // child ^ offset ^ 'a' = child.
  const std::uint32_t unit = offset << 10U | 'a';
  for (unsigned i = 0; i < 4; ++i)
    map[4 + child * 4 + i] = static_cast<char>(unit >> (8 * i) & 0xffU);
  const auto rules = decode_charsmap(map);
  ASSERT_FALSE(rules.has_value());
  EXPECT_EQ(rules.error().code, ErrorCode::kCorrupt);
}

TEST(Charsmap, SurvivesEveryFlippedByte) {
  const std::string map = small_map(std::string_view("b\0", 2));
  for (std::size_t i = 0; i < map.size(); ++i) {
    for (const int flip : {0x01, 0x80, 0xff}) {
      std::string damaged = map;
      damaged[i] = static_cast<char>(damaged[i] ^ flip);
      const auto rules = decode_charsmap(damaged);
      if (rules) {
        EXPECT_LE(rules->size(), 256U);
      }
    }
  }
}

TEST(Base64, DecodesTheExamplesOfRfc4648) {
  EXPECT_EQ(MUST(decode_base64("")), "");
  EXPECT_EQ(MUST(decode_base64("Zg==")), "f");
  EXPECT_EQ(MUST(decode_base64("Zm8=")), "fo");
  EXPECT_EQ(MUST(decode_base64("Zm9v")), "foo");
  EXPECT_EQ(MUST(decode_base64("Zm9vYmFy")), "foobar");
  EXPECT_EQ(MUST(decode_base64("+/8=")), "\xfb\xff");
  for (const char* bad : {"Z", "Zg=", "Zm9v!mFy", "Zm9v\nZm9v", "Z=g="}) {
    EXPECT_FALSE(decode_base64(bad).has_value()) << bad;
  }
}

}  // namespace
}  // namespace beleg

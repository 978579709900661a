#include "model/byte_trie.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

namespace beleg {
namespace {

std::int32_t look_up(const ByteTrie& trie, std::string_view key) {
  ByteTrie::Node node = ByteTrie::kRoot;
  for (char c : key) {
    node = trie.child(node, static_cast<std::uint8_t>(c));
    if (node == ByteTrie::kNone) return -1;
  }
  return trie.value(node);
}

TEST(ByteTrie, IsEmptyWithoutKeys) {
  const ByteTrie trie;
  EXPECT_EQ(trie.size(), 1U);
  EXPECT_EQ(look_up(trie, "a"), -1);
  EXPECT_EQ(look_up(ByteTrie(std::vector<ByteTrie::Entry>{}), "a"), -1);
  EXPECT_EQ(look_up(ByteTrie(std::vector<ByteTrie::Entry>{{"", 1}}), ""), -1);
}

TEST(ByteTrie, KeepsTheLastOfEqualKeys) {
  const std::vector<ByteTrie::Entry> entries = {{"abc", 1}, {"ab", 2}, {"abc", 3}};
  const ByteTrie trie(entries);
  EXPECT_EQ(look_up(trie, "abc"), 3);
  EXPECT_EQ(look_up(trie, "ab"), 2);
  EXPECT_EQ(look_up(trie, "a"), -1);
  EXPECT_EQ(look_up(trie, "abcd"), -1);
  EXPECT_EQ(trie.size(), 4U);
}

TEST(ByteTrie, TellsZeroBytesFromTheEndOfAKey) {
  using std::string_view_literals::operator""sv;
  const std::vector<ByteTrie::Entry> entries = {{"a\0"sv, 1}, {"a"sv, 2}, {"a\0\0"sv, 3}};
  const ByteTrie trie(entries);
  EXPECT_EQ(look_up(trie, "a"sv), 2);
  EXPECT_EQ(look_up(trie, "a\0"sv), 1);
  EXPECT_EQ(look_up(trie, "a\0\0"sv), 3);
}

TEST(ByteTrie, AgreesWithAMap) {
  std::mt19937 random(11);
  for (int round = 0; round < 50; ++round) {
    std::vector<std::string> keys(random() % 300);
    for (std::string& key : keys) {
      key.resize(random() % 14);
      // Few letters make long common prefixes; high bytes must not count as negative.
      for (char& c : key) c = static_cast<char>(random() % 3 == 0 ? 0xf0 + random() % 3 : 'a');
    }
    std::map<std::string, std::int32_t> expected;
    std::vector<ByteTrie::Entry> entries;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      entries.push_back({keys[i], static_cast<std::int32_t>(i)});
      if (!keys[i].empty()) expected[keys[i]] = static_cast<std::int32_t>(i);
    }
    const ByteTrie trie(entries);
    for (const std::string& key : keys) {
      for (std::size_t length = 0; length <= key.size(); ++length) {
        const auto found = expected.find(key.substr(0, length));
        ASSERT_EQ(look_up(trie, key.substr(0, length)),
                  found == expected.end() ? -1 : found->second);
      }
    }
  }
}

}  // namespace
}  // namespace beleg

#include "model/wordpiece_tokenizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "model/hf_tokenizer.h"
#include "model/model_test_support.h"

namespace beleg {
namespace {

std::vector<TokenId> ids_of(const Tokenizer& tokenizer, std::string_view text) {
  std::vector<TokenId> ids;
  for (const Token& token : tokenizer.tokenize(text)) ids.push_back(token.id);
  return ids;
}

std::vector<std::string> slices_of(const Tokenizer& tokenizer, std::string_view text) {
  std::vector<std::string> slices;
  for (const Token& token : tokenizer.tokenize(text)) {
    slices.emplace_back(text.substr(token.span.start, token.span.size()));
  }
  return slices;
}

std::unique_ptr<WordPieceTokenizer> make_small(WordPieceOptions options = {}) {
  static const std::vector<ByteTrie::Entry> kVocabulary = {
      {"[UNK]", 0}, {"un", 1},  {"##aff", 2}, {"##able", 3}, {"cafe", 4},   {"##s", 5},
      {",", 6},     {"a", 7},   {"##b", 8},   {"ab", 9},     {"[SEP]", 10}, {"[", 11},
      {"sep", 12},  {"]", 13},  {"##", 14},   {"#", 15},     {"é", 16},     {"É", 17},
      {"e", 18},    {"Ab", 19}, {"北", 20},   {"北京", 21}};
  options.unknown_id = 0;
  return MUST(WordPieceTokenizer::create(kVocabulary, options));
}

TEST(WordPieceTokenizer, TakesTheLongestPieceFirst) {
  const auto tokenizer = make_small();
  EXPECT_EQ(ids_of(*tokenizer, "unaffable"), (std::vector<TokenId>{1, 2, 3}));
  EXPECT_EQ(ids_of(*tokenizer, "ab"), (std::vector<TokenId>{9}));
  EXPECT_EQ(ids_of(*tokenizer, "aab"), (std::vector<TokenId>{0}));  // "##a" is no piece.
  EXPECT_EQ(ids_of(*tokenizer, "abb"), (std::vector<TokenId>{9, 8}));
}

TEST(WordPieceTokenizer, SpansAreBytesOfTheOriginal) {
  const auto tokenizer = make_small();
  const std::string text = "  UNaffable,\tcafés";
  EXPECT_EQ(slices_of(*tokenizer, text),
            (std::vector<std::string>{"UN", "aff", "able", ",", "café", "s"}));
  // A combining accent belongs to the letter before it; one before any letter to nothing.
  EXPECT_EQ(slices_of(*tokenizer, "cafe\xcc\x81 \xcc\x81 e"),
            (std::vector<std::string>{"cafe\xcc\x81", "e"}));
}

TEST(WordPieceTokenizer, ALimitEndsBehindAWord) {
  const auto tokenizer = make_small();
  const std::string text = "ab unaffable a, [sep] cafe\xcc\x81s \xff\xff";
  const std::vector<Token> all = tokenizer->tokenize(text);
  for (std::size_t limit = 0; limit <= all.size() + 1; ++limit) {
    const std::vector<Token> first = tokenizer->tokenize(text, limit);
    ASSERT_LE(first.size(), all.size());
    EXPECT_GE(first.size(), std::min(limit + 1, all.size()));
    for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(first[i].id, all[i].id);
  }
  EXPECT_EQ(tokenizer->tokenize(text, 1).size(), 4U);  // "ab", "un", "##aff", "##able".
}

TEST(WordPieceTokenizer, NothingInTextIsASpecialToken) {
  const auto tokenizer = make_small();
  EXPECT_EQ(ids_of(*tokenizer, "[SEP]"), (std::vector<TokenId>{11, 12, 13}));
  EXPECT_EQ(ids_of(*tokenizer, "##"), (std::vector<TokenId>{15, 15}));
}

TEST(WordPieceTokenizer, InvalidBytesAreOneUnknownToken) {
  const auto tokenizer = make_small();
  const std::string text =
      "ab\xff\xfe"
      "ab \xc3";
  const std::vector<Token> tokens = tokenizer->tokenize(text);
  ASSERT_EQ(tokens.size(), 4U);
  EXPECT_EQ(tokens[0].id, 9);
  EXPECT_EQ(tokens[1].id, 0);
  EXPECT_EQ(tokens[1].span, (ByteSpan{2, 4}));
  EXPECT_EQ(tokens[2].id, 9);
  EXPECT_EQ(tokens[3].span, (ByteSpan{7, 8}));
}

TEST(WordPieceTokenizer, SwitchesOfTheNormaliser) {
  EXPECT_EQ(ids_of(*make_small({.strip_accents = false}), "É"), (std::vector<TokenId>{16}));
  EXPECT_EQ(ids_of(*make_small({.strip_accents = false, .lowercase = false}), "É Ab"),
            (std::vector<TokenId>{17, 19}));
  EXPECT_EQ(ids_of(*make_small(), "北京"), (std::vector<TokenId>{20, 0}));
  EXPECT_EQ(ids_of(*make_small({.handle_chinese_chars = false}), "北京"),
            (std::vector<TokenId>{21}));
  // A zero-width space vanishes within a word, or makes it unknown where nothing is cleaned.
  EXPECT_EQ(ids_of(*make_small(),
                   "a\xe2\x80\x8b"
                   "b"),
            (std::vector<TokenId>{9}));
  EXPECT_EQ(ids_of(*make_small({.clean_text = false}),
                   "a\xe2\x80\x8b"
                   "b"),
            (std::vector<TokenId>{0}));
}

TEST(WordPieceTokenizer, LongWordsAreUnknown) {
  const auto tokenizer = make_small();
  EXPECT_EQ(ids_of(*tokenizer, "a" + std::string(99, 'b')).size(),
            99U);  // "ab" and 98 times "##b".
  EXPECT_EQ(ids_of(*tokenizer, "a" + std::string(100, 'b')), (std::vector<TokenId>{0}));
  EXPECT_TRUE(ids_of(*tokenizer, "").empty());
  EXPECT_TRUE(ids_of(*tokenizer, " \t\n\xc2\xa0").empty());
  EXPECT_FALSE(WordPieceTokenizer::create({}, {}).has_value());
}

TEST(WordPieceTokenizer, SpansAreOrderedAndInsideTheTextForEveryByteSequence) {
  const auto tokenizer = make_small();
  std::uint64_t state = 42;
  for (int round = 0; round < 300; ++round) {
    std::string text;
    for (int i = 0; i < 60; ++i) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      static constexpr std::string_view kParts[] = {"ab",
                                                    " ",
                                                    "\xff",
                                                    "é",
                                                    "\xcc\x81",
                                                    "北",
                                                    ",",
                                                    "\xe2",
                                                    "\xf0\x9f",
                                                    "unaffable",
                                                    std::string_view("\0", 1)};
      text += kParts[(state >> 33U) % std::size(kParts)];
    }
    std::uint32_t last = 0;
    for (const Token& token : tokenizer->tokenize(text)) {
      ASSERT_LE(last, token.span.start);
      ASSERT_LT(token.span.start, token.span.end);
      ASSERT_LE(token.span.end, text.size());
      last = token.span.end;
    }
  }
}

// The ids are those of Tokenizer.from_file(tokenizer.json).encode(line, add_special_tokens=False)
// of the Python package tokenizers.
TEST(WordPieceTokenizer, AgreesWithTheReferenceOnMiniLm) {
  const auto folder = test_model_folder("all-minilm-l6-v2", nullptr);
  if (folder.empty()) GTEST_SKIP() << "all-minilm-l6-v2 is not there: run tests/fetch_test_models";
  const HfTokenizer tokenizer = MUST(HfTokenizer::open(folder / "tokenizer.json"));
  const std::vector<std::pair<std::string, std::vector<TokenId>>> golden = {
      {"The quick brown fox jumps over the lazy dog.",
       {1996, 4248, 2829, 4419, 14523, 2058, 1996, 13971, 3899, 1012}},
      {"Straßenbahnhaltestellenverzeichnis für Köln-Mülheim",
       {2358, 27807, 27698, 4430, 25311, 2389, 22199, 14774, 2078, 6299, 4371, 7033, 8977, 6519,
        28306, 1011, 14163, 2140, 8049}},
      {"naïve café – “smart quotes”, 50 %!",
       {15743, 7668, 1516, 1523, 6047, 16614, 1524, 1010, 2753, 1003, 999}},
      {"unaffable electroencephalographically",
       {14477, 20961, 3468, 16175, 10127, 21890, 21197, 20721, 3973}},
      {"日本語のテキスト and 北京 123",
       {1864, 1876, 1950, 1671, 30239, 30227, 30233, 30240, 1998, 1781, 1755, 13138}},
      {"don't e-mail: a_b@c.de (DEC-0054)",
       {2123, 1005, 1056, 1041, 1011, 5653,  1024, 1037, 1035,  1038,
        1030, 1039, 1012, 2139, 1006, 11703, 1011, 4002, 27009, 1007}},
      {"İstanbul Ǆ ΑΣΣΟΣ", {9960, 100, 1155, 29733, 29733, 29730, 29733}},
      {"zero\xe2\x80\x8bwidth soft\xc2\xadhyphen tab\tnl\nend",
       {5717, 9148, 11927, 2232, 3730, 10536, 8458, 2368, 21628, 17953, 2203}},
      {"한국어 😀 ½ ﬁ", {1469, 30006, 30021, 29991, 30014, 30020, 29999, 30008, 100, 1092, 1984}},
      {"", {}},
      {"   ", {}}};
  for (const auto& [text, ids] : golden)
    EXPECT_EQ(ids_of(tokenizer.tokenizer(), text), ids) << text;
  EXPECT_EQ(slices_of(tokenizer.tokenizer(), "Köln-Mülheim"),
            (std::vector<std::string>{"Köln", "-", "Mü", "l", "heim"}));
  EXPECT_EQ(tokenizer.vocabulary_size(), 30522U);
  EXPECT_EQ(tokenizer.truncation_length(), 128U);
}

}  // namespace
}  // namespace beleg

#include "model/unigram_tokenizer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>

namespace beleg {
namespace {

constexpr std::string_view kMark = "\u2581";

struct Vocabulary {
  std::vector<std::string> pieces = {"<unk>", "<s>", "\u2581", "a",        "b",      "c",
                                     "ab",    "bc",  "abc",    "\u2581ab", "\u00fc", "fi"};
  std::vector<float> scores = {0, 0, -2, -3, -3, -3, -4, -4.5F, -9, -5, -3, -3.5F};
  std::vector<NormalizationRule> rules = {{"\u00bd", "1\u20442"},
                                          {"\ufb01", "fi"},
                                          {"u\u0308", "\u00fc"},
                                          {"\x01", ""},
                                          {"\u00a8", " \u0308"}};

  [[nodiscard]] std::unique_ptr<UnigramTokenizer> make(bool fuse = true) const {
    const std::vector<std::string_view> views(pieces.begin(), pieces.end());
    const std::vector<TokenId> control = {1};
    return MUST(UnigramTokenizer::create(
        {.pieces = views, .scores = scores, .unknown_id = 0, .control_ids = control}, rules,
        {.fuse_unknown = fuse}));
  }
};

std::vector<TokenId> ids(const std::vector<Token>& tokens) {
  std::vector<TokenId> out;
  for (const Token& token : tokens) out.push_back(token.id);
  return out;
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> spans(const std::vector<Token>& tokens) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> out;
  for (const Token& token : tokens) out.emplace_back(token.span.start, token.span.end);
  return out;
}

using Ids = std::vector<TokenId>;
using Spans = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

TEST(UnigramTokenizer, FindsTheMostProbablePieces) {
  const auto tokenizer = Vocabulary().make();
  // ▁ab c = -8 beats ▁ abc = -11, ▁ a bc = -9.5 and ▁ ab c = -9.
  EXPECT_EQ(ids(tokenizer->tokenize("abc")), (Ids{9, 5}));
  // ▁ b c = -8 loses to ▁ bc = -6.5.
  EXPECT_EQ(ids(tokenizer->tokenize("bc")), (Ids{2, 7}));
  EXPECT_EQ(tokenizer->vocabulary_size(), 12U);
}

TEST(UnigramTokenizer, SpansAreBytesOfTheOriginalWithoutWhiteSpace) {
  const auto tokenizer = Vocabulary().make();
  const auto tokens = tokenizer->tokenize(" \t ab\n\u00a0bc  ");
  EXPECT_EQ(ids(tokens), (Ids{9, 2, 7}));
  EXPECT_EQ(spans(tokens), (Spans{{3, 5}, {8, 8}, {8, 10}}));
}

TEST(UnigramTokenizer, MapsSpansThroughTheNormaliser) {
  const auto tokenizer = Vocabulary().make();
  // A ligature becomes two letters, a letter and its mark one, a control character nothing.
  const auto ligature = tokenizer->tokenize("a\ufb01");
  EXPECT_EQ(ids(ligature), (Ids{2, 3, 11}));
  EXPECT_EQ(spans(ligature), (Spans{{0, 0}, {0, 1}, {1, 4}}));
  const auto umlaut = tokenizer->tokenize(
      "au\u0308"
      "b");
  EXPECT_EQ(ids(umlaut), (Ids{2, 3, 10, 4}));
  EXPECT_EQ(spans(umlaut), (Spans{{0, 0}, {0, 1}, {1, 4}, {4, 5}}));
  const auto deleted = tokenizer->tokenize(
      "a\x01"
      "b");
  EXPECT_EQ(ids(deleted), (Ids{9}));
  EXPECT_EQ(spans(deleted), (Spans{{0, 3}}));
  // A space that the normaliser makes separates words as any other.
  EXPECT_EQ(ids(tokenizer->tokenize("ab\u00a8")), (Ids{9, 2, 0}));
}

TEST(UnigramTokenizer, FusesUnknownCharactersOfAWord) {
  const Vocabulary vocabulary;
  const auto fused = vocabulary.make()->tokenize("xyz\u20ac a");
  EXPECT_EQ(ids(fused), (Ids{2, 0, 2, 3}));
  EXPECT_EQ(spans(fused), (Spans{{0, 0}, {0, 6}, {7, 7}, {7, 8}}));
  EXPECT_EQ(ids(vocabulary.make(false)->tokenize("xy")), (Ids{2, 0, 0}));
}

TEST(UnigramTokenizer, MakesInvalidBytesUnknown) {
  const auto tokenizer = Vocabulary().make();
  for (const std::string_view bad :
       {"\xff", "\xc3", "\xe2\x96", "\xed\xa0\x80", "\xc0\xaf", "\xf4\x90\x80\x80", "\x80\x80"}) {
    const std::string text = "a" + std::string(bad) + "b";
    const auto tokens = tokenizer->tokenize(text);
    EXPECT_EQ(ids(tokens), (Ids{2, 3, 0, 4}));
    EXPECT_EQ(tokens[2].span.start, 1U);
    EXPECT_EQ(tokens[2].span.end, 1 + bad.size());
  }
}

TEST(UnigramTokenizer, NeverReadsControlTokensOutOfText) {
  const auto tokenizer = Vocabulary().make();
  for (const Token& token : tokenizer->tokenize("<s> a<s>b <unk>")) EXPECT_NE(token.id, 1);
}

TEST(UnigramTokenizer, IsEmptyForWhiteSpace) {
  const auto tokenizer = Vocabulary().make();
  EXPECT_TRUE(tokenizer->tokenize("").empty());
  EXPECT_TRUE(tokenizer->tokenize(" \r\n\t\u2003\u3000\u2581").empty());
}

TEST(UnigramTokenizer, StopsAfterTheWordThatPassesTheLimit) {
  const auto tokenizer = Vocabulary().make();
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "abc ";
  EXPECT_EQ(tokenizer->tokenize(text).size(), 2000U);
  EXPECT_EQ(tokenizer->tokenize(text, 10).size(), 12U);
  EXPECT_EQ(tokenizer->tokenize(text, 5000).size(), 2000U);
}

TEST(UnigramTokenizer, RefusesADamagedVocabulary) {
  const std::vector<std::string_view> pieces = {"<unk>", "a"};
  const std::vector<float> scores = {0, -1};
  const std::vector<float> infinite = {0, -std::numeric_limits<float>::infinity()};
  const std::vector<TokenId> control = {2};
  const auto code = [](const UnigramVocabulary& vocabulary) {
    const auto made = UnigramTokenizer::create(vocabulary, {}, {});
    return made ? ErrorCode::kInternal : made.error().code;
  };
  EXPECT_EQ(code({pieces, std::span(scores).first(1), 0, {}}), ErrorCode::kCorrupt);
  EXPECT_EQ(code({pieces, scores, 2, {}}), ErrorCode::kCorrupt);
  EXPECT_EQ(code({pieces, scores, -1, {}}), ErrorCode::kCorrupt);
  EXPECT_EQ(code({pieces, scores, 0, control}), ErrorCode::kCorrupt);
  EXPECT_EQ(code({pieces, infinite, 0, {}}), ErrorCode::kCorrupt);
  EXPECT_EQ(code({{}, {}, 0, {}}), ErrorCode::kCorrupt);
}

// The best score of a segmentation, by trying all of them.
double best_score(const Vocabulary& vocabulary, std::string_view rest) {
  if (rest.empty()) return 0;
  double best = -10.0 - 9.0 + best_score(vocabulary, rest.substr(1));  // An unknown character.
  for (std::size_t i = 2; i < vocabulary.pieces.size(); ++i) {
    const std::string_view piece = vocabulary.pieces[i];
    if (!rest.starts_with(piece)) continue;
    best = std::max(best, static_cast<double>(vocabulary.scores[i]) +
                              best_score(vocabulary, rest.substr(piece.size())));
  }
  return best;
}

TEST(UnigramTokenizer, NoOtherSegmentationIsBetter) {
  const Vocabulary vocabulary;
  const auto tokenizer = vocabulary.make(false);
  std::mt19937 random(5);
  for (int round = 0; round < 500; ++round) {
    std::string word(1 + random() % 9, 'a');
    for (char& c : word) c = "abcx"[random() % 4];
    double score = 0;
    for (const Token& token : tokenizer->tokenize(word)) {
      score += token.id == 0
                   ? -19.0
                   : static_cast<double>(vocabulary.scores[static_cast<std::size_t>(token.id)]);
    }
    // The mark is whole: a byte of it alone is never cheaper than the piece that holds it.
    EXPECT_NEAR(score, best_score(vocabulary, std::string(kMark) + word), 1e-9) << word;
  }
}

}  // namespace
}  // namespace beleg

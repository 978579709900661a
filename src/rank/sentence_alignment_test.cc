#include "rank/sentence_alignment.h"

#include <gtest/gtest.h>

namespace beleg {
namespace {

TEST(ScoreSentences, TakesTheBestCosinePerQuestionTokenWithinTheSentence) {
  // Two question tokens, five row tokens: one of context, two in each sentence.
  const std::vector<float> cosine = {0.99F, 0.1F, 0.5F, 0.9F, 0.2F,  //
                                     0.99F, 0.4F, 0.2F, 0.0F, 0.8F};
  const std::vector<float> weights = {0.75F, 0.25F};
  const std::vector<ByteSpan> tokens = {{0, 4}, {5, 9}, {11, 14}, {15, 20}};
  const std::vector<ByteSpan> sentences = {{0, 10}, {11, 21}};
  const auto scores = score_sentences(cosine, weights, 5, 1, tokens, sentences);
  ASSERT_EQ(scores.size(), 2U);
  EXPECT_NEAR(scores[0], 0.75 * 0.5 + 0.25 * 0.4, 1e-6);
  EXPECT_NEAR(scores[1], 0.75 * 0.9 + 0.25 * 0.8, 1e-6);
  EXPECT_NEAR(score_row(cosine, weights, 5), 0.99, 1e-6);  // Both are best met by the context.
}

TEST(ScoreSentences, ASentenceBeyondATruncatedPassageScoresMinusOne) {
  const std::vector<float> cosine = {0.5F};
  const std::vector<float> weights = {1.0F};
  const std::vector<ByteSpan> tokens = {{0, 4}, {5, 9}};
  const std::vector<ByteSpan> sentences = {{0, 4}, {5, 9}};
  const auto scores = score_sentences(cosine, weights, 1, 0, tokens, sentences);
  EXPECT_NEAR(scores[0], 0.5, 1e-6);
  EXPECT_EQ(scores[1], -1.0);
}

TEST(FocusOnPart, TokensOfOtherPartsCountLess) {
  const std::vector<TokenId> tokens = {7, 8, 9};
  const std::vector<std::vector<TokenId>> others = {{8}, {9, 11}};
  // 0.5 stays, 0.3 and 0.2 shrink to 0.09 and 0.06; the sum is 0.65.
  const auto weights = focus_on_part(tokens, others, {0.5F, 0.3F, 0.2F});
  ASSERT_EQ(weights.size(), 3U);
  EXPECT_NEAR(weights[0], 0.5 / 0.65, 1e-6);
  EXPECT_NEAR(weights[1], 0.09 / 0.65, 1e-6);
  EXPECT_NEAR(weights[2], 0.06 / 0.65, 1e-6);
}

TEST(FocusOnPart, NothingChangesWithoutOtherPartsOrWithoutTokensOfItsOwn) {
  const std::vector<TokenId> tokens = {7, 8};
  const std::vector<float> weights = {0.75F, 0.25F};
  EXPECT_EQ(focus_on_part(tokens, {}, weights), weights);
  const std::vector<std::vector<TokenId>> same = {{8, 7}};
  EXPECT_EQ(focus_on_part(tokens, same, weights), weights);
  // A token without weight (punctuation) is no token of its own.
  EXPECT_EQ(focus_on_part(tokens, std::vector<std::vector<TokenId>>{{7}}, {1.0F, 0.0F}),
            (std::vector<float>{1.0F, 0.0F}));
}

}  // namespace
}  // namespace beleg

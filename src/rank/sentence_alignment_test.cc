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

}  // namespace
}  // namespace beleg

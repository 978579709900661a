#include "rank/list_weights.h"

#include <gtest/gtest.h>

namespace beleg {
namespace {

const ListWeightSettings kSettings{
    .lexical = 1.0, .dense = 0.8, .late = 2.0, .foreign_floor = 0.1, .full_mass = 0.5};

TEST(ListWeights, AQuestionInTheDocumentsLanguageThatMatchesCountsInFull) {
  const auto weights = weigh_lists({.same_language_share = 1, .matched_mass = 0.7}, kSettings);
  EXPECT_DOUBLE_EQ(weights.lexical, 1.0);
  EXPECT_DOUBLE_EQ(weights.dense, 0.8);
  EXPECT_DOUBLE_EQ(weights.late, 2.0);
}

TEST(ListWeights, AForeignQuestionLeavesTheLexicalListTheFloor) {
  EXPECT_DOUBLE_EQ(weigh_lists({.same_language_share = 0, .matched_mass = 1}, kSettings).lexical,
                   0.1);
}

TEST(ListWeights, AListThatMatchedNothingSaysNothing) {
  EXPECT_DOUBLE_EQ(weigh_lists({.same_language_share = 1, .matched_mass = 0}, kSettings).lexical,
                   0.0);
}

TEST(ListWeights, BothScalesMultiply) {
  // (0.5 + 0.5·0.1) · (0.25 / 0.5)
  EXPECT_DOUBLE_EQ(
      weigh_lists({.same_language_share = 0.5, .matched_mass = 0.25}, kSettings).lexical, 0.275);
}

}  // namespace
}  // namespace beleg

#include "rank/list_weights.h"

#include <gtest/gtest.h>

#include <vector>

namespace beleg {
namespace {

const ListWeightSettings kSettings{.lexical = 1.0,
                                   .dense = 0.8,
                                   .dense_alone = 1.5,
                                   .late = 2.0,
                                   .foreign_floor = 0.1,
                                   .full_mass = 0.5,
                                   .agreement_floor = 1.0};

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

TEST(ListWeights, WithoutALateListTheDenseOneCountsForMore) {
  EXPECT_DOUBLE_EQ(weigh_lists({.has_late = true}, kSettings).dense, 0.8);
  EXPECT_DOUBLE_EQ(weigh_lists({.has_late = false}, kSettings).dense, 1.5);
}

TEST(ListWeights, BothScalesMultiply) {
  // (0.5 + 0.5·0.1) · (0.25 / 0.5)
  EXPECT_DOUBLE_EQ(
      weigh_lists({.same_language_share = 0.5, .matched_mass = 0.25}, kSettings).lexical, 0.275);
}

TEST(ListWeights, AListThatNoOtherAgreesWithKeepsTheFloor) {
  ListWeightSettings settings = kSettings;
  EXPECT_DOUBLE_EQ(weigh_lists({.matched_mass = 1, .agreement = 0}, settings).lexical, 1.0);
  settings.agreement_floor = 0.4;
  EXPECT_DOUBLE_EQ(weigh_lists({.matched_mass = 1, .agreement = 0}, settings).lexical, 0.4);
  EXPECT_DOUBLE_EQ(weigh_lists({.matched_mass = 1, .agreement = 1}, settings).lexical, 1.0);
  // 0.5 + 0.5 · 0.4
  EXPECT_DOUBLE_EQ(weigh_lists({.matched_mass = 1, .agreement = 0.5}, settings).lexical, 0.7);
}

TEST(ListWeights, AgreementCountsTheFirstTenAmongTheFirstThirty) {
  std::vector<RowHit> list;
  for (Row row = 0; row < 20; ++row) list.push_back({row, 1.0F});
  std::vector<RowHit> other;
  for (Row row = 100; row < 129; ++row) other.push_back({row, 1.0F});
  other.push_back({3, 1.0F});  // The thirtieth.
  other.push_back({4, 1.0F});  // Behind it.
  const std::vector<RowHit> third = {{3, 1.0F}, {9, 1.0F}, {10, 1.0F}};
  const std::vector<std::span<const RowHit>> one = {other};
  const std::vector<std::span<const RowHit>> two = {other, third};
  EXPECT_DOUBLE_EQ(list_agreement(list, one), 0.1);
  EXPECT_DOUBLE_EQ(list_agreement(list, two), 0.2);
  EXPECT_DOUBLE_EQ(list_agreement(third, one), 1.0 / 3);
  EXPECT_DOUBLE_EQ(list_agreement({}, two), 1.0);
  EXPECT_DOUBLE_EQ(list_agreement(list, {}), 1.0);
}

}  // namespace
}  // namespace beleg

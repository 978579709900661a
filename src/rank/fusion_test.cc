#include "rank/fusion.h"

#include <gtest/gtest.h>

#include <random>

namespace beleg {
namespace {

CandidateList list_of(std::vector<Row> rows, double weight = 1.0) {
  CandidateList list{.retriever = "dense", .query = 0, .weight = weight, .hits = {}};
  for (Row row : rows) list.hits.push_back({row, 1.0F});
  return list;
}

TEST(ReciprocalRankFusion, AddsWeightedReciprocalRanksAndNothingForAbsentRows) {
  const std::vector<CandidateList> lists = {list_of({7, 3}), list_of({3, 9}, 0.5)};
  const auto fused = fuse_reciprocal_ranks(lists, {.k = 60});
  ASSERT_EQ(fused.size(), 3U);
  EXPECT_EQ(fused[0].row, 3U);
  EXPECT_DOUBLE_EQ(fused[0].score, 1.0 / 62 + 0.5 / 61);
  EXPECT_EQ(fused[1].row, 7U);
  EXPECT_DOUBLE_EQ(fused[1].score, 1.0 / 61);
  EXPECT_EQ(fused[2].row, 9U);
  EXPECT_DOUBLE_EQ(fused[2].score, 0.5 / 62);
  ASSERT_EQ(fused[0].shares.size(), 2U);
  EXPECT_EQ(fused[0].shares[0].rank, 2U);
  EXPECT_EQ(fused[0].shares[1].rank, 1U);
}

TEST(ReciprocalRankFusion, FoundByBothBeatsFoundByOneAtTheSameRank) {
  const std::vector<CandidateList> lists = {list_of({1, 2}), list_of({3, 2})};
  EXPECT_EQ(fuse_reciprocal_ranks(lists, {.k = 60}).front().row, 2U);
}

TEST(ReciprocalRankFusion, AListOfWeightZeroLeavesNoTrace) {
  const std::vector<CandidateList> lists = {list_of({1, 2}), list_of({8, 9}, 0.0)};
  for (const auto& candidate : fuse_reciprocal_ranks(lists, {.k = 60}))
    EXPECT_LT(candidate.row, 8U);
}

TEST(ReciprocalRankFusion, RanksBeyondTheWindowDoNotCount) {
  const std::vector<CandidateList> lists = {list_of({1, 2, 3})};
  EXPECT_EQ(fuse_reciprocal_ranks(lists, {.k = 60, .window = 2}).size(), 2U);
}

TEST(ReciprocalRankFusion, SharesAlwaysAddUpToTheScoreAndTiesAreOrderedByRow) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<CandidateList> lists;
    for (int l = 0; l < 4; ++l) {
      std::vector<Row> rows(20);
      for (Row r = 0; r < 20; ++r) rows[r] = r;
      std::shuffle(rows.begin(), rows.end(), random);
      rows.resize(random() % 20);
      lists.push_back(list_of(rows, 0.25 * static_cast<double>(random() % 5)));
    }
    const auto fused = fuse_reciprocal_ranks(lists, {.k = 60});
    for (std::size_t i = 0; i < fused.size(); ++i) {
      double sum = 0;
      for (const ListShare& share : fused[i].shares) sum += share.contribution;
      EXPECT_DOUBLE_EQ(sum, fused[i].score);
      if (i > 0) {
        EXPECT_TRUE(fused[i - 1].score > fused[i].score ||
                    (fused[i - 1].score == fused[i].score && fused[i - 1].row < fused[i].row));
      }
    }
  }
}

}  // namespace
}  // namespace beleg

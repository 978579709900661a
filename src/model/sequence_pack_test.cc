#include "model/sequence_pack.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

namespace beleg {
namespace {

using Lengths = std::vector<std::size_t>;

TEST(SequencePack, AFewShortTextsShareARun) {
  for (const std::size_t threads : {1U, 2U}) {
    const auto packs = cut_packs(Lengths{18, 16, 13}, threads);
    ASSERT_EQ(packs.size(), 1U);
    EXPECT_EQ(packs[0].begin, 0U);
    EXPECT_EQ(packs[0].end, 3U);
  }
}

TEST(SequencePack, WorkIsSharedAmongThreads) {
  const Lengths lengths(4, 60);
  EXPECT_EQ(cut_packs(lengths, 1).size(), 1U);
  EXPECT_EQ(cut_packs(lengths, 2).size(), 2U);
  EXPECT_EQ(cut_packs(lengths, 4).size(), 4U);
}

TEST(SequencePack, FewTokensAreNotShared) {
  EXPECT_EQ(cut_packs(Lengths{14, 12, 11, 10}, 2).size(), 1U);
  const auto packs = cut_packs(Lengths{14, 13, 12, 12}, 2);
  ASSERT_EQ(packs.size(), 2U);
  EXPECT_EQ(packs[0].end, 2U);
}

TEST(SequencePack, ALongTextGoesAloneBesideShortOnes) {
  // A question of three parts and its parts: 48 beside 45, not 64 beside 29.
  const auto packs = cut_packs(Lengths{48, 16, 15, 14}, 2);
  ASSERT_EQ(packs.size(), 2U);
  EXPECT_EQ(packs[0].end, 1U);
}

TEST(SequencePack, EveryLengthIsInOnePack) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 100; ++trial) {
    Lengths lengths(random() % 200);
    for (std::size_t& length : lengths) length = 1 + random() % 512;
    std::ranges::sort(lengths, std::greater<>());
    std::size_t next = 0;
    for (const SequencePack& pack : cut_packs(lengths, 1 + random() % 4)) {
      ASSERT_EQ(pack.begin, next);
      ASSERT_GT(pack.end, pack.begin);
      next = pack.end;
      const auto at = [&](std::size_t i) {
        return lengths.begin() + static_cast<std::ptrdiff_t>(i);
      };
      const std::size_t sum = std::accumulate(at(pack.begin), at(pack.end), std::size_t{0});
      // A sequence is never divided, however long.
      EXPECT_TRUE(sum <= 256U || pack.end - pack.begin == 1) << sum;
    }
    EXPECT_EQ(next, lengths.size());
  }
}

}  // namespace
}  // namespace beleg

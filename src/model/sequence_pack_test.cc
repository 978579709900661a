#include "model/sequence_pack.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

namespace beleg {
namespace {

using Lengths = std::vector<std::size_t>;

TEST(SequencePack, ShortTextsShareARun) {
  const Lengths lengths = {18, 16, 14, 12};
  for (const std::size_t threads : {1U, 2U}) {
    const auto packs = cut_packs(lengths, threads);
    ASSERT_EQ(packs.size(), 1U);
    EXPECT_EQ(packs[0].begin, 0U);
    EXPECT_EQ(packs[0].end, 4U);
    EXPECT_EQ(packs[0].tokens, 64U);  // 60, in steps of 8.
    EXPECT_EQ(packs[0].length, 32U);  // 18, in steps of 16.
  }
}

TEST(SequencePack, OneShortTextIsNearlyExact) {
  const auto packs = cut_packs(Lengths{14}, 1);
  ASSERT_EQ(packs.size(), 1U);
  EXPECT_EQ(packs[0].tokens, 16U);
  EXPECT_EQ(packs[0].length, 16U);
}

TEST(SequencePack, WorkIsSharedAmongThreads) {
  const Lengths lengths(4, 100);
  EXPECT_EQ(cut_packs(lengths, 1).size(), 1U);
  EXPECT_EQ(cut_packs(lengths, 2).size(), 2U);
  EXPECT_EQ(cut_packs(lengths, 4).size(), 4U);
}

TEST(SequencePack, FewTokensAreNotShared) {
  EXPECT_EQ(cut_packs(Lengths{25, 20, 18, 17}, 2).size(), 1U);
  const auto packs = cut_packs(Lengths{34, 33, 31, 30}, 2);
  ASSERT_EQ(packs.size(), 2U);
  EXPECT_EQ(packs[0].end, 2U);
}

TEST(SequencePack, LongTextsGoWithTheirLike) {
  const auto packs = cut_packs(Lengths{200, 160, 149, 16}, 1);
  ASSERT_EQ(packs.size(), 3U);
  EXPECT_EQ(packs[0].end, 2U);  // 160 is at least three quarters of 200, 149 is not.
  EXPECT_EQ(packs[1].end, 3U);
  EXPECT_EQ(packs[2].end, 4U);
}

TEST(SequencePack, EveryLengthIsInOnePackThatHoldsIt) {
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
      EXPECT_GE(pack.tokens, sum);
      EXPECT_LT(pack.tokens, sum + 16);
      EXPECT_LE(sum, 768U);
      EXPECT_GE(pack.length, lengths[pack.begin]);
      EXPECT_EQ(pack.length % 16, 0U);
    }
    EXPECT_EQ(next, lengths.size());
  }
}

}  // namespace
}  // namespace beleg

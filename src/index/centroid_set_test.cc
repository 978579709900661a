#include "index/centroid_set.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

#include "index/index_test_support.h"

namespace beleg {
namespace {

using testing_support::normalise;

constexpr std::uint32_t kDims = 32;

/// `each` tokens closely around every axis, one axis after the other.
CodedTokens around_axes(std::size_t each) {
  std::mt19937 random(41);
  std::normal_distribution<float> noise(0.0F, 0.02F);
  CodedTokens tokens(kDims);
  for (std::size_t i = 0; i < kDims * each; ++i) {
    std::vector<float> vector(kDims);
    for (std::size_t d = 0; d < kDims; ++d)
      vector[d] = noise(random) + (d == i / each ? 1.0F : 0.0F);
    normalise(vector.data(), kDims);
    tokens.append(token_codes::encode(vector, kDims).data(), 0);
  }
  return tokens;
}

TEST(CodedTokens, CopiesATokenAsItIs) {
  std::mt19937 random(42);
  const std::vector<float> vectors = testing_support::random_vectors(random, 40, kDims);
  const std::vector<std::byte> codes = token_codes::encode(vectors, kDims);
  CodedTokens tokens(kDims);
  for (std::size_t i = 40; i > 0; --i) tokens.append(codes.data(), i - 1);
  ASSERT_EQ(tokens.size(), 40U);
  ASSERT_EQ(tokens.blocks(), 3U);
  const std::span<const std::byte> copied{tokens.data(), token_codes::bytes(40, kDims)};
  for (std::size_t i = 0; i < 40; ++i) {
    EXPECT_EQ(token_codes::decode_rotated(copied, kDims, i),
              token_codes::decode_rotated(codes, kDims, 39 - i));
  }
}

TEST(CentroidSet, TokensAroundOneDirectionShareACentroidAndOthersDoNot) {
  const CodedTokens tokens = around_axes(30);
  const CentroidSet set = CentroidSet::train(tokens, kDims);
  ASSERT_GE(set.size(), kDims / 2);
  ASSERT_LE(set.size(), kDims);
  const std::vector<std::uint32_t> assigned = set.assign(tokens);
  ASSERT_EQ(assigned.size(), tokens.size());
  for (std::size_t axis = 0; axis < kDims; ++axis) {
    std::set<std::uint32_t> used(assigned.begin() + static_cast<std::ptrdiff_t>(axis * 30),
                                 assigned.begin() + static_cast<std::ptrdiff_t>((axis + 1) * 30));
    EXPECT_LE(used.size(), 2U) << axis;
    for (const std::uint32_t centroid : used) EXPECT_LT(centroid, set.size());
  }
  EXPECT_EQ(set.codes().size(), token_codes::bytes(set.size(), kDims));
}

TEST(CentroidSet, TheSameTokensGiveTheSameCentroids) {
  const CodedTokens tokens = around_axes(9);
  const CentroidSet first = CentroidSet::train(tokens, 50);
  const CentroidSet second = CentroidSet::train(tokens, 50);
  EXPECT_EQ(first.codes(), second.codes());
  EXPECT_EQ(first.assign(tokens), second.assign(tokens));
}

TEST(CentroidSet, NothingAndTokensThatSayNothingGiveNoCentroids) {
  EXPECT_EQ(CentroidSet::train(CodedTokens(kDims), 10).size(), 0U);
  EXPECT_EQ(CentroidSet::train(around_axes(1), 0).size(), 0U);
  CodedTokens zeros(kDims);
  const std::vector<std::byte> zero = token_codes::encode(std::vector<float>(kDims), kDims);
  for (int i = 0; i < 20; ++i) zeros.append(zero.data(), 0);
  EXPECT_EQ(CentroidSet::train(zeros, 4).size(), 0U);
}

}  // namespace
}  // namespace beleg

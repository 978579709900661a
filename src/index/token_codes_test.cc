#include "index/token_codes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "index/index_test_support.h"
#include "index/kernels.h"

namespace beleg {
namespace {

using testing_support::random_vectors;

double product(const float* a, const float* b, std::size_t dims) {
  double sum = 0.0;
  for (std::size_t i = 0; i < dims; ++i) sum += double{a[i]} * double{b[i]};
  return sum;
}

TEST(OrthogonalRotation, KeepsProducts) {
  std::mt19937 random(1);
  for (const std::uint32_t dims : {1U, 7U, 8U, 12U, 24U, 100U, 128U, 384U, 768U}) {
    const OrthogonalRotation rotation(dims);
    const std::vector<float> vectors = random_vectors(random, 2, dims);
    std::vector<float> a(rotation.padded_dims());
    std::vector<float> b(rotation.padded_dims());
    rotation.apply(std::span(vectors).first(dims), a);
    rotation.apply(std::span(vectors).subspan(dims), b);
    EXPECT_NEAR(product(a.data(), a.data(), a.size()), 1.0, 1e-5) << dims;
    EXPECT_NEAR(product(a.data(), b.data(), a.size()),
                product(vectors.data(), vectors.data() + dims, dims), 1e-5)
        << dims;
  }
}

TEST(OrthogonalRotation, SpreadsOneCoordinateOverAll) {
  // Without the spreading, a vector with one large coordinate would lose all the others to a step
  // size that suits only that one.
  const OrthogonalRotation rotation(384);
  std::vector<float> axis(384, 0.0F);
  axis[17] = 1.0F;
  std::vector<float> out(384);
  rotation.apply(axis, out);
  for (const float value : out) EXPECT_LT(std::fabs(value), 0.25F);
}

TEST(TokenCodes, StoresWhatItSays) {
  EXPECT_EQ(token_codes::block_bytes(384), 16U * 196U);
  EXPECT_EQ(token_codes::bytes(0, 384), 0U);
  EXPECT_EQ(token_codes::bytes(1, 384), 16U * 196U);
  EXPECT_EQ(token_codes::bytes(17, 384), 2U * 16U * 196U);
}

TEST(TokenCodes, DirectionSurvives) {
  std::mt19937 random(2);
  const std::vector<float> vectors = random_vectors(random, 37, 384);
  const std::vector<std::byte> codes = token_codes::encode(vectors, 384);
  const OrthogonalRotation rotation(384);
  std::vector<float> rotated(384);
  for (std::size_t t = 0; t < 37; ++t) {
    rotation.apply(std::span(vectors).subspan(t * 384, 384), rotated);
    const std::vector<float> decoded = token_codes::decode_rotated(codes, 384, t);
    // The scale makes the product with the original exactly one.
    EXPECT_NEAR(product(decoded.data(), rotated.data(), 384), 1.0, 1e-5);
    // 16 uniform levels keep 98.85 % of the square of Gaussian values (Max 1960, table II).
    const double length = std::sqrt(product(decoded.data(), decoded.data(), 384));
    EXPECT_GT(1.0 / length, std::sqrt(0.985));
  }
}

TEST(TokenCodes, PaddingRepeatsTheLastToken) {
  std::mt19937 random(3);
  const std::vector<float> vectors = random_vectors(random, 3, 16);
  const std::vector<std::byte> codes = token_codes::encode(vectors, 16);
  for (std::size_t t = 3; t < 16; ++t) {
    EXPECT_EQ(token_codes::decode_rotated(codes, 16, t), token_codes::decode_rotated(codes, 16, 2));
  }
}

TEST(TokenCodes, VectorsThatSayNothingBecomeZero) {
  for (const float bad : {0.0F, std::numeric_limits<float>::quiet_NaN(),
                          std::numeric_limits<float>::infinity(), 1e-33F}) {
    const std::vector<float> vectors(24, bad);
    const std::vector<std::byte> codes = token_codes::encode(vectors, 24);
    for (const float value : token_codes::decode_rotated(codes, 24, 0)) EXPECT_EQ(value, 0.0F);
    const CodedQuery query(vectors, 24, 12);
    ASSERT_EQ(query.tokens(), 1U);
    EXPECT_EQ(query.scales()[0], 0.0F);
  }
}

TEST(CodedQuery, SplitsIntoChunksOfNearlyEqualSize) {
  std::mt19937 random(4);
  const CodedQuery query(random_vectors(random, 13, 8), 8, 12);
  ASSERT_EQ(query.chunks().size(), 2U);
  EXPECT_EQ(query.chunks()[0].count, 7U);
  EXPECT_EQ(query.chunks()[1].first, 7U);
  EXPECT_EQ(query.chunks()[1].count, 6U);
  EXPECT_TRUE(CodedQuery({}, 8, 12).chunks().empty());
}

TEST(CodedQuery, BestProductsAreTheBestCosines) {
  std::mt19937 random(5);
  constexpr std::size_t kTokens = 50;
  const std::vector<float> passage = random_vectors(random, kTokens, 384);
  const std::vector<float> question = random_vectors(random, 9, 384);
  const std::vector<std::byte> codes = token_codes::encode(passage, 384);
  const CodedQuery query(question, 384, best_kernels().max_chunk);
  for (const CodedQuery::Chunk& chunk : query.chunks()) {
    std::vector<float> best(chunk.count, -1000.0F);
    best_kernels().raise_best(chunk, codes.data(), token_codes::blocks(kTokens), 48, best.data());
    for (std::uint32_t q = 0; q < chunk.count; ++q) {
      const std::size_t token = chunk.first + q;
      double exact = -1.0;
      for (std::size_t t = 0; t < kTokens; ++t) {
        exact =
            std::max(exact, product(question.data() + token * 384, passage.data() + t * 384, 384));
      }
      // One coded product is off by √(0.0115 / 384) ≈ 0.0055 (standard deviation) at most.
      EXPECT_NEAR(best[q] * query.scales()[token], exact, 0.02);
    }
  }
}

}  // namespace
}  // namespace beleg

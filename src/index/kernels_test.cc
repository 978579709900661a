#include "index/kernels.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "index/index_test_support.h"

namespace beleg {
namespace {

using testing_support::random_vectors;
using token_codes::kBlockTokens;

std::vector<std::byte> random_blocks(std::mt19937& random, std::size_t count, std::uint32_t dims) {
  std::vector<std::byte> blocks(count * token_codes::block_bytes(dims));
  for (std::byte& byte : blocks) byte = static_cast<std::byte>(random());
  std::uniform_real_distribution<float> scale(0.001F, 0.1F);
  for (std::size_t b = 0; b < count; ++b) {
    for (std::size_t t = 0; t < kBlockTokens; ++t) {
      const float value = scale(random);
      std::memcpy(blocks.data() + (b + 1) * token_codes::block_bytes(dims) -
                      (kBlockTokens - t) * sizeof(float),
                  &value, sizeof value);
    }
  }
  return blocks;
}

TEST(Kernels, VariantsAgreeWithThePlainOneBitForBit) {
  std::mt19937 random(1);
  for (const std::uint32_t dims : {8U, 16U, 24U, 40U, 104U, 384U, 768U}) {
    for (std::uint32_t tokens = 1; tokens <= 26; tokens += tokens < 13 ? 1 : 6) {
      const std::vector<float> question = random_vectors(random, tokens, dims);
      const std::vector<std::byte> blocks = random_blocks(random, 3, dims);
      const std::size_t groups = token_codes::groups(dims);
      std::vector<float> expected_best;
      std::vector<float> expected_products;
      for (const Kernels* kernels : runnable_kernels()) {
        const CodedQuery query(question, dims, kernels->max_chunk);
        std::vector<float> best;
        std::vector<float> products;
        for (const CodedQuery::Chunk& chunk : query.chunks()) {
          ASSERT_LE(chunk.count, kernels->max_chunk);
          std::vector<float> chunk_best(chunk.count, -1000.0F);
          kernels->raise_best(chunk, blocks.data(), 3, groups, chunk_best.data());
          best.insert(best.end(), chunk_best.begin(), chunk_best.end());
          std::vector<float> chunk_products(chunk.count * 3 * kBlockTokens);
          kernels->products(chunk, blocks.data(), 3, groups, chunk_products.data(),
                            3 * kBlockTokens);
          products.insert(products.end(), chunk_products.begin(), chunk_products.end());
        }
        if (kernels == &plain_kernels()) {
          expected_best = best;
          expected_products = products;
        }
        EXPECT_EQ(best, expected_best) << kernels->name << " " << dims << " " << tokens;
        EXPECT_EQ(products, expected_products) << kernels->name << " " << dims << " " << tokens;
      }
    }
  }
}

TEST(Kernels, ExtremeCodesDoNotOverflow) {
  // All codes 15 against all question codes ±127: the largest sums there can be.
  constexpr std::uint32_t kDims = 1024;
  std::vector<std::byte> block(token_codes::block_bytes(kDims), std::byte{0xff});
  for (std::size_t t = 0; t < kBlockTokens; ++t) {
    const float one = 1.0F;
    std::memcpy(block.data() + block.size() - (t + 1) * sizeof one, &one, sizeof one);
  }
  const std::vector<std::int8_t> codes(kDims, -127);
  const std::int32_t bias = 15 * -127 * static_cast<std::int32_t>(kDims);
  const CodedQuery::Chunk chunk{0, 1, codes.data(), &bias};
  for (const Kernels* kernels : runnable_kernels()) {
    float best = std::numeric_limits<float>::lowest();
    kernels->raise_best(chunk, block.data(), 1, kDims / 8, &best);
    EXPECT_EQ(best, 15.0F * -127.0F * kDims) << kernels->name;
  }
}

TEST(Kernels, DamagedScalesNeverWin) {
  std::mt19937 random(2);
  constexpr std::uint32_t kDims = 64;
  std::vector<std::byte> blocks = random_blocks(random, 1, kDims);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const std::size_t slot : {1U, 7U, 8U, 15U}) {
    std::memcpy(blocks.data() + blocks.size() - (kBlockTokens - slot) * sizeof nan, &nan,
                sizeof nan);
  }
  const std::vector<float> question = random_vectors(random, 1, kDims);
  float expected = 0.0F;
  for (const Kernels* kernels : runnable_kernels()) {
    const CodedQuery query(question, kDims, kernels->max_chunk);
    float best = -1000.0F;
    kernels->raise_best(query.chunks()[0], blocks.data(), 1, kDims / 8, &best);
    EXPECT_FALSE(std::isnan(best)) << kernels->name;
    if (kernels == &plain_kernels()) expected = best;
    EXPECT_EQ(best, expected) << kernels->name;
  }
}

TEST(Kernels, DotsAgreeBitForBitAndWithDoublePrecision) {
  std::mt19937 random(3);
  for (const std::size_t stride : {16U, 48U, 384U}) {
    for (const std::size_t count : {1U, 2U, 3U, 4U, 5U, 7U, 64U}) {
      const std::vector<float> rows = random_vectors(random, count, stride);
      const std::vector<float> query = random_vectors(random, 1, stride);
      std::vector<float> expected(count);
      plain_kernels().dots(query.data(), rows.data(), stride, count, expected.data());
      for (std::size_t r = 0; r < count; ++r) {
        double exact = 0.0;
        for (std::size_t i = 0; i < stride; ++i) {
          exact += double{query[i]} * double{rows[r * stride + i]};
        }
        EXPECT_NEAR(expected[r], exact, 1e-6);
      }
      for (const Kernels* kernels : runnable_kernels()) {
        std::vector<float> out(count);
        kernels->dots(query.data(), rows.data(), stride, count, out.data());
        EXPECT_EQ(out, expected) << kernels->name << " " << stride << " " << count;
      }
    }
  }
}

}  // namespace
}  // namespace beleg

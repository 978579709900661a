#include "index/dense_codes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "index/dense_kernels.h"
#include "index/index_test_support.h"
#include "index/kernels.h"

namespace beleg {
namespace {

using dense_codes::kBlockRows;
using testing_support::random_vectors;

/// Blocks of random codes whose corrections are moderate numbers.
std::vector<std::byte> random_blocks(std::mt19937& random, std::size_t count, std::uint32_t dims) {
  std::vector<std::byte> blocks(count * dense_codes::block_bytes(dims));
  for (std::byte& byte : blocks) byte = static_cast<std::byte>(random());
  for (std::size_t b = 0; b < count; ++b) {
    for (std::size_t i = 0; i < kBlockRows; ++i) {
      const std::uint32_t correction = 0x3d003c00U + (random() & 0x00ff00ffU);
      std::memcpy(blocks.data() + (b + 1) * dense_codes::block_bytes(dims) -
                      (kBlockRows - i) * sizeof correction,
                  &correction, sizeof correction);
    }
  }
  return blocks;
}

struct Scanned {
  std::vector<float> upper;
  std::vector<float> highest;
};

Scanned scan(const DenseKernels& kernels, const CodedDenseQuery& query,
             const std::vector<std::byte>& blocks, std::uint32_t dims,
             const std::uint64_t* allowed) {
  const std::size_t count = blocks.size() / dense_codes::block_bytes(dims);
  Scanned result{std::vector<float>(count * kBlockRows, -7.0F), std::vector<float>(count, -7.0F)};
  kernels.scan(query.scan(), blocks.data(), count, dense_codes::sign_groups(dims), allowed,
               result.upper.data(), result.highest.data());
  return result;
}

TEST(DenseKernels, VariantsAgreeWithThePlainOneBitForBit) {
  std::mt19937 random(1);
  for (const std::uint32_t dims : {8U, 16U, 24U, 100U, 384U, 1024U}) {
    const OrthogonalRotation rotation(dims);
    const std::vector<std::byte> blocks = random_blocks(random, 5, dims);
    const std::vector<float> mean = random_vectors(random, 1, dims);
    const CodedDenseQuery query(random_vectors(random, 1, dims), mean, rotation);
    const std::vector<std::uint64_t> allowed{0, ~std::uint64_t{0}, 0x8000000000000001U,
                                             0x00ff00f0deadbeefU, 0};
    const std::size_t bytes = dense_codes::fine_bytes(dims);
    for (const std::uint64_t* words :
         {static_cast<const std::uint64_t*>(nullptr), allowed.data()}) {
      const Scanned expected = scan(plain_dense_kernels(), query, blocks, dims, words);
      for (const DenseKernels* kernels : runnable_dense_kernels()) {
        const Scanned found = scan(*kernels, query, blocks, dims, words);
        EXPECT_EQ(found.upper, expected.upper) << kernels->name << " " << dims;
        EXPECT_EQ(found.highest, expected.highest) << kernels->name << " " << dims;
        for (const float low : {-1.0F, expected.highest[1], 0.0F}) {
          EXPECT_EQ(kernels->reach(found.upper.data() + kBlockRows, low),
                    plain_dense_kernels().reach(expected.upper.data() + kBlockRows, low));
        }
      }
    }
    for (const DenseKernels* kernels : runnable_dense_kernels()) {
      EXPECT_EQ(kernels->fine_product(query.low(), query.high(), blocks.data(), bytes),
                plain_dense_kernels().fine_product(query.low(), query.high(), blocks.data(), bytes))
          << kernels->name << " " << dims;
    }
  }
}

TEST(DenseKernels, FiltersAndDamagedCorrections) {
  std::mt19937 random(2);
  constexpr std::uint32_t kDims = 64;
  std::vector<std::byte> blocks = random_blocks(random, 1, kDims);
  const std::uint32_t nan = 0x7fc07fc0U;
  std::memcpy(blocks.data() + blocks.size() - 4, &nan, sizeof nan);
  const OrthogonalRotation rotation(kDims);
  const CodedDenseQuery query(random_vectors(random, 1, kDims), std::vector<float>(kDims, 0.1F),
                              rotation);
  constexpr float kNone = -std::numeric_limits<float>::infinity();
  for (const DenseKernels* kernels : runnable_dense_kernels()) {
    const std::uint64_t last_two = std::uint64_t{3} << 62U;
    const Scanned found = scan(*kernels, query, blocks, kDims, &last_two);
    EXPECT_EQ(found.upper[0], kNone);
    EXPECT_EQ(found.upper[61], kNone);
    EXPECT_GT(found.upper[62], kNone);
    EXPECT_TRUE(std::isnan(found.upper[63]));
    EXPECT_EQ(found.highest[0], found.upper[62]) << kernels->name;
    // Neither what is not allowed nor what is not a number reaches anything.
    EXPECT_EQ(kernels->reach(found.upper.data(), std::numeric_limits<float>::lowest()),
              std::uint64_t{1} << 62U);
    const std::uint64_t nothing = 0;
    EXPECT_EQ(scan(*kernels, query, blocks, kDims, &nothing).highest[0], kNone);
  }
}

TEST(DenseKernels, TheLargestSumsDoNotOverflow) {
  // All signs set against 4096 dimensions of the largest code: Σ = 4096 × 15.
  constexpr std::size_t kGroups = dense_codes::kMaxDims / 8;
  std::vector<std::byte> block(dense_codes::block_bytes(dense_codes::kMaxDims), std::byte{0xff});
  for (std::size_t i = 0; i < kBlockRows; ++i) {
    const std::uint32_t correction = 0x3f800000U;  // Factor 1, offset 0.
    std::memcpy(block.data() + kGroups * kBlockRows + 4 * i, &correction, sizeof correction);
  }
  const std::vector<std::uint8_t> tables(kGroups * 32, 60);
  const CodedDenseQuery::Scan query{tables.data(), 1.0F, 0.0F, 1.0F};
  const std::vector<std::int8_t> codes(dense_codes::kMaxDims / 2, -127);
  for (const DenseKernels* kernels : runnable_dense_kernels()) {
    std::vector<float> upper(kBlockRows);
    float highest = 0.0F;
    kernels->scan(query, block.data(), 1, kGroups, nullptr, upper.data(), &highest);
    EXPECT_EQ(upper, std::vector<float>(kBlockRows, 61440.0F)) << kernels->name;
    EXPECT_EQ(highest, 61440.0F) << kernels->name;
    EXPECT_EQ(kernels->fine_product(codes.data(), codes.data(), block.data(), codes.size()),
              -127 * 15 * 4096)
        << kernels->name;
  }
}

/// Vectors around a common mean, as the ones of an encoder are; filled up to `stride`.
std::vector<float> off_centre(std::mt19937& random, std::size_t rows, std::uint32_t dims) {
  const std::uint32_t stride = (dims + 15U) / 16U * 16U;
  const std::vector<float> noise = random_vectors(random, rows, dims);
  std::vector<float> matrix(rows * stride, 0.0F);
  for (std::size_t r = 0; r < rows; ++r) {
    double squares = 0.0;
    for (std::size_t d = 0; d < dims; ++d) {
      const float value = 0.5F * noise[r * dims + d] + (d % 3 == 0 ? 0.1F : 0.02F);
      matrix[r * stride + d] = value;
      squares += double{value} * double{value};
    }
    for (std::size_t d = 0; d < dims; ++d) {
      matrix[r * stride + d] /= static_cast<float>(std::sqrt(squares));
    }
  }
  return matrix;
}

TEST(DenseCodes, BoundsHoldForNearlyAllRows) {
  std::mt19937 random(3);
  for (const std::uint32_t dims : {100U, 384U}) {
    const std::uint32_t stride = (dims + 15U) / 16U * 16U;
    constexpr std::size_t kRows = 640;
    const std::vector<float> matrix = off_centre(random, kRows, dims);
    const dense_codes::Tables tables = dense_codes::encode(matrix, kRows, dims, stride);
    ASSERT_EQ(tables.signs.size(), 10 * dense_codes::block_bytes(dims));
    ASSERT_EQ(tables.records.size(), kRows * dense_codes::record_bytes(dims));
    const OrthogonalRotation rotation(dims);
    std::size_t above = 0;
    std::size_t outside = 0;
    double width = 0.0;
    for (std::size_t q = 0; q < 20; ++q) {
      // A row itself and its neighbours, near and far.
      const std::span<const float> question = std::span(matrix).subspan(q * 7 * stride, dims);
      const CodedDenseQuery query(question, tables.mean, rotation);
      const Scanned scanned = scan(plain_dense_kernels(), query, tables.signs, dims, nullptr);
      for (std::size_t r = 0; r < kRows; ++r) {
        double exact = 0.0;
        for (std::size_t d = 0; d < dims; ++d) {
          exact += double{question[d]} * double{matrix[r * stride + d]};
        }
        const double product = exact - double{query.base()};
        const std::byte* const record = tables.records.data() + r * dense_codes::record_bytes(dims);
        dense_codes::FineTail tail;
        std::memcpy(&tail, record + dense_codes::fine_bytes(dims), sizeof tail);
        const CodedDenseQuery::Bounds bounds =
            query.fine_bounds(plain_dense_kernels().fine_product(query.low(), query.high(), record,
                                                                 dense_codes::fine_bytes(dims)),
                              tail);
        above += static_cast<std::size_t>(product > double{scanned.upper[r]});
        outside += static_cast<std::size_t>(product > double{bounds.upper} ||
                                            product < double{bounds.lower});
        width += double{bounds.upper - bounds.lower};
      }
    }
    // Of a normal distribution 1.2 % and 2 × 0.6 % lie beyond 2.25 and 2.5 standard errors.
    EXPECT_LT(above, 20 * kRows * 25 / 1000) << dims;
    EXPECT_LT(outside, 20 * kRows * 25 / 1000) << dims;
    EXPECT_LT(width / (20 * kRows), 0.06) << dims;
  }
}

TEST(DenseCodes, ARowAgainstItselfIsExact) {
  std::mt19937 random(4);
  constexpr std::uint32_t kDims = 96;
  const std::vector<float> matrix = off_centre(random, 64, kDims);
  const dense_codes::Tables tables = dense_codes::encode(matrix, 64, kDims, kDims);
  const OrthogonalRotation rotation(kDims);
  for (std::size_t r = 0; r < 64; ++r) {
    const std::span<const float> row{matrix.data() + r * kDims, kDims};
    const CodedDenseQuery query(row, tables.mean, rotation);
    const std::byte* const record = tables.records.data() + r * dense_codes::record_bytes(kDims);
    dense_codes::FineTail tail;
    std::memcpy(&tail, record + dense_codes::fine_bytes(kDims), sizeof tail);
    const auto bounds =
        query.fine_bounds(plain_dense_kernels().fine_product(query.low(), query.high(), record,
                                                             dense_codes::fine_bytes(kDims)),
                          tail);
    // The vector has length 1. Left over is the rounding of the question to eight bits.
    EXPECT_NEAR((bounds.lower + bounds.upper) / 2.0F + query.base(), 1.0F, 0.005F);
  }
}

TEST(DenseCodes, ASmallExampleByHand) {
  // Two rows, the mean is half way: residuals are −w and w with w = 1, 2, 4 … 128, so all signs
  // differ (no sum of ±powers of two is 0) and the factors agree.
  std::vector<float> matrix(32, 0.0F);
  for (std::size_t d = 0; d < 8; ++d) {
    matrix[d] = 1.0F;
    matrix[16 + d] = 1.0F + 2.0F * static_cast<float>(1U << d);
  }
  const dense_codes::Tables tables = dense_codes::encode(matrix, 2, 8, 16);
  EXPECT_EQ(tables.mean, (std::vector<float>{2, 3, 5, 9, 17, 33, 65, 129}));
  EXPECT_EQ(tables.signs[0] ^ tables.signs[1], std::byte{0xff});
  dense_codes::FineTail first;
  dense_codes::FineTail second;
  std::memcpy(&first, tables.records.data() + dense_codes::fine_bytes(8), sizeof first);
  std::memcpy(&second,
              tables.records.data() + dense_codes::record_bytes(8) + dense_codes::fine_bytes(8),
              sizeof second);
  EXPECT_EQ(first.offset, -22100.0F);  // mean · residual = −Σ (1 + w) × w = −(255 + 21845)
  EXPECT_EQ(second.offset, 22100.0F);
  EXPECT_EQ(first.scale, second.scale);
}

TEST(DenseCodes, DamagedAndEqualVectorsAreCoded) {
  constexpr std::size_t kDims = 16;
  std::vector<float> matrix(3 * kDims, 0.25F);
  matrix[kDims] = std::numeric_limits<float>::quiet_NaN();
  matrix[kDims + 1] = std::numeric_limits<float>::infinity();
  const dense_codes::Tables damaged = dense_codes::encode(matrix, 3, kDims, kDims);
  for (const float mean : damaged.mean) EXPECT_FLOAT_EQ(mean, 0.25F * 2.0F / 3.0F);
  // A mean that equals every row leaves nothing to code.
  const dense_codes::Tables equal =
      dense_codes::encode(std::vector<float>(2 * kDims, 0.25F), 2, kDims, kDims);
  dense_codes::FineTail tail;
  std::memcpy(&tail, equal.records.data() + dense_codes::fine_bytes(kDims), sizeof tail);
  EXPECT_EQ(tail.scale, 0.0F);
  EXPECT_EQ(tail.error, 0.0F);
}

}  // namespace
}  // namespace beleg

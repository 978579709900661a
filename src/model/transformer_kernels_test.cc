#include "model/transformer_kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

namespace beleg {
namespace {

using Floats = std::vector<float>;

Floats random_floats(std::size_t count, float scale, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0.0F, scale);
  Floats values(count);
  for (float& value : values) value = normal(random);
  return values;
}

class EachKernels : public testing::TestWithParam<const TransformerKernels*> {
 protected:
  const TransformerKernels& kernels_ = *GetParam();
};

TEST_P(EachKernels, MultiplyAsInDoublePrecision) {
  constexpr std::size_t kInner = 37;
  const Floats panel = random_floats(kInner * kPanelColumns, 1, 1);
  const Floats bias = random_floats(kPanelColumns, 1, 2);
  for (const std::size_t rows : {1U, 2U, 6U, 7U, 12U, 13U, 25U, 40U}) {
    constexpr std::size_t kStride = kInner + 3;
    const Floats a = random_floats(rows * kStride, 1, 3);
    Floats c((rows + 1) * 40, -7.0F);
    kernels_.multiply(a.data(), kStride, rows, kInner, panel.data(), bias.data(), c.data(), 40);
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t o = 0; o < kPanelColumns; ++o) {
        double sum = static_cast<double>(bias[o]);
        for (std::size_t k = 0; k < kInner; ++k) {
          sum += static_cast<double>(a[r * kStride + k]) *
                 static_cast<double>(panel[k * kPanelColumns + o]);
        }
        ASSERT_NEAR(static_cast<double>(c[r * 40 + o]), sum, 2e-5) << rows << ' ' << r << ' ' << o;
      }
      // Nothing behind the panel is written.
      EXPECT_EQ(c[r * 40 + kPanelColumns], -7.0F);
    }
    EXPECT_EQ(c[rows * 40], -7.0F);
  }
}

TEST_P(EachKernels, ARowIsComputedAsIfAlone) {
  constexpr std::size_t kInner = 96;
  constexpr std::size_t kRows = 31;
  const Floats panel = random_floats(kInner * kPanelColumns, 1, 1);
  const Floats bias = random_floats(kPanelColumns, 1, 2);
  const Floats a = random_floats(kRows * kInner, 1, 3);
  Floats together(kRows * kPanelColumns);
  kernels_.multiply(a.data(), kInner, kRows, kInner, panel.data(), bias.data(), together.data(),
                    kPanelColumns);
  for (std::size_t r = 0; r < kRows; ++r) {
    Floats alone(kPanelColumns);
    kernels_.multiply(a.data() + r * kInner, kInner, 1, kInner, panel.data(), bias.data(),
                      alone.data(), kPanelColumns);
    for (std::size_t o = 0; o < kPanelColumns; ++o) {
      ASSERT_EQ(alone[o], together[r * kPanelColumns + o]) << r << ' ' << o;
    }
  }
}

TEST_P(EachKernels, PartsAddUpToTheSameBits) {
  constexpr std::size_t kInner = 160;
  constexpr std::size_t kRows = 14;
  const Floats panel = random_floats(kInner * kPanelColumns, 1, 1);
  const Floats bias = random_floats(kPanelColumns, 1, 2);
  const Floats a = random_floats(kRows * kInner, 1, 3);
  Floats whole(kRows * kPanelColumns);
  Floats parts(kRows * kPanelColumns);
  kernels_.multiply(a.data(), kInner, kRows, kInner, panel.data(), bias.data(), whole.data(),
                    kPanelColumns);
  kernels_.multiply(a.data(), kInner, kRows, 128, panel.data(), bias.data(), parts.data(),
                    kPanelColumns);
  kernels_.multiply(a.data() + 128, kInner, kRows, 32, panel.data() + 128 * kPanelColumns, nullptr,
                    parts.data(), kPanelColumns);
  EXPECT_EQ(whole, parts);
}

TEST_P(EachKernels, UnpackNibbles) {
  std::vector<std::uint8_t> nibbles(192);
  for (std::size_t i = 0; i < nibbles.size(); ++i) nibbles[i] = static_cast<std::uint8_t>(i * 37);
  std::vector<std::uint8_t> bytes(2 * nibbles.size() + 1, 99);
  kernels_.unpack(nibbles.data(), nibbles.size(), bytes.data());
  for (std::size_t i = 0; i < nibbles.size(); ++i) {
    const std::size_t at = i / 64 * 128 + i % 64;
    ASSERT_EQ(bytes[at], nibbles[i] & 15) << i;
    ASSERT_EQ(bytes[at + 64], nibbles[i] >> 4) << i;
  }
  EXPECT_EQ(bytes.back(), 99);
}

TEST_P(EachKernels, QuantiseByHand) {
  // Scales 1, 1/127 · 2 and none; ties go to the even byte.
  Floats x(3 * kBlockInputs);
  x[0] = -127.0F;
  x[1] = 2.5F;
  x[2] = 3.5F;
  x[3] = -0.5F;
  x[31] = 99.6F;
  x[32] = 2.0F;
  x[40] = -1.0F;  // −63.5, the even neighbour is −64.
  x[64] = 1e-31F;
  std::vector<std::int8_t> values(x.size() + 1, 77);
  Floats scales(3);
  std::vector<std::int32_t> offsets(3);
  kernels_.quantise(x.data(), 3, 8, values.data(), scales.data(), offsets.data());
  std::vector<std::int8_t> expected(x.size() + 1, 0);
  expected[0] = -127;
  expected[1] = 2;
  expected[2] = 4;
  expected[31] = 100;
  expected[32] = 127;
  expected[40] = -64;
  expected.back() = 77;
  EXPECT_EQ(values, expected);
  EXPECT_EQ(scales, (Floats{1.0F, 2.0F / 127.0F, 0.0F}));
  EXPECT_EQ(offsets, (std::vector<std::int32_t>{-8 * -21, -8 * 63, 0}));
}

TEST_P(EachKernels, QuantiseWhatIsNoFiniteNumber) {
  for (const float none :
       {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::quiet_NaN(),
        std::numeric_limits<float>::infinity()}) {
    Floats x(2 * kBlockInputs, 1.0F);
    x[5] = none;
    std::vector<std::int8_t> values(x.size(), 77);
    Floats scales(2);
    std::vector<std::int32_t> offsets(2, 7);
    kernels_.quantise(x.data(), 2, 128, values.data(), scales.data(), offsets.data());
    EXPECT_TRUE(std::isnan(scales[0]));
    EXPECT_EQ(values[4], 0);
    EXPECT_EQ(offsets[0], 0);
    EXPECT_EQ(scales[1], 1.0F / 127.0F);
    EXPECT_EQ(offsets[1], -128 * 32 * 127);
  }
}

/// A product of bytes with everything it needs.
struct ByteProduct {
  std::size_t rows;
  std::size_t blocks;
  std::int32_t zero_point;
  std::vector<std::int8_t> values;
  std::vector<std::int32_t> offsets;
  Floats scales;
  std::vector<std::uint8_t> weights;
  Floats weight_scales;
  Floats bias = random_floats(kPanelColumns, 1, 2);

  /// Of the magnitudes that are at the limits of what sums may hold, or of any.
  ByteProduct(std::size_t row_count, std::size_t block_count, std::int32_t zero, bool extreme)
      : rows(row_count),
        blocks(block_count),
        zero_point(zero),
        values(rows * blocks * kBlockInputs),
        scales(random_floats(rows * blocks, 0.1F, 3)),
        weights(blocks * kBlockInputs * kPanelColumns),
        weight_scales(random_floats(blocks * kPanelColumns, 0.1F, 4)) {
    std::mt19937 random(5);
    const unsigned largest = zero_point == kNibbleZero ? 15 : 255;
    for (std::int8_t& value : values) {
      value = static_cast<std::int8_t>(extreme ? (random() % 64 == 0 ? -127 : 127)
                                               : static_cast<int>(random() % 255) - 127);
    }
    for (std::uint8_t& weight : weights) {
      weight = static_cast<std::uint8_t>(extreme ? (random() % 64 == 0 ? 0 : largest)
                                                 : random() % (largest + 1));
    }
    for (std::size_t b = 0; b < rows * blocks; ++b) {
      std::int32_t sum = 0;
      for (std::size_t k = 0; k < kBlockInputs; ++k) sum += values[b * kBlockInputs + k];
      offsets.push_back(-zero_point * sum);
    }
  }

  [[nodiscard]] ByteRows from(std::size_t row, std::size_t block) const {
    return {.values = values.data() + (row * blocks + block) * kBlockInputs,
            .stride = blocks * kBlockInputs,
            .scales = scales.data() + row * blocks + block,
            .offsets = offsets.data() + row * blocks + block,
            .block_stride = blocks};
  }
  [[nodiscard]] BytePanel panel(std::size_t block) const {
    return {.values = weights.data() + block * kBlockInputs * kPanelColumns,
            .scales = weight_scales.data() + block * kPanelColumns};
  }
  void run(const TransformerKernels& kernels, std::size_t row, std::size_t row_count,
           std::size_t block, std::size_t block_count, const float* start, float* c,
           std::size_t stride) const {
    const auto multiply =
        zero_point == kNibbleZero ? kernels.multiply_nibbles : kernels.multiply_bytes;
    multiply(from(row, block), row_count, block_count, panel(block), start, c, stride);
  }
  /// To the bit what TransformerKernels says.
  [[nodiscard]] float expected(std::size_t row, std::size_t output) const {
    float c = bias[output];
    for (std::size_t b = 0; b < blocks; ++b) {
      std::int32_t sum = 0;
      for (std::size_t k = 0; k < kBlockInputs; ++k) {
        const std::size_t input = b * kBlockInputs + k;
        const int weight = weights[(input / 4 * kPanelColumns + output) * 4 + input % 4];
        sum += (weight - zero_point) * values[row * blocks * kBlockInputs + input];
      }
      c = std::fma(static_cast<float>(sum),
                   weight_scales[b * kPanelColumns + output] * scales[row * blocks + b], c);
    }
    return c;
  }
};

TEST_P(EachKernels, MultiplyBytesByHand) {
  // One row of 1, 2, 3, … 32 times 0.5; output 0 has the weights 1, output 31 the weights −2, both
  // times 0.25, the others none: 528 · 0.125 and −1056 · 0.125, and the bias.
  std::vector<std::int8_t> values(kBlockInputs);
  for (std::size_t k = 0; k < kBlockInputs; ++k) values[k] = static_cast<std::int8_t>(k + 1);
  const float scale = 0.5F;
  for (const std::int32_t zero : {kNibbleZero, kByteZero}) {
    std::vector<std::uint8_t> weights(kBlockInputs * kPanelColumns,
                                      static_cast<std::uint8_t>(zero));
    for (std::size_t k = 0; k < kBlockInputs; ++k) {
      weights[k / 4 * 128 + k % 4] = static_cast<std::uint8_t>(zero + 1);
      weights[k / 4 * 128 + 124 + k % 4] = static_cast<std::uint8_t>(zero - 2);
    }
    const Floats weight_scales(kPanelColumns, 0.25F);
    const Floats bias(kPanelColumns, 10.0F);
    const std::int32_t offset = -zero * 528;
    Floats c(kPanelColumns);
    (zero == kNibbleZero ? kernels_.multiply_nibbles : kernels_.multiply_bytes)(
        {values.data(), kBlockInputs, &scale, &offset, 1}, 1, 1,
        {weights.data(), weight_scales.data()}, bias.data(), c.data(), kPanelColumns);
    Floats expected(kPanelColumns, 10.0F);
    expected[0] = 76.0F;
    expected[31] = -122.0F;
    EXPECT_EQ(c, expected);
  }
}

TEST_P(EachKernels, MultiplyBytesToTheBit) {
  for (const std::int32_t zero : {kNibbleZero, kByteZero}) {
    for (const bool extreme : {false, true}) {
      for (const std::size_t rows : {1U, 2U, 5U, 8U, 12U, 13U, 29U}) {
        const ByteProduct product(rows, 5, zero, extreme);
        Floats c((rows + 1) * 40, -7.0F);
        product.run(kernels_, 0, rows, 0, 5, product.bias.data(), c.data(), 40);
        for (std::size_t r = 0; r < rows; ++r) {
          for (std::size_t o = 0; o < kPanelColumns; ++o) {
            ASSERT_EQ(c[r * 40 + o], product.expected(r, o)) << zero << ' ' << r << ' ' << o;
          }
          // Nothing behind the panel is written.
          EXPECT_EQ(c[r * 40 + kPanelColumns], -7.0F);
        }
        EXPECT_EQ(c[rows * 40], -7.0F);
      }
    }
  }
}

TEST_P(EachKernels, BytesOfARowAndPartsAddUpToTheSameBits) {
  for (const std::int32_t zero : {kNibbleZero, kByteZero}) {
    constexpr std::size_t kRows = 31;
    const ByteProduct product(kRows, 6, zero, false);
    Floats whole(kRows * kPanelColumns);
    Floats parts(kRows * kPanelColumns);
    product.run(kernels_, 0, kRows, 0, 6, product.bias.data(), whole.data(), kPanelColumns);
    for (std::size_t r = 0; r < kRows; ++r) {
      float* row = &parts[r * kPanelColumns];
      product.run(kernels_, r, 1, 0, 4, product.bias.data(), row, kPanelColumns);
      product.run(kernels_, r, 1, 4, 2, nullptr, row, kPanelColumns);
    }
    EXPECT_EQ(whole, parts);
  }
}

TEST_P(EachKernels, GeluAsInDoublePrecision) {
  Floats x;
  for (int i = -1200; i < 1200; ++i) x.push_back(static_cast<float>(i) / 100.0F);
  ASSERT_EQ(x.size() % 16, 0U);
  Floats y = x;
  kernels_.gelu(y.data(), y.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto value = static_cast<double>(x[i]);
    EXPECT_NEAR(static_cast<double>(y[i]),
                0.5 * value * (1.0 + std::erf(value / std::numbers::sqrt2)), 1e-6)
        << value;
  }
}

TEST_P(EachKernels, SoftmaxAsInDoublePrecision) {
  for (const std::size_t count : {1U, 2U, 15U, 16U, 17U, 200U}) {
    Floats x = random_floats((count + 15) / 16 * 16, 5, 6);
    x[count / 2] = -400.0F;  // Its share is too small for a float.
    const Floats scores = x;
    kernels_.softmax(x.data(), count, 0.25F);
    double all = 0;
    const auto share = [&](std::size_t i) {
      return std::exp(0.25 * (static_cast<double>(scores[i]) - static_cast<double>(scores[0])));
    };
    for (std::size_t i = 0; i < count; ++i) all += share(i);
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_NEAR(static_cast<double>(x[i]), share(i) / all, 2e-7 + 1e-6 * share(i) / all) << i;
    }
    for (std::size_t i = count; i < x.size(); ++i) EXPECT_EQ(x[i], 0.0F);
  }
}

TEST_P(EachKernels, NormAsInDoublePrecision) {
  for (const std::size_t width : {5U, 16U, 24U, 384U}) {
    const std::size_t padded = (width + 15) / 16 * 16;
    const auto row = [&](float scale, unsigned seed) {
      Floats values = random_floats(padded, scale, seed);
      std::fill(values.begin() + static_cast<std::ptrdiff_t>(width), values.end(), 0.0F);
      return values;
    };
    Floats x = row(3, 7);
    const Floats before = x;
    const Floats residual = row(1, 8);
    const Floats gain = row(1, 9);
    const Floats bias = row(1, 10);
    kernels_.add_and_norm(x.data(), residual.data(), gain.data(), bias.data(), width, 1e-5F);
    const auto sum = [&](std::size_t i) {
      return static_cast<double>(before[i]) + static_cast<double>(residual[i]);
    };
    double mean = 0;
    double variance = 0;
    for (std::size_t i = 0; i < width; ++i) mean += sum(i) / static_cast<double>(width);
    for (std::size_t i = 0; i < width; ++i) {
      variance += (sum(i) - mean) * (sum(i) - mean) / static_cast<double>(width);
    }
    for (std::size_t i = 0; i < width; ++i) {
      EXPECT_NEAR(static_cast<double>(x[i]),
                  (sum(i) - mean) / std::sqrt(variance + 1e-5) * static_cast<double>(gain[i]) +
                      static_cast<double>(bias[i]),
                  5e-6);
    }
    for (std::size_t i = width; i < padded; ++i) EXPECT_EQ(x[i], 0.0F);
  }
}

TEST_P(EachKernels, WhatIsNoNumberStaysNone) {
  constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
  Floats x(16, 1.0F);
  x[5] = kNone;
  Floats y = x;
  kernels_.gelu(y.data(), 16);
  EXPECT_TRUE(std::isnan(y[5]));
  EXPECT_FALSE(std::isnan(y[4]));
  kernels_.softmax(x.data(), 16, 1.0F);
  EXPECT_TRUE(std::isnan(x[0]));
}

TEST_P(EachKernels, ProductsAndSumsAreRoundedOnce) {
  // In double precision 1 + 2^-23 + 2^-24 · (1 − 2^-30) is half-way between two floats, of which
  // the even one is too large. Below the normal floats there are fewer bits.
  const Floats a = {0x1p-24F * (1 + 0x1p-15F), 0x1p-24F * (1 + 0x1p-15F), 0x1.8p-75F, 0x1p-75F,
                    -3.0F};
  const Floats factor = {1 - 0x1p-15F, 1 - 0x1p-15F, 0x1.fffffep-76F, 0x1.8p-74F, 0.0F};
  const Floats addend = {1 + 0x1p-23F, -1 - 0x1p-23F, 0x1p-149F, 0x1p-148F, 0.0F};
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Floats panel(kPanelColumns, factor[i]);
    const Floats bias(kPanelColumns, addend[i]);
    Floats c(kPanelColumns);
    kernels_.multiply(&a[i], 1, 1, 1, panel.data(), bias.data(), c.data(), kPanelColumns);
    EXPECT_EQ(c, Floats(kPanelColumns, std::fma(a[i], factor[i], addend[i]))) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(TransformerKernels, EachKernels,
                         testing::ValuesIn(runnable_transformer_kernels().begin(),
                                           runnable_transformer_kernels().end()),
                         [](const auto& test) { return std::string(test.param->name); });

TEST(TransformerKernels, AllGiveTheSameBits) {
  constexpr std::size_t kRows = 17;
  constexpr std::size_t kInner = 384;
  const Floats a = random_floats(kRows * kInner, 1, 1);
  const Floats panel = random_floats(kInner * kPanelColumns, 0.1F, 2);
  const Floats bias = random_floats(kInner, 1, 3);
  const Floats gain = random_floats(kInner, 1, 4);
  const auto run = [&](const TransformerKernels& kernels) {
    Floats out(kRows * kPanelColumns);
    kernels.multiply(a.data(), kInner, kRows, kInner, panel.data(), bias.data(), out.data(),
                     kPanelColumns);
    kernels.gelu(out.data(), out.size());
    for (std::size_t r = 0; r < kRows; ++r) kernels.softmax(&out[r * kPanelColumns], 27, 0.3F);
    Floats row(a.begin(), a.begin() + kInner);
    kernels.add_and_norm(row.data(), bias.data(), gain.data(), bias.data(), kInner, 1e-12F);
    out.insert(out.end(), row.begin(), row.end());
    std::vector<std::int8_t> values(a.size());
    std::vector<std::int32_t> offsets(a.size() / kBlockInputs);
    Floats scales(a.size() / kBlockInputs);
    kernels.quantise(a.data(), scales.size(), kByteZero, values.data(), scales.data(),
                     offsets.data());
    out.insert(out.end(), values.begin(), values.end());
    out.insert(out.end(), scales.begin(), scales.end());
    for (const std::int32_t offset : offsets) out.push_back(static_cast<float>(offset));
    return out;
  };
  const Floats plain = run(plain_transformer_kernels());
  for (const TransformerKernels* kernels : runnable_transformer_kernels()) {
    EXPECT_EQ(run(*kernels), plain) << kernels->name;
  }
}

}  // namespace
}  // namespace beleg

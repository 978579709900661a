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

TEST_P(EachKernels, WidenFourBits) {
  constexpr std::size_t kInner = 64;
  std::vector<std::uint8_t> nibbles(kInner * kPanelColumns / 2);
  std::mt19937 random(4);
  for (std::uint8_t& pair : nibbles) pair = static_cast<std::uint8_t>(random());
  Floats scales(kInner);  // Of half precision: eleven bits.
  for (float& scale : scales) scale = static_cast<float>(random() % 2048) * 0x1p-16F - 0x1p-6F;
  Floats panel(kInner * kPanelColumns);
  kernels_.widen(nibbles.data(), scales.data(), kInner, panel.data());
  for (std::size_t k = 0; k < kInner; ++k) {
    for (std::size_t o = 0; o < kPanelColumns; ++o) {
      const int pair = nibbles[k * 16 + o % 16];
      const int weight = (o < 16 ? pair & 15 : pair >> 4) - 8;
      ASSERT_EQ(panel[k * kPanelColumns + o],
                static_cast<float>(weight) * scales[k / 32 * kPanelColumns + o])
          << k << ' ' << o;
    }
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

INSTANTIATE_TEST_SUITE_P(TransformerKernels, EachKernels,
                         testing::ValuesIn(runnable_transformer_kernels().begin(),
                                           runnable_transformer_kernels().end()),
                         [](const auto& test) { return std::string(test.param->name); });

/// Both round products and sums once.
TEST(TransformerKernels, AllWithFusedProductsGiveTheSameBits) {
  const auto runnable = runnable_transformer_kernels();
  if (runnable.size() < 3) GTEST_SKIP() << "this processor runs one vector instruction set only";
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
    return out;
  };
  EXPECT_EQ(run(*runnable[1]), run(*runnable[2]));
}

}  // namespace
}  // namespace beleg

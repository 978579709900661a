#include "model/weight_matrix.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "model/e5_test_support.h"

namespace beleg {
namespace {

constexpr std::size_t kGroupBytes = 4 * kPanelColumns;

std::vector<float> random_floats(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0.0F, 1.0F);
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

/// The weight of an output for an input, as its panel has it.
float weight_of(const WeightMatrix& matrix, std::size_t output, std::size_t input) {
  std::vector<std::uint8_t> scratch(WeightMatrix::kPartInputs * kPanelColumns);
  const std::size_t first = input / WeightMatrix::kPartInputs * WeightMatrix::kPartInputs;
  const BytePanel panel =
      matrix.bytes(output / kPanelColumns, first, plain_transformer_kernels(), scratch);
  const std::size_t at = input - first;
  const std::size_t column = output % kPanelColumns;
  const int byte = panel.values[at / 4 * kGroupBytes + column * 4 + at % 4];
  return static_cast<float>(byte - matrix.zero_point()) *
         panel.scales[at / kBlockInputs * kPanelColumns + column];
}

TEST(WeightMatrix, FourBitsAreThoseOfTheFile) {
  // Two matrices of 40 and 10 outputs: two panels, the second with 14 outputs over.
  constexpr std::size_t kInputs = 544;  // More than a part.
  WeightMatrix matrix = WeightMatrix::of_four_bits(50, kInputs);
  std::vector<float> all;
  for (const std::size_t rows : {40U, 10U}) {
    std::vector<float> values = test::spread(static_cast<std::uint32_t>(rows), rows * kInputs);
    for (float& value : values) value = std::floor(value * 15.0F) * 0.03125F;
    const std::string bytes = test::pack_q4(values);
    matrix.set_outputs(
        all.size() / kInputs,
        {.bytes = std::as_bytes(std::span(bytes)), .rows = rows, .columns = kInputs});
    all.insert(all.end(), values.begin(), values.end());
  }
  for (std::size_t o = 0; o < matrix.panels() * kPanelColumns; ++o) {
    for (const std::size_t i : {0U, 1U, 15U, 16U, 31U, 32U, 300U, 511U, 512U, 543U}) {
      ASSERT_EQ(weight_of(matrix, o, i), o < 50 ? all[o * kInputs + i] : 0.0F) << o << ' ' << i;
    }
  }
}

TEST(WeightMatrix, EightBitsAreTheNearest) {
  WeightMatrix matrix = WeightMatrix::of_eight_bits(40, 64);
  std::vector<float> weights(kBlockInputs * 3);  // Input by input, of outputs 31 to 33.
  weights[0] = 12.7F;                            // Of output 31, input 32: the step is 0.1.
  weights[3] = -0.26F;
  weights[7] = 5.0F;  // Of output 32, input 34.
  weights[4] = -5.0F;
  weights[2] = std::numeric_limits<float>::infinity();
  matrix.set_block(1, 31, weights);
  EXPECT_FLOAT_EQ(weight_of(matrix, 31, 32), 12.7F);
  EXPECT_FLOAT_EQ(weight_of(matrix, 31, 33), -0.3F);
  EXPECT_FLOAT_EQ(weight_of(matrix, 32, 34), 5.0F);
  EXPECT_FLOAT_EQ(weight_of(matrix, 32, 33), -5.0F);
  EXPECT_EQ(weight_of(matrix, 32, 32), 0.0F);
  EXPECT_TRUE(std::isnan(weight_of(matrix, 33, 40)));
  EXPECT_EQ(weight_of(matrix, 31, 0), 0.0F);
  EXPECT_EQ(weight_of(matrix, 34, 32), 0.0F);
}

TEST(WeightMatrix, ProductsAreWithinTheBoundOfTheirRounding) {
  // An activation is off by half a step at most, a weight of eight bits too. What is off in a
  // product is then at most |w| · step(a) / 2 + |a| · step(w) / 2 + step(a) · step(w) / 4.
  constexpr std::size_t kInputs = 96;
  const std::vector<float> a = random_floats(kInputs, 1);
  const std::vector<float> weights = random_floats(kInputs * kPanelColumns, 2);
  WeightMatrix matrix = WeightMatrix::of_eight_bits(kPanelColumns, kInputs);
  for (std::size_t b = 0; b < kInputs / kBlockInputs; ++b) {
    const std::size_t size = kBlockInputs * kPanelColumns;
    matrix.set_block(b, 0, std::span(weights).subspan(b * size, size));
  }
  const auto largest = [](std::size_t first, const auto& value) {
    float found = 0;
    for (std::size_t k = 0; k < kBlockInputs; ++k)
      found = std::max(found, std::abs(value(first + k)));
    return static_cast<double>(found);
  };
  for (const TransformerKernels* kernels : runnable_transformer_kernels()) {
    std::vector<std::int8_t> values(kInputs);
    std::vector<float> scales(kInputs / kBlockInputs);
    std::vector<std::int32_t> offsets(kInputs / kBlockInputs);
    kernels->quantise(a.data(), scales.size(), matrix.zero_point(), values.data(), scales.data(),
                      offsets.data());
    const std::vector<float> bias(kPanelColumns);
    std::vector<float> c(kPanelColumns);
    kernels->multiply_bytes({values.data(), kInputs, scales.data(), offsets.data(), scales.size()},
                            1, scales.size(), matrix.bytes(0, 0, *kernels, {}), bias.data(),
                            c.data(), kPanelColumns);
    for (std::size_t o = 0; o < kPanelColumns; ++o) {
      double exact = 0;
      double bound = 1e-5;  // Of the sums of floats.
      for (std::size_t i = 0; i < kInputs; ++i) {
        const std::size_t first = i / kBlockInputs * kBlockInputs;
        const auto weight = static_cast<double>(weights[i * kPanelColumns + o]);
        const auto value = static_cast<double>(a[i]);
        const double value_step = largest(first, [&](std::size_t k) { return a[k]; }) / 127;
        const double weight_step =
            largest(first, [&](std::size_t k) { return weights[k * kPanelColumns + o]; }) / 127;
        exact += value * weight;
        bound += std::abs(weight) * value_step / 2 + std::abs(value) * weight_step / 2 +
                 value_step * weight_step / 4;
      }
      EXPECT_NEAR(static_cast<double>(c[o]), exact, bound) << kernels->name;
      // Errors of either sign cancel: a product that is only just within the bound is wrong.
      EXPECT_NEAR(static_cast<double>(c[o]), exact, bound / 4) << kernels->name;
    }
  }
}

}  // namespace
}  // namespace beleg

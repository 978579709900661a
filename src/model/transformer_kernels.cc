#include "model/transformer_kernels.h"

#include <bit>
#include <cmath>
#include <vector>

namespace beleg {
namespace {

#define BELEG_TARGET

/// Four floats in plain C++, which compilers turn into whatever registers there are.
struct Lanes {
  static constexpr std::size_t kCount = 4;
  static constexpr int kRows = 6;
  float value[kCount];

  static Lanes load(const float* from) { return {{from[0], from[1], from[2], from[3]}}; }
  void store(float* to) const {
    for (std::size_t i = 0; i < kCount; ++i) to[i] = value[i];
  }
  static Lanes all(float one) { return {{one, one, one, one}}; }
  static Lanes low_nibbles(const std::uint8_t* from) {
    return each([&](std::size_t i) { return static_cast<float>(from[i] & 15U); });
  }
  static Lanes high_nibbles(const std::uint8_t* from) {
    return each([&](std::size_t i) { return static_cast<float>(from[i] >> 4U); });
  }
  template <class Function>
  static Lanes each(const Function& function) {
    return {{function(0), function(1), function(2), function(3)}};
  }
};

Lanes operator+(Lanes a, Lanes b) {
  return Lanes::each([&](std::size_t i) { return a.value[i] + b.value[i]; });
}
Lanes operator-(Lanes a, Lanes b) {
  return Lanes::each([&](std::size_t i) { return a.value[i] - b.value[i]; });
}
Lanes operator*(Lanes a, Lanes b) {
  return Lanes::each([&](std::size_t i) { return a.value[i] * b.value[i]; });
}
Lanes operator/(Lanes a, Lanes b) {
  return Lanes::each([&](std::size_t i) { return a.value[i] / b.value[i]; });
}
Lanes fma(Lanes a, Lanes b, Lanes c) {
#if defined(__FP_FAST_FMAF)
  return Lanes::each(
      [&](std::size_t i) { return __builtin_fmaf(a.value[i], b.value[i], c.value[i]); });
#else
  // Rounded twice: without the instruction one rounding would cost a function call a product.
  return a * b + c;
#endif
}
Lanes max(Lanes a, Lanes b) {
  return Lanes::each(
      [&](std::size_t i) { return a.value[i] > b.value[i] ? a.value[i] : b.value[i]; });
}
Lanes min(Lanes a, Lanes b) {
  return Lanes::each(
      [&](std::size_t i) { return a.value[i] < b.value[i] ? a.value[i] : b.value[i]; });
}
Lanes round(Lanes a) {
  return Lanes::each([&](std::size_t i) { return std::nearbyint(a.value[i]); });
}
Lanes power_of_two(Lanes exponent) {
  return Lanes::each([&](std::size_t i) {
    // What is no number has no exponent; the product it is for is none then, whatever this is.
    const int whole = std::isnan(exponent.value[i]) ? 0 : static_cast<int>(exponent.value[i]);
    return std::bit_cast<float>(static_cast<std::uint32_t>(whole + 127) << 23U);
  });
}
Lanes zero_below(Lanes x, float limit, Lanes value) {
  return Lanes::each([&](std::size_t i) { return x.value[i] < limit ? 0.0F : value.value[i]; });
}

#include "model/transformer_kernels.inc"

std::vector<const TransformerKernels*> find_runnable() {
  std::vector<const TransformerKernels*> found = {&plain_transformer_kernels()};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    found.push_back(&avx2_transformer_kernels());
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl")) {
      found.push_back(&avx512_transformer_kernels());
    }
  }
#endif
  return found;
}

}  // namespace

const TransformerKernels& plain_transformer_kernels() {
  static constexpr TransformerKernels kKernels = kernels_named("plain");
  return kKernels;
}

std::span<const TransformerKernels* const> runnable_transformer_kernels() {
  static const std::vector<const TransformerKernels*> kFound = find_runnable();
  return kFound;
}

const TransformerKernels& best_transformer_kernels() {
  return *runnable_transformer_kernels().back();
}

}  // namespace beleg

#include "model/transformer_kernels.h"

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <vector>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace beleg {
namespace {

#define BELEG_TARGET

typedef std::int32_t Ints [[gnu::vector_size(4 * sizeof(std::int32_t))]];

/// Four floats in plain C++, which compilers turn into whatever registers there are.
struct Lanes {
  static constexpr std::size_t kCount = 4;
  static constexpr int kRows = 6;
  typedef float Floats [[gnu::vector_size(kCount * sizeof(float))]];
  Floats value;

  static Lanes load(const float* from) { return {Floats{from[0], from[1], from[2], from[3]}}; }
  void store(float* to) const { std::memcpy(to, &value, sizeof value); }
  static Lanes all(float one) { return {Floats{one, one, one, one}}; }
  template <class Function>
  static Lanes each(const Function& function) {
    return {Floats{function(0), function(1), function(2), function(3)}};
  }
};

Lanes operator+(Lanes a, Lanes b) { return {a.value + b.value}; }
Lanes operator-(Lanes a, Lanes b) { return {a.value - b.value}; }
Lanes operator*(Lanes a, Lanes b) { return {a.value * b.value}; }
Lanes operator/(Lanes a, Lanes b) { return {a.value / b.value}; }
#if defined(__FP_FAST_FMAF)
Lanes fma(Lanes a, Lanes b, Lanes c) {
  return Lanes::each(
      [&](std::size_t i) { return __builtin_fmaf(a.value[i], b.value[i], c.value[i]); });
}
#else
/// a · b + c, rounded once. The product is exact in double precision; the sum is rounded there to
/// odd, after which rounding to a float is as if it were the only one (Boldo & Melquiond 2008). The
/// error of the sum is that of Knuth's TwoSum.
[[gnu::noinline]] float fused(float a, float b, float c) {
  const double product = static_cast<double>(a) * static_cast<double>(b);
  const auto addend = static_cast<double>(c);
  const double sum = product + addend;
  const double part = sum - product;
  const double error = (product - (sum - part)) + (addend - part);
  auto bits = std::bit_cast<std::uint64_t>(sum);
  const bool inexact = error < 0 || error > 0;  // Not where it is no number.
  if (inexact && bits % 2 == 0) bits += (error > 0) == (sum > 0) ? 1U : ~std::uint64_t{0};
  return static_cast<float>(std::bit_cast<double>(bits));
}

#if defined(__x86_64__)
/// Rounding a sum to a double and then to a float differs from rounding it once only where the
/// double lies half-way between two floats, or is near the smallest: almost nowhere.
Lanes fma(Lanes a, Lanes b, Lanes c) {
  constexpr int kBelowFloat = (1 << 29) - 1;
  constexpr int kHalfWay = 1 << 28;
  const __m128 left = a.value;
  const __m128 right = b.value;
  const __m128 addend = c.value;
  const auto high = [](__m128 four) { return _mm_cvtps_pd(_mm_movehl_ps(four, four)); };
  const __m128d first =
      _mm_add_pd(_mm_mul_pd(_mm_cvtps_pd(left), _mm_cvtps_pd(right)), _mm_cvtps_pd(addend));
  const __m128d second = _mm_add_pd(_mm_mul_pd(high(left), high(right)), high(addend));
  const __m128 rounded = _mm_movelh_ps(_mm_cvtpd_ps(first), _mm_cvtpd_ps(second));
  const __m128 low = _mm_shuffle_ps(_mm_castpd_ps(first), _mm_castpd_ps(second), 0b10001000);
  const __m128i half = _mm_cmpeq_epi32(
      _mm_and_si128(_mm_castps_si128(low), _mm_set1_epi32(kBelowFloat)), _mm_set1_epi32(kHalfWay));
  // Floats below the normal ones have fewer bits.
  const __m128 magnitude = _mm_andnot_ps(_mm_set1_ps(-0.0F), rounded);
  const __m128 small = _mm_and_ps(_mm_cmple_ps(magnitude, _mm_set1_ps(FLT_MIN)),
                                  _mm_cmpneq_ps(rounded, _mm_setzero_ps()));
  if (_mm_movemask_ps(_mm_or_ps(_mm_castsi128_ps(half), small)) != 0) [[unlikely]] {
    return Lanes::each([&](std::size_t i) { return fused(a.value[i], b.value[i], c.value[i]); });
  }
  return {rounded};
}
#else
Lanes fma(Lanes a, Lanes b, Lanes c) {
  return Lanes::each([&](std::size_t i) { return fused(a.value[i], b.value[i], c.value[i]); });
}
#endif
#endif
Lanes max(Lanes a, Lanes b) { return {a.value > b.value ? a.value : b.value}; }
Lanes min(Lanes a, Lanes b) { return {a.value < b.value ? a.value : b.value}; }
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

struct Block {
  const float* values;

  static Block load(const float* from) { return {from}; }
  [[nodiscard]] std::uint32_t largest() const {
    std::uint32_t best = 0;
    for (std::size_t i = 0; i < kBlockInputs; ++i) {
      best = std::max(best, std::bit_cast<std::uint32_t>(values[i]) & 0x7fffffffU);
    }
    return best;
  }
  [[nodiscard]] std::int32_t store(float factor, std::int8_t* to) const {
    // Adding 1.5 · 2^23 leaves no bits for a fraction: rounded to nearest, even on ties.
    constexpr float kNoFraction = 12582912.0F;
    std::int32_t sum = 0;
    for (std::size_t i = 0; i < kBlockInputs; ++i) {
      const float rounded = (values[i] * factor + kNoFraction) - kNoFraction;
      const auto whole = static_cast<std::int32_t>(rounded);
      to[i] = static_cast<std::int8_t>(whole);
      sum += whole;
    }
    return sum;
  }
  static void fill(std::int8_t* to) { std::fill_n(to, kBlockInputs, std::int8_t{0}); }
};

void unpack(const std::uint8_t* nibbles, std::size_t count, std::uint8_t* bytes) {
  constexpr std::size_t kTogether = 64;
  for (std::size_t i = 0; i < count; i += kTogether) {
    for (std::size_t j = 0; j < kTogether; ++j) {
      bytes[2 * i + j] = nibbles[i + j] & 15U;
      bytes[2 * i + kTogether + j] = nibbles[i + j] >> 4U;
    }
  }
}

typedef std::int16_t Shorts [[gnu::vector_size(16)]];
typedef std::uint8_t EightBytes [[gnu::vector_size(8)]];
typedef std::int8_t EightSignedBytes [[gnu::vector_size(8)]];

/// Sums of products of nibbles for four outputs and four inputs, which are added up at the end of a
/// block: eight products of 15 · 127 fit into 16 bits. A byte is two nibbles.
template <std::size_t Nibbles>
struct PlainDots {
  static constexpr int kRows = Nibbles == 1 ? 3 : 2;
  static constexpr std::size_t kHalves = 2;
  struct Weights {
    Shorts value[Nibbles][kHalves];
    static Weights load(const std::uint8_t* from) {
      Weights weights;
      for (std::size_t h = 0; h < kHalves; ++h) {
        EightBytes eight;
        std::memcpy(&eight, from + h * sizeof eight, sizeof eight);
        const Shorts whole = __builtin_convertvector(eight, Shorts);
        weights.value[0][h] = Nibbles == 1 ? whole : whole & 15;
        if constexpr (Nibbles == 2) weights.value[1][h] = whole >> 4;
      }
      return weights;
    }
  };
  struct Values {
    Shorts value;
    static Values all(const std::int8_t* four) {
      EightSignedBytes twice;
      std::memcpy(&twice, four, 4);
      std::memcpy(reinterpret_cast<char*>(&twice) + 4, four, 4);
      return {__builtin_convertvector(twice, Shorts)};
    }
  };
  struct Sum {
    Shorts value[Nibbles][kHalves];
  };
  static Sum start(const std::int32_t* /*offset*/) { return {}; }
  static Sum add(Sum sum, const Weights& weights, const Values& values) {
    for (std::size_t n = 0; n < Nibbles; ++n) {
      for (std::size_t h = 0; h < kHalves; ++h) {
        sum.value[n][h] += weights.value[n][h] * values.value;
      }
    }
    return sum;
  }
  static Lanes total(const Sum& sum, const std::int32_t* offset) {
    Ints whole = Ints{} + *offset;
    for (std::size_t n = 0; n < Nibbles; ++n) {
      const Ints first = sums_of_pairs(sum.value[n][0]);
      const Ints second = sums_of_pairs(sum.value[n][1]);
      const Ints part = __builtin_shufflevector(first, second, 0, 2, 4, 6) +
                        __builtin_shufflevector(first, second, 1, 3, 5, 7);
      whole += n == 0 ? part : part * 16;
    }
    return Lanes::each([&](std::size_t i) { return static_cast<float>(whole[i]); });
  }
  static Ints sums_of_pairs(Shorts values) {
    const auto pairs = std::bit_cast<Ints>(values);
    return (pairs >> 16) + ((pairs << 16) >> 16);
  }
};
using NibbleDots = PlainDots<1>;
using ByteDots = PlainDots<2>;

#include "model/byte_kernels.inc"

std::vector<const TransformerKernels*> find_runnable() {
  std::vector<const TransformerKernels*> found = {&plain_transformer_kernels()};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    found.push_back(&avx2_transformer_kernels());
    if (__builtin_cpu_supports("avxvnni")) found.push_back(&avx_vnni_transformer_kernels());
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl")) {
      found.push_back(&avx512_transformer_kernels());
      if (__builtin_cpu_supports("avx512vnni")) found.push_back(&avx512_vnni_transformer_kernels());
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

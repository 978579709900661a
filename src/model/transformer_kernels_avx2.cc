#include "model/transformer_kernels.h"

#if defined(__x86_64__)

#include <immintrin.h>

namespace beleg {
namespace {

#define BELEG_TARGET [[gnu::target("avx2,fma")]]

struct Lanes {
  static constexpr std::size_t kCount = 8;
  static constexpr int kRows = 6;
  __m256 value;

  BELEG_TARGET static Lanes load(const float* from) { return {_mm256_loadu_ps(from)}; }
  BELEG_TARGET void store(float* to) const { _mm256_storeu_ps(to, value); }
  BELEG_TARGET static Lanes all(float one) { return {_mm256_set1_ps(one)}; }
};

BELEG_TARGET Lanes operator+(Lanes a, Lanes b) { return {_mm256_add_ps(a.value, b.value)}; }
BELEG_TARGET Lanes operator-(Lanes a, Lanes b) { return {_mm256_sub_ps(a.value, b.value)}; }
BELEG_TARGET Lanes operator*(Lanes a, Lanes b) { return {_mm256_mul_ps(a.value, b.value)}; }
BELEG_TARGET Lanes operator/(Lanes a, Lanes b) { return {_mm256_div_ps(a.value, b.value)}; }
BELEG_TARGET Lanes fma(Lanes a, Lanes b, Lanes c) {
  return {_mm256_fmadd_ps(a.value, b.value, c.value)};
}
BELEG_TARGET Lanes max(Lanes a, Lanes b) { return {_mm256_max_ps(a.value, b.value)}; }
BELEG_TARGET Lanes min(Lanes a, Lanes b) { return {_mm256_min_ps(a.value, b.value)}; }
BELEG_TARGET Lanes round(Lanes a) {
  return {_mm256_round_ps(a.value, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)};
}
BELEG_TARGET Lanes power_of_two(Lanes exponent) {
  const __m256i biased =
      _mm256_add_epi32(_mm256_cvtps_epi32(exponent.value), _mm256_set1_epi32(127));
  return {_mm256_castsi256_ps(_mm256_slli_epi32(biased, 23))};
}
BELEG_TARGET Lanes zero_below(Lanes x, float limit, Lanes value) {
  return {_mm256_and_ps(_mm256_cmp_ps(x.value, _mm256_set1_ps(limit), _CMP_NLT_UQ), value.value)};
}

#include "model/transformer_kernels.inc"

struct Block {
  static constexpr std::size_t kParts = kBlockInputs / Lanes::kCount;
  __m256 part[kParts];

  BELEG_TARGET static Block load(const float* from) {
    return {{_mm256_loadu_ps(from), _mm256_loadu_ps(from + 8), _mm256_loadu_ps(from + 16),
             _mm256_loadu_ps(from + 24)}};
  }
  BELEG_TARGET std::uint32_t largest() const {
    const __m256i magnitude = _mm256_set1_epi32(0x7fffffff);
    __m256i best = _mm256_setzero_si256();
    for (const __m256 some : part) {
      best = _mm256_max_epi32(best, _mm256_and_si256(_mm256_castps_si256(some), magnitude));
    }
    __m128i four = _mm_max_epi32(_mm256_castsi256_si128(best), _mm256_extracti128_si256(best, 1));
    four = _mm_max_epi32(four, _mm_shuffle_epi32(four, 0b01001110));
    four = _mm_max_epi32(four, _mm_shuffle_epi32(four, 0b10110001));
    return static_cast<std::uint32_t>(_mm_cvtsi128_si32(four));
  }
  BELEG_TARGET std::int32_t store(float factor, std::int8_t* to) const {
    const __m256 factors = _mm256_set1_ps(factor);
    __m256i whole[kParts];
    for (std::size_t i = 0; i < kParts; ++i) {
      whole[i] = _mm256_cvtps_epi32(_mm256_mul_ps(part[i], factors));
    }
    // Packing works in halves of a register: the order of fours is 0 2 4 6 1 3 5 7 afterwards.
    const __m256i bytes = _mm256_packs_epi16(_mm256_packs_epi32(whole[0], whole[1]),
                                             _mm256_packs_epi32(whole[2], whole[3]));
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_permutevar8x32_epi32(bytes, order));
    const __m256i sums = _mm256_add_epi32(_mm256_add_epi32(whole[0], whole[1]),
                                          _mm256_add_epi32(whole[2], whole[3]));
    __m128i four = _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
    four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0b01001110));
    four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0b10110001));
    return _mm_cvtsi128_si32(four);
  }
  BELEG_TARGET static void fill(std::int8_t* to) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_setzero_si256());
  }
};

BELEG_TARGET void store_low(std::uint8_t* to, __m256i bytes) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                      _mm256_and_si256(bytes, _mm256_set1_epi8(15)));
}

BELEG_TARGET void unpack(const std::uint8_t* nibbles, std::size_t count, std::uint8_t* bytes) {
  for (std::size_t i = 0; i < count; i += 64) {
    __builtin_prefetch(nibbles + count + i);  // What is asked for next.
    const auto* from = reinterpret_cast<const __m256i*>(nibbles + i);
    const __m256i first = _mm256_loadu_si256(from);
    const __m256i second = _mm256_loadu_si256(from + 1);
    store_low(bytes + 2 * i, first);
    store_low(bytes + 2 * i + 32, second);
    store_low(bytes + 2 * i + 64, _mm256_srli_epi16(first, 4));
    store_low(bytes + 2 * i + 96, _mm256_srli_epi16(second, 4));
  }
}

struct WeightBytes {
  __m256i value;
  BELEG_TARGET static WeightBytes load(const std::uint8_t* from) {
    return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))};
  }
};

struct ValueBytes {
  __m256i value;
  BELEG_TARGET static ValueBytes all(const std::int8_t* four) {
    std::int32_t bits = 0;
    __builtin_memcpy(&bits, four, sizeof bits);
    return {_mm256_set1_epi32(bits)};
  }
};

namespace without_vnni {

/// Sums of pairs in 16 bits: sixteen products of 15 · 127 fit.
struct NibbleDots {
  static constexpr int kRows = 5;
  using Weights = WeightBytes;
  using Values = ValueBytes;
  using Sum = __m256i;
  BELEG_TARGET static Sum start(const std::int32_t* /*offset*/) { return _mm256_setzero_si256(); }
  BELEG_TARGET static Sum add(Sum sum, Weights weights, Values values) {
    return _mm256_add_epi16(sum, _mm256_maddubs_epi16(weights.value, values.value));
  }
  BELEG_TARGET static Lanes total(Sum sum, const std::int32_t* offset) {
    return {_mm256_cvtepi32_ps(_mm256_add_epi32(_mm256_madd_epi16(sum, _mm256_set1_epi16(1)),
                                                _mm256_set1_epi32(*offset)))};
  }
};

/// Sums of four in 32 bits. The sign of a weight goes to the value, since only magnitudes leave
/// room for two products in 16 bits: 2 · 128 · 127 fit.
struct ByteDots {
  static constexpr int kRows = 4;
  struct Weights {
    __m256i magnitudes;
    __m256i signs;
    BELEG_TARGET static Weights load(const std::uint8_t* from) {
      constexpr char kSignBit = -128;
      const __m256i weights =
          _mm256_xor_si256(WeightBytes::load(from).value, _mm256_set1_epi8(kSignBit));
      return {_mm256_abs_epi8(weights), weights};
    }
  };
  using Values = ValueBytes;
  using Sum = __m256i;
  BELEG_TARGET static Sum start(const std::int32_t* /*offset*/) { return _mm256_setzero_si256(); }
  BELEG_TARGET static Sum add(Sum sum, Weights weights, Values values) {
    const __m256i pairs =
        _mm256_maddubs_epi16(weights.magnitudes, _mm256_sign_epi8(values.value, weights.signs));
    return _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
  }
  BELEG_TARGET static Lanes total(Sum sum, const std::int32_t* /*offset*/) {
    return {_mm256_cvtepi32_ps(sum)};
  }
};

#include "model/byte_kernels.inc"

}  // namespace without_vnni

#undef BELEG_TARGET
#define BELEG_TARGET [[gnu::target("avx2,fma,avxvnni")]]

namespace with_vnni {

struct ByteDots {
  static constexpr int kRows = 5;
  using Weights = WeightBytes;
  using Values = ValueBytes;
  using Sum = __m256i;
  BELEG_TARGET static Sum start(const std::int32_t* offset) { return _mm256_set1_epi32(*offset); }
  BELEG_TARGET static Sum add(Sum sum, Weights weights, Values values) {
    return _mm256_dpbusd_avx_epi32(sum, weights.value, values.value);
  }
  BELEG_TARGET static Lanes total(Sum sum, const std::int32_t* /*offset*/) {
    return {_mm256_cvtepi32_ps(sum)};
  }
};
using NibbleDots = ByteDots;

#include "model/byte_kernels.inc"

}  // namespace with_vnni

}  // namespace

const TransformerKernels& avx2_transformer_kernels() {
  static constexpr TransformerKernels kKernels = without_vnni::kernels_named("avx2");
  return kKernels;
}

const TransformerKernels& avx_vnni_transformer_kernels() {
  static constexpr TransformerKernels kKernels = with_vnni::kernels_named("avx_vnni");
  return kKernels;
}

}  // namespace beleg

#endif

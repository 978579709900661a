#include "model/transformer_kernels.h"

#if defined(__x86_64__)

#include <immintrin.h>

namespace beleg {
namespace {

#define BELEG_TARGET [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl")]]

struct Lanes {
  static constexpr std::size_t kCount = 16;
  static constexpr int kRows = 12;
  __m512 value;

  BELEG_TARGET static Lanes load(const float* from) { return {_mm512_loadu_ps(from)}; }
  BELEG_TARGET void store(float* to) const { _mm512_storeu_ps(to, value); }
  BELEG_TARGET static Lanes all(float one) { return {_mm512_set1_ps(one)}; }
};

BELEG_TARGET Lanes operator+(Lanes a, Lanes b) { return {_mm512_add_ps(a.value, b.value)}; }
BELEG_TARGET Lanes operator-(Lanes a, Lanes b) { return {_mm512_sub_ps(a.value, b.value)}; }
BELEG_TARGET Lanes operator*(Lanes a, Lanes b) { return {_mm512_mul_ps(a.value, b.value)}; }
BELEG_TARGET Lanes operator/(Lanes a, Lanes b) { return {_mm512_div_ps(a.value, b.value)}; }
BELEG_TARGET Lanes fma(Lanes a, Lanes b, Lanes c) {
  return {_mm512_fmadd_ps(a.value, b.value, c.value)};
}
BELEG_TARGET Lanes max(Lanes a, Lanes b) { return {_mm512_max_ps(a.value, b.value)}; }
BELEG_TARGET Lanes min(Lanes a, Lanes b) { return {_mm512_min_ps(a.value, b.value)}; }
BELEG_TARGET Lanes round(Lanes a) {
  return {_mm512_roundscale_ps(a.value, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)};
}
BELEG_TARGET Lanes power_of_two(Lanes exponent) {
  const __m512i biased =
      _mm512_add_epi32(_mm512_cvtps_epi32(exponent.value), _mm512_set1_epi32(127));
  return {_mm512_castsi512_ps(_mm512_slli_epi32(biased, 23))};
}
BELEG_TARGET Lanes zero_below(Lanes x, float limit, Lanes value) {
  const __mmask16 above = _mm512_cmp_ps_mask(x.value, _mm512_set1_ps(limit), _CMP_NLT_UQ);
  return {_mm512_maskz_mov_ps(above, value.value)};
}

#include "model/transformer_kernels.inc"

struct Block {
  __m512 low;
  __m512 high;

  BELEG_TARGET static Block load(const float* from) {
    return {_mm512_loadu_ps(from), _mm512_loadu_ps(from + Lanes::kCount)};
  }
  BELEG_TARGET std::uint32_t largest() const {
    const __m512i magnitude = _mm512_set1_epi32(0x7fffffff);
    return static_cast<std::uint32_t>(_mm512_reduce_max_epi32(
        _mm512_max_epi32(_mm512_and_epi32(_mm512_castps_si512(low), magnitude),
                         _mm512_and_epi32(_mm512_castps_si512(high), magnitude))));
  }
  BELEG_TARGET std::int32_t store(float factor, std::int8_t* to) const {
    const __m512 factors = _mm512_set1_ps(factor);
    const __m512i first = _mm512_cvtps_epi32(_mm512_mul_ps(low, factors));
    const __m512i second = _mm512_cvtps_epi32(_mm512_mul_ps(high, factors));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm512_cvtepi32_epi8(first));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + Lanes::kCount), _mm512_cvtepi32_epi8(second));
    return _mm512_reduce_add_epi32(_mm512_add_epi32(first, second));
  }
  BELEG_TARGET static void fill(std::int8_t* to) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_setzero_si256());
  }
};

BELEG_TARGET void unpack(const std::uint8_t* nibbles, std::size_t count, std::uint8_t* bytes) {
  const __m512i low = _mm512_set1_epi8(15);
  for (std::size_t i = 0; i < count; i += sizeof(__m512i)) {
    __builtin_prefetch(nibbles + count + i);  // What is asked for next.
    const __m512i pairs = _mm512_loadu_si512(nibbles + i);
    _mm512_storeu_si512(bytes + 2 * i, _mm512_and_si512(pairs, low));
    _mm512_storeu_si512(bytes + 2 * i + sizeof(__m512i),
                        _mm512_and_si512(_mm512_srli_epi16(pairs, 4), low));
  }
}

struct WeightBytes {
  __m512i value;
  BELEG_TARGET static WeightBytes load(const std::uint8_t* from) {
    return {_mm512_loadu_si512(from)};
  }
};

struct ValueBytes {
  __m512i value;
  BELEG_TARGET static ValueBytes all(const std::int8_t* four) {
    std::int32_t bits = 0;
    __builtin_memcpy(&bits, four, sizeof bits);
    return {_mm512_set1_epi32(bits)};
  }
};

namespace without_vnni {

constexpr char kSignBit = -128;

/// Sums of pairs in 16 bits: sixteen products of 15 · 127 fit.
struct NibbleDots {
  static constexpr int kRows = 8;
  using Weights = WeightBytes;
  using Values = ValueBytes;
  using Sum = __m512i;
  BELEG_TARGET static Sum start(const std::int32_t* /*offset*/) { return _mm512_setzero_si512(); }
  BELEG_TARGET static Sum add(Sum sum, Weights weights, Values values) {
    return _mm512_add_epi16(sum, _mm512_maddubs_epi16(weights.value, values.value));
  }
  BELEG_TARGET static Lanes total(Sum sum, const std::int32_t* offset) {
    return {_mm512_cvtepi32_ps(_mm512_add_epi32(_mm512_madd_epi16(sum, _mm512_set1_epi16(1)),
                                                _mm512_set1_epi32(*offset)))};
  }
};

/// Sums of four in 32 bits. The sign of a weight goes to the value, since only magnitudes leave
/// room for two products in 16 bits: 2 · 128 · 127 fit.
struct ByteDots {
  static constexpr int kRows = 8;
  struct Weights {
    __m512i magnitudes;
    __mmask64 negative;
    BELEG_TARGET static Weights load(const std::uint8_t* from) {
      const __m512i weights =
          _mm512_xor_si512(_mm512_loadu_si512(from), _mm512_set1_epi8(kSignBit));
      return {_mm512_abs_epi8(weights), _mm512_movepi8_mask(weights)};
    }
  };
  using Values = ValueBytes;
  using Sum = __m512i;
  BELEG_TARGET static Sum start(const std::int32_t* /*offset*/) { return _mm512_setzero_si512(); }
  BELEG_TARGET static Sum add(Sum sum, Weights weights, Values values) {
    const __m512i turned =
        _mm512_mask_sub_epi8(values.value, weights.negative, _mm512_setzero_si512(), values.value);
    const __m512i pairs = _mm512_maddubs_epi16(weights.magnitudes, turned);
    return _mm512_add_epi32(sum, _mm512_madd_epi16(pairs, _mm512_set1_epi16(1)));
  }
  BELEG_TARGET static Lanes total(Sum sum, const std::int32_t* /*offset*/) {
    return {_mm512_cvtepi32_ps(sum)};
  }
};

#include "model/byte_kernels.inc"

}  // namespace without_vnni

#undef BELEG_TARGET
#define BELEG_TARGET [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")]]

namespace with_vnni {

struct ByteDots {
  static constexpr int kRows = 12;
  using Weights = WeightBytes;
  using Values = ValueBytes;
  using Sum = __m512i;
  BELEG_TARGET static Sum start(const std::int32_t* offset) { return _mm512_set1_epi32(*offset); }
  BELEG_TARGET static Sum add(Sum sum, Weights weights, Values values) {
    return _mm512_dpbusd_epi32(sum, weights.value, values.value);
  }
  BELEG_TARGET static Lanes total(Sum sum, const std::int32_t* /*offset*/) {
    return {_mm512_cvtepi32_ps(sum)};
  }
};
using NibbleDots = ByteDots;

#include "model/byte_kernels.inc"

}  // namespace with_vnni
}  // namespace

const TransformerKernels& avx512_transformer_kernels() {
  static constexpr TransformerKernels kKernels = without_vnni::kernels_named("avx512");
  return kKernels;
}

const TransformerKernels& avx512_vnni_transformer_kernels() {
  static constexpr TransformerKernels kKernels = with_vnni::kernels_named("avx512_vnni");
  return kKernels;
}

}  // namespace beleg

#endif

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
  BELEG_TARGET static __m512i bytes(const std::uint8_t* from) {
    return _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  }
  BELEG_TARGET static Lanes low_nibbles(const std::uint8_t* from) {
    return {_mm512_cvtepi32_ps(_mm512_and_si512(bytes(from), _mm512_set1_epi32(15)))};
  }
  BELEG_TARGET static Lanes high_nibbles(const std::uint8_t* from) {
    return {_mm512_cvtepi32_ps(_mm512_srli_epi32(bytes(from), 4))};
  }
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

}  // namespace

const TransformerKernels& avx512_transformer_kernels() {
  static constexpr TransformerKernels kKernels = kernels_named("avx512");
  return kKernels;
}

}  // namespace beleg

#endif

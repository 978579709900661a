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
  BELEG_TARGET static __m256i bytes(const std::uint8_t* from) {
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)));
  }
  BELEG_TARGET static Lanes low_nibbles(const std::uint8_t* from) {
    return {_mm256_cvtepi32_ps(_mm256_and_si256(bytes(from), _mm256_set1_epi32(15)))};
  }
  BELEG_TARGET static Lanes high_nibbles(const std::uint8_t* from) {
    return {_mm256_cvtepi32_ps(_mm256_srli_epi32(bytes(from), 4))};
  }
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

}  // namespace

const TransformerKernels& avx2_transformer_kernels() {
  static constexpr TransformerKernels kKernels = kernels_named("avx2");
  return kKernels;
}

}  // namespace beleg

#endif

#include "index/dense_kernels.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include <limits>

// Functions name their own instruction set, so that the rest of the program does not need it.
#define BELEG_AVX512 gnu::target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vnni")

namespace beleg {
namespace {

using dense_codes::kBlockRows;

// The forms with a mask: GCC 12 warns of undefined values in its own header for the plain ones.

[[BELEG_AVX512, gnu::always_inline]] inline __m256i upper_half_of(__m512i values) {
  return _mm512_maskz_extracti64x4_epi64(0xff, values, 1);
}

[[BELEG_AVX512, gnu::always_inline]] inline float largest(__m512 values) {
  const __m256 upper = _mm256_castsi256_ps(upper_half_of(_mm512_castps_si512(values)));
  const __m256 eight = _mm256_max_ps(_mm512_castps512_ps256(values), upper);
  const __m128 four = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_max_ss(two, _mm_shuffle_ps(two, two, 1)));
}

[[BELEG_AVX512, gnu::always_inline]] inline std::int32_t add_up(__m512i values) {
  const __m256i eight =
      _mm256_add_epi32(_mm512_maskz_extracti64x4_epi64(0xff, values, 0), upper_half_of(values));
  const __m128i four =
      _mm_add_epi32(_mm256_castsi256_si128(eight), _mm256_extracti128_si256(eight, 1));
  const __m128i two = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4e));
  return _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32(two, 0xb1)));
}

/// The entries of one table for 64 rows. Only the low four bits of an index matter: the table fills
/// all 64 places that an index of six bits can name.
[[BELEG_AVX512, gnu::always_inline]] inline __m512i look_up(const std::uint8_t* table,
                                                            __m512i index) {
  const __m128i entries = _mm_loadu_si128(reinterpret_cast<const __m128i*>(table));
  return _mm512_permutexvar_epi8(index, _mm512_broadcast_i32x4(entries));
}

/// Both tables of eight dimensions: at most 120 a byte.
[[BELEG_AVX512, gnu::always_inline]] inline __m512i look_up_group(const std::uint8_t* tables,
                                                                  const std::byte* codes) {
  const __m512i raw = _mm512_loadu_si512(codes);
  return _mm512_add_epi8(look_up(tables, raw), look_up(tables + 16, _mm512_srli_epi16(raw, 4)));
}

/// Sums of the table entries, 16 bits each: rows 0 … 31 and 32 … 63.
struct Sums {
  __m512i first;
  __m512i second;
};

[[BELEG_AVX512, gnu::always_inline]] inline Sums table_sums(const std::uint8_t* tables,
                                                            const std::byte* block,
                                                            std::size_t groups) {
  // Pairs of rows as 16 bits: `pairs` has the even row with 256 times the odd one on top.
  __m512i pairs = _mm512_setzero_si512();
  __m512i odd = _mm512_setzero_si512();
  std::size_t g = 0;
  for (; g + 2 <= groups; g += 2) {
    const __m512i bytes =
        _mm512_add_epi8(look_up_group(tables + 32 * g, block + g * kBlockRows),
                        look_up_group(tables + 32 * g + 32, block + (g + 1) * kBlockRows));
    pairs = _mm512_add_epi16(pairs, bytes);
    odd = _mm512_add_epi16(odd, _mm512_srli_epi16(bytes, 8));
  }
  if (g < groups) {
    const __m512i bytes = look_up_group(tables + 32 * g, block + g * kBlockRows);
    pairs = _mm512_add_epi16(pairs, bytes);
    odd = _mm512_add_epi16(odd, _mm512_srli_epi16(bytes, 8));
  }
  const __m512i even = _mm512_sub_epi16(pairs, _mm512_slli_epi16(odd, 8));
  const __m512i interleave =
      _mm512_set_epi16(47, 15, 46, 14, 45, 13, 44, 12, 43, 11, 42, 10, 41, 9, 40, 8, 39, 7, 38, 6,
                       37, 5, 36, 4, 35, 3, 34, 2, 33, 1, 32, 0);
  const __m512i upper_half = _mm512_add_epi16(interleave, _mm512_set1_epi16(16));
  return {_mm512_permutex2var_epi16(even, interleave, odd),
          _mm512_permutex2var_epi16(even, upper_half, odd)};
}

/// Bounds of 16 rows from their sums and corrections.
[[BELEG_AVX512, gnu::always_inline]] inline __m512 bounds_of(const CodedDenseQuery::Scan& query,
                                                             __m256i sums,
                                                             const std::byte* corrections) {
  const __m512i both = _mm512_loadu_si512(corrections);
  const __m512 factor =
      _mm512_castsi512_ps(_mm512_and_si512(both, _mm512_set1_epi32(static_cast<int>(0xffff0000U))));
  const __m512 offset = _mm512_castsi512_ps(_mm512_slli_epi32(both, 16));
  const __m512 sum = _mm512_cvtepi32_ps(_mm512_cvtepu16_epi32(sums));
  const __m512 product =
      _mm512_sub_ps(_mm512_mul_ps(_mm512_set1_ps(query.scale), sum), _mm512_set1_ps(query.bias));
  return _mm512_add_ps(_mm512_mul_ps(_mm512_set1_ps(query.offset_weight), offset),
                       _mm512_mul_ps(factor, product));
}

[[BELEG_AVX512]] void scan(const CodedDenseQuery::Scan& query, const std::byte* blocks,
                           std::size_t block_count, std::size_t groups,
                           const std::uint64_t* allowed, float* upper, float* highest) {
  const __m512 none = _mm512_set1_ps(-std::numeric_limits<float>::infinity());
  const std::size_t block_bytes = (groups + sizeof(std::uint32_t)) * kBlockRows;
  for (std::size_t b = 0; b < block_count; ++b) {
    const std::uint64_t word = allowed == nullptr ? ~std::uint64_t{0} : allowed[b];
    if (word == 0) {
      highest[b] = -std::numeric_limits<float>::infinity();
      continue;
    }
    const std::byte* const block = blocks + b * block_bytes;
    const Sums sums = table_sums(query.tables, block, groups);
    const __m256i parts[4] = {_mm512_castsi512_si256(sums.first), upper_half_of(sums.first),
                              _mm512_castsi512_si256(sums.second), upper_half_of(sums.second)};
    __m512 best = none;
    for (std::size_t part = 0; part < 4; ++part) {
      const auto mask = static_cast<__mmask16>(word >> (16 * part));
      const __m512 bounds = _mm512_mask_mov_ps(
          none, mask,
          bounds_of(query, parts[part],
                    block + groups * kBlockRows + part * 16 * sizeof(std::uint32_t)));
      _mm512_storeu_ps(upper + b * kBlockRows + 16 * part, bounds);
      // The second operand wins when the first is NaN (a damaged correction).
      best = _mm512_max_ps(bounds, best);
    }
    highest[b] = largest(best);
  }
}

[[BELEG_AVX512]] std::uint64_t reach(const float* bounds, float low) {
  std::uint64_t reached = 0;
  for (std::size_t part = 0; part < 4; ++part) {
    const __mmask16 mask =
        _mm512_cmp_ps_mask(_mm512_loadu_ps(bounds + 16 * part), _mm512_set1_ps(low), _CMP_GE_OQ);
    reached |= std::uint64_t{mask} << (16 * part);
  }
  return reached;
}

[[BELEG_AVX512]] std::int32_t fine_product(const std::int8_t* low, const std::int8_t* high,
                                           const std::byte* codes, std::size_t bytes) {
  const __m512i mask = _mm512_set1_epi8(15);
  __m512i first = _mm512_setzero_si512();
  __m512i second = _mm512_setzero_si512();
  for (std::size_t i = 0; i < bytes; i += 64) {
    const __m512i raw = _mm512_loadu_si512(codes + i);
    first = _mm512_dpbusd_epi32(first, _mm512_and_si512(raw, mask), _mm512_loadu_si512(low + i));
    second = _mm512_dpbusd_epi32(second, _mm512_and_si512(_mm512_srli_epi16(raw, 4), mask),
                                 _mm512_loadu_si512(high + i));
  }
  return add_up(_mm512_add_epi32(first, second));
}

constexpr DenseKernels kAvx512{"avx512", scan, reach, fine_product};

}  // namespace

const DenseKernels& avx512_dense_kernels() { return kAvx512; }

}  // namespace beleg

#endif

#include "index/dense_kernels.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include <limits>

// Functions name their own instruction set, so that the rest of the program does not need it.

namespace beleg {
namespace {

using dense_codes::kBlockRows;

constexpr std::size_t kHalfRows = kBlockRows / 2;

/// The entries of one table for 32 rows. Indexes are below 16.
[[gnu::target("avx2"), gnu::always_inline]] inline __m256i look_up(const std::uint8_t* table,
                                                                   __m256i index) {
  const __m128i entries = _mm_loadu_si128(reinterpret_cast<const __m128i*>(table));
  return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(entries), index);
}

/// Both tables of eight dimensions: at most 120 a byte.
[[gnu::target("avx2"), gnu::always_inline]] inline __m256i look_up_group(const std::uint8_t* tables,
                                                                         const std::byte* codes) {
  const __m256i mask = _mm256_set1_epi8(15);
  const __m256i raw = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(codes));
  const __m256i low = _mm256_and_si256(raw, mask);
  const __m256i high = _mm256_and_si256(_mm256_srli_epi16(raw, 4), mask);
  return _mm256_add_epi8(look_up(tables, low), look_up(tables + 16, high));
}

/// Sums of the table entries of half a block, 16 bits each. Of every 16 rows, `first` has the lower
/// eight and `second` the upper eight.
struct Sums {
  __m256i first;
  __m256i second;
};

[[gnu::target("avx2"), gnu::always_inline]] inline Sums table_sums(const std::uint8_t* tables,
                                                                   const std::byte* half,
                                                                   std::size_t groups) {
  // Pairs of rows as 16 bits: `pairs` has the even row with 256 times the odd one on top.
  __m256i pairs = _mm256_setzero_si256();
  __m256i odd = _mm256_setzero_si256();
  std::size_t g = 0;
  for (; g + 2 <= groups; g += 2) {
    const __m256i bytes =
        _mm256_add_epi8(look_up_group(tables + 32 * g, half + g * kBlockRows),
                        look_up_group(tables + 32 * g + 32, half + (g + 1) * kBlockRows));
    pairs = _mm256_add_epi16(pairs, bytes);
    odd = _mm256_add_epi16(odd, _mm256_srli_epi16(bytes, 8));
  }
  if (g < groups) {
    const __m256i bytes = look_up_group(tables + 32 * g, half + g * kBlockRows);
    pairs = _mm256_add_epi16(pairs, bytes);
    odd = _mm256_add_epi16(odd, _mm256_srli_epi16(bytes, 8));
  }
  const __m256i even = _mm256_sub_epi16(pairs, _mm256_slli_epi16(odd, 8));
  return {_mm256_unpacklo_epi16(even, odd), _mm256_unpackhi_epi16(even, odd)};
}

/// Bounds of eight rows from their sums and corrections.
[[gnu::target("avx2"), gnu::always_inline]] inline __m256 bounds_of(
    const CodedDenseQuery::Scan& query, __m128i sums, const std::byte* corrections) {
  const __m256i both = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(corrections));
  const __m256 factor =
      _mm256_castsi256_ps(_mm256_and_si256(both, _mm256_set1_epi32(static_cast<int>(0xffff0000U))));
  const __m256 offset = _mm256_castsi256_ps(_mm256_slli_epi32(both, 16));
  const __m256 sum = _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(sums));
  const __m256 product =
      _mm256_sub_ps(_mm256_mul_ps(_mm256_set1_ps(query.scale), sum), _mm256_set1_ps(query.bias));
  return _mm256_add_ps(_mm256_mul_ps(_mm256_set1_ps(query.offset_weight), offset),
                       _mm256_mul_ps(factor, product));
}

/// All ones where a bit of `bits` is set.
[[gnu::target("avx2"), gnu::always_inline]] inline __m256 mask_of(std::uint64_t bits) {
  const __m256i each = _mm256_set_epi32(128, 64, 32, 16, 8, 4, 2, 1);
  const __m256i all = _mm256_set1_epi32(static_cast<int>(bits & 255U));
  return _mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_and_si256(all, each), each));
}

[[gnu::target("avx2"), gnu::always_inline]] inline float largest(__m256 values) {
  const __m128 four = _mm_max_ps(_mm256_castps256_ps128(values), _mm256_extractf128_ps(values, 1));
  const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_max_ss(two, _mm_shuffle_ps(two, two, 1)));
}

[[gnu::target("avx2")]] void scan(const CodedDenseQuery::Scan& query, const std::byte* blocks,
                                  std::size_t block_count, std::size_t groups,
                                  const std::uint64_t* allowed, float* upper, float* highest) {
  const __m256 none = _mm256_set1_ps(-std::numeric_limits<float>::infinity());
  const std::size_t block_bytes = (groups + sizeof(std::uint32_t)) * kBlockRows;
  for (std::size_t b = 0; b < block_count; ++b) {
    const std::uint64_t word = allowed == nullptr ? ~std::uint64_t{0} : allowed[b];
    if (word == 0) {
      highest[b] = -std::numeric_limits<float>::infinity();
      continue;
    }
    const std::byte* const block = blocks + b * block_bytes;
    __m256 best = none;
    for (std::size_t half = 0; half < 2; ++half) {
      const Sums sums = table_sums(query.tables, block + half * kHalfRows, groups);
      const __m128i parts[4] = {
          _mm256_castsi256_si128(sums.first), _mm256_castsi256_si128(sums.second),
          _mm256_extracti128_si256(sums.first, 1), _mm256_extracti128_si256(sums.second, 1)};
      for (std::size_t part = 0; part < 4; ++part) {
        const std::size_t row = half * kHalfRows + part * 8;
        const __m256 all = bounds_of(query, parts[part],
                                     block + groups * kBlockRows + row * sizeof(std::uint32_t));
        const __m256 bounds = _mm256_blendv_ps(none, all, mask_of(word >> row));
        _mm256_storeu_ps(upper + b * kBlockRows + row, bounds);
        // The second operand wins when the first is NaN (a damaged correction).
        best = _mm256_max_ps(bounds, best);
      }
    }
    highest[b] = largest(best);
  }
}

[[gnu::target("avx2")]] std::uint64_t reach(const float* bounds, float low) {
  std::uint64_t reached = 0;
  for (std::size_t part = 0; part < 8; ++part) {
    const __m256 above =
        _mm256_cmp_ps(_mm256_loadu_ps(bounds + 8 * part), _mm256_set1_ps(low), _CMP_GE_OQ);
    reached |= static_cast<std::uint64_t>(_mm256_movemask_ps(above)) << (8 * part);
  }
  return reached;
}

[[gnu::target("avx2")]] std::int32_t fine_product(const std::int8_t* low, const std::int8_t* high,
                                                  const std::byte* codes, std::size_t bytes) {
  const __m256i mask = _mm256_set1_epi8(15);
  const __m256i ones = _mm256_set1_epi16(1);
  __m256i sum = _mm256_setzero_si256();
  for (std::size_t i = 0; i < bytes; i += 32) {
    const __m256i raw = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(codes + i));
    const __m256i first = _mm256_maddubs_epi16(
        _mm256_and_si256(raw, mask), _mm256_loadu_si256(reinterpret_cast<const __m256i*>(low + i)));
    const __m256i second =
        _mm256_maddubs_epi16(_mm256_and_si256(_mm256_srli_epi16(raw, 4), mask),
                             _mm256_loadu_si256(reinterpret_cast<const __m256i*>(high + i)));
    // Each at most 2 × 15 × 127: the sum of the two fits into 16 bits.
    sum = _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_add_epi16(first, second), ones));
  }
  const __m128i four = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
  const __m128i two = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4e));
  return _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32(two, 0xb1)));
}

constexpr DenseKernels kAvx2{"avx2", scan, reach, fine_product};

}  // namespace

const DenseKernels& avx2_dense_kernels() { return kAvx2; }

}  // namespace beleg

#endif

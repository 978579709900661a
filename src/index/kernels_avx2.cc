#include "index/kernels_x86.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <utility>

// Functions name their own instruction set, so that the rest of the program does not need it. FMA
// is left out on purpose: it rounds differently, and all variants must give the same bits.

namespace beleg {
namespace {

using token_codes::kBlockTokens;
using token_codes::kGroupBytes;

/// Sixteen vector registers hold eight running sums beside codes and operands.
constexpr std::uint32_t kMaxChunk = 8;
/// Groups whose byte products fit into 16 bits: 4 × 2 × (2 × 15 × 127) = 30480 < 2¹⁵.
constexpr std::size_t kGroupsPerSum = 4;
/// A register holds half a block.
constexpr std::size_t kHalfTokens = kBlockTokens / 2;
constexpr std::size_t kHalfBytes = kGroupBytes / 2;
static_assert(kHalfBytes == kHalfTokens * sizeof(float));

/// How far ahead codes are asked for, in bytes: a page.
constexpr std::size_t kPrefetchDistance = 4096;

/// Rows are read from anywhere in the pack, and the processor's own prefetching ends with each
/// page. Asking for bytes behind the map is allowed: a prefetch never faults.
[[gnu::always_inline]] inline void prefetch(const std::byte* codes) {
  _mm_prefetch(reinterpret_cast<const char*>(codes) + kPrefetchDistance, _MM_HINT_T0);
}

[[gnu::target("avx2"), gnu::always_inline]] inline __m256i broadcast4(const std::int8_t* codes,
                                                                      int group) {
  std::int32_t four = 0;
  std::memcpy(&four, codes + std::ptrdiff_t{4} * group, sizeof four);
  return _mm256_set1_epi32(four);
}

[[gnu::target("avx2"), gnu::always_inline]] inline __m256 scaled(__m256i sum, std::int32_t bias,
                                                                 __m256 scales) {
  const __m256i doubled = _mm256_sub_epi32(_mm256_slli_epi32(sum, 1), _mm256_set1_epi32(bias));
  return _mm256_mul_ps(_mm256_cvtepi32_ps(doubled), scales);
}

[[gnu::target("avx2"), gnu::always_inline]] inline __m256 half_scales(const std::byte* scales,
                                                                      std::size_t half) {
  return _mm256_loadu_ps(reinterpret_cast<const float*>(scales + half * kHalfBytes));
}

[[gnu::target("avx2"), gnu::always_inline]] inline float largest(__m256 values) {
  const __m128 four = _mm_max_ps(_mm256_castps256_ps128(values), _mm256_extractf128_ps(values, 1));
  const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_max_ss(two, _mm_shuffle_ps(two, two, 1)));
}

namespace avx2 {

/// Integer products of eight tokens with Q question tokens.
template <int Q>
[[gnu::target("avx2"), gnu::always_inline]] inline void sums_of(const std::int8_t* query,
                                                                const std::byte* half,
                                                                std::size_t groups,
                                                                __m256i (&sums)[Q]) {
  const __m256i mask = _mm256_set1_epi8(15);
  const __m256i ones = _mm256_set1_epi16(1);
  for (int q = 0; q < Q; ++q) sums[q] = _mm256_setzero_si256();
  for (std::size_t g = 0; g < groups; g += kGroupsPerSum) {
    __m256i narrow[Q];
#pragma GCC unroll 8
    for (int q = 0; q < Q; ++q) narrow[q] = _mm256_setzero_si256();
    const std::size_t end = std::min(groups, g + kGroupsPerSum);
    for (std::size_t i = g; i < end; ++i) {
      prefetch(half + i * kGroupBytes);
      const __m256i raw =
          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(half + i * kGroupBytes));
      const __m256i low = _mm256_and_si256(raw, mask);
      const __m256i high = _mm256_and_si256(_mm256_srli_epi16(raw, 4), mask);
#pragma GCC unroll 8
      for (int q = 0; q < Q; ++q) {
        narrow[q] = _mm256_add_epi16(narrow[q], _mm256_maddubs_epi16(low, broadcast4(query, q)));
      }
#pragma GCC unroll 8
      for (int q = 0; q < Q; ++q) {
        narrow[q] =
            _mm256_add_epi16(narrow[q], _mm256_maddubs_epi16(high, broadcast4(query, Q + q)));
      }
      query += std::size_t{8} * Q;
    }
#pragma GCC unroll 8
    for (int q = 0; q < Q; ++q) {
      sums[q] = _mm256_add_epi32(sums[q], _mm256_madd_epi16(narrow[q], ones));
    }
  }
}

template <int Q>
[[gnu::target("avx2")]] void raise_best_of(const CodedQuery::Chunk& chunk, const std::byte* blocks,
                                           std::size_t block_count, std::size_t groups,
                                           float* best) {
  __m256 highest[Q];
  for (int q = 0; q < Q; ++q) highest[q] = _mm256_set1_ps(best[q]);
  const std::size_t block_bytes = groups * kGroupBytes + kBlockTokens * sizeof(float);
  for (std::size_t h = 0; h < 2 * block_count; ++h) {
    const std::byte* const block = blocks + h / 2 * block_bytes;
    __m256i sums[Q];
    sums_of<Q>(chunk.codes, block + h % 2 * kHalfBytes, groups, sums);
    const __m256 scales = half_scales(block + groups * kGroupBytes, h % 2);
    // The second operand wins when the first is NaN (a damaged scale).
#pragma GCC unroll 8
    for (int q = 0; q < Q; ++q) {
      highest[q] = _mm256_max_ps(scaled(sums[q], chunk.bias[q], scales), highest[q]);
    }
  }
  for (int q = 0; q < Q; ++q) best[q] = largest(highest[q]);
}

template <int Q>
[[gnu::target("avx2")]] void products_of(const CodedQuery::Chunk& chunk, const std::byte* blocks,
                                         std::size_t block_count, std::size_t groups, float* out,
                                         std::size_t stride) {
  const std::size_t block_bytes = groups * kGroupBytes + kBlockTokens * sizeof(float);
  for (std::size_t h = 0; h < 2 * block_count; ++h) {
    const std::byte* const block = blocks + h / 2 * block_bytes;
    __m256i sums[Q];
    sums_of<Q>(chunk.codes, block + h % 2 * kHalfBytes, groups, sums);
    const __m256 scales = half_scales(block + groups * kGroupBytes, h % 2);
    for (int q = 0; q < Q; ++q) {
      _mm256_storeu_ps(out + static_cast<std::size_t>(q) * stride + h * kHalfTokens,
                       scaled(sums[q], chunk.bias[q], scales));
    }
  }
}

/// One function per chunk size, at index size − 1.
template <std::size_t... I>
constexpr auto raise_best_table(std::index_sequence<I...> /*sizes*/) {
  return std::array{raise_best_of<static_cast<int>(I) + 1>...};
}
template <std::size_t... I>
constexpr auto products_table(std::index_sequence<I...> /*sizes*/) {
  return std::array{products_of<static_cast<int>(I) + 1>...};
}

void raise_best(const CodedQuery::Chunk& chunk, const std::byte* blocks, std::size_t block_count,
                std::size_t groups, float* best) {
  static constexpr auto kTable = raise_best_table(std::make_index_sequence<kMaxChunk>());
  kTable[chunk.count - 1](chunk, blocks, block_count, groups, best);
}

void products(const CodedQuery::Chunk& chunk, const std::byte* blocks, std::size_t block_count,
              std::size_t groups, float* out, std::size_t stride) {
  static constexpr auto kTable = products_table(std::make_index_sequence<kMaxChunk>());
  kTable[chunk.count - 1](chunk, blocks, block_count, groups, out, stride);
}

}  // namespace avx2

namespace avx_vnni {

/// Integer products of eight tokens with Q question tokens.
template <int Q>
[[gnu::target("avx2,avxvnni"), gnu::always_inline]] inline void sums_of(const std::int8_t* query,
                                                                        const std::byte* half,
                                                                        std::size_t groups,
                                                                        __m256i (&sums)[Q]) {
  const __m256i mask = _mm256_set1_epi8(15);
#pragma GCC unroll 8
  for (int q = 0; q < Q; ++q) sums[q] = _mm256_setzero_si256();
  for (std::size_t g = 0; g < groups; ++g) {
    prefetch(half + g * kGroupBytes);
    const __m256i raw =
        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(half + g * kGroupBytes));
    const __m256i low = _mm256_and_si256(raw, mask);
    const __m256i high = _mm256_and_si256(_mm256_srli_epi16(raw, 4), mask);
#pragma GCC unroll 8
    for (int q = 0; q < Q; ++q) {
      sums[q] = _mm256_dpbusd_avx_epi32(sums[q], low, broadcast4(query, q));
    }
#pragma GCC unroll 8
    for (int q = 0; q < Q; ++q) {
      sums[q] = _mm256_dpbusd_avx_epi32(sums[q], high, broadcast4(query, Q + q));
    }
    query += std::size_t{8} * Q;
  }
}

template <int Q>
[[gnu::target("avx2,avxvnni")]] void raise_best_of(const CodedQuery::Chunk& chunk,
                                                   const std::byte* blocks, std::size_t block_count,
                                                   std::size_t groups, float* best) {
  __m256 highest[Q];
  for (int q = 0; q < Q; ++q) highest[q] = _mm256_set1_ps(best[q]);
  const std::size_t block_bytes = groups * kGroupBytes + kBlockTokens * sizeof(float);
  for (std::size_t h = 0; h < 2 * block_count; ++h) {
    const std::byte* const block = blocks + h / 2 * block_bytes;
    __m256i sums[Q];
    sums_of<Q>(chunk.codes, block + h % 2 * kHalfBytes, groups, sums);
    const __m256 scales = half_scales(block + groups * kGroupBytes, h % 2);
    // The second operand wins when the first is NaN (a damaged scale).
#pragma GCC unroll 8
    for (int q = 0; q < Q; ++q) {
      highest[q] = _mm256_max_ps(scaled(sums[q], chunk.bias[q], scales), highest[q]);
    }
  }
  for (int q = 0; q < Q; ++q) best[q] = largest(highest[q]);
}

template <int Q>
[[gnu::target("avx2,avxvnni")]] void products_of(const CodedQuery::Chunk& chunk,
                                                 const std::byte* blocks, std::size_t block_count,
                                                 std::size_t groups, float* out,
                                                 std::size_t stride) {
  const std::size_t block_bytes = groups * kGroupBytes + kBlockTokens * sizeof(float);
  for (std::size_t h = 0; h < 2 * block_count; ++h) {
    const std::byte* const block = blocks + h / 2 * block_bytes;
    __m256i sums[Q];
    sums_of<Q>(chunk.codes, block + h % 2 * kHalfBytes, groups, sums);
    const __m256 scales = half_scales(block + groups * kGroupBytes, h % 2);
    for (int q = 0; q < Q; ++q) {
      _mm256_storeu_ps(out + static_cast<std::size_t>(q) * stride + h * kHalfTokens,
                       scaled(sums[q], chunk.bias[q], scales));
    }
  }
}

/// One function per chunk size, at index size − 1.
template <std::size_t... I>
constexpr auto raise_best_table(std::index_sequence<I...> /*sizes*/) {
  return std::array{raise_best_of<static_cast<int>(I) + 1>...};
}
template <std::size_t... I>
constexpr auto products_table(std::index_sequence<I...> /*sizes*/) {
  return std::array{products_of<static_cast<int>(I) + 1>...};
}

void raise_best(const CodedQuery::Chunk& chunk, const std::byte* blocks, std::size_t block_count,
                std::size_t groups, float* best) {
  static constexpr auto kTable = raise_best_table(std::make_index_sequence<kMaxChunk>());
  kTable[chunk.count - 1](chunk, blocks, block_count, groups, best);
}

void products(const CodedQuery::Chunk& chunk, const std::byte* blocks, std::size_t block_count,
              std::size_t groups, float* out, std::size_t stride) {
  static constexpr auto kTable = products_table(std::make_index_sequence<kMaxChunk>());
  kTable[chunk.count - 1](chunk, blocks, block_count, groups, out, stride);
}

}  // namespace avx_vnni

[[gnu::target("avx2"), gnu::always_inline]] inline float add_up(__m256 first, __m256 second) {
  const __m256 eight = _mm256_add_ps(first, second);
  const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)));
}

[[gnu::target("avx2")]] void dots(const float* query, const float* rows, std::size_t stride,
                                  std::size_t count, float* out) {
  std::size_t r = 0;
  for (; r + 2 <= count; r += 2) {
    const float* const row = rows + r * stride;
    __m256 sums[4];
    for (__m256& sum : sums) sum = _mm256_setzero_ps();
    for (std::size_t i = 0; i < stride; i += 16) {
      const __m256 q0 = _mm256_loadu_ps(query + i);
      const __m256 q1 = _mm256_loadu_ps(query + i + 8);
      const float* const next = row + stride + i;
      sums[0] = _mm256_add_ps(sums[0], _mm256_mul_ps(q0, _mm256_loadu_ps(row + i)));
      sums[1] = _mm256_add_ps(sums[1], _mm256_mul_ps(q1, _mm256_loadu_ps(row + i + 8)));
      sums[2] = _mm256_add_ps(sums[2], _mm256_mul_ps(q0, _mm256_loadu_ps(next)));
      sums[3] = _mm256_add_ps(sums[3], _mm256_mul_ps(q1, _mm256_loadu_ps(next + 8)));
    }
    out[r] = add_up(sums[0], sums[1]);
    out[r + 1] = add_up(sums[2], sums[3]);
  }
  for (; r < count; ++r) {
    const float* const row = rows + r * stride;
    __m256 first = _mm256_setzero_ps();
    __m256 second = _mm256_setzero_ps();
    for (std::size_t i = 0; i < stride; i += 16) {
      first =
          _mm256_add_ps(first, _mm256_mul_ps(_mm256_loadu_ps(query + i), _mm256_loadu_ps(row + i)));
      second = _mm256_add_ps(
          second, _mm256_mul_ps(_mm256_loadu_ps(query + i + 8), _mm256_loadu_ps(row + i + 8)));
    }
    out[r] = add_up(first, second);
  }
}

constexpr Kernels kAvx2{"avx2", kMaxChunk, avx2::raise_best, avx2::products, dots};
constexpr Kernels kAvxVnni{"avx_vnni", kMaxChunk, avx_vnni::raise_best, avx_vnni::products, dots};

}  // namespace

const Kernels& avx2_kernels() { return kAvx2; }
const Kernels& avx_vnni_kernels() { return kAvxVnni; }

}  // namespace beleg

#endif

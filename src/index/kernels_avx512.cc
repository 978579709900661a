#include "index/kernels_x86.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <utility>

// Functions name their own instruction set, so that the rest of the program does not need it.

namespace beleg {
namespace {

using token_codes::kBlockTokens;
using token_codes::kGroupBytes;

/// How far ahead codes are asked for, in bytes: a page.
constexpr std::size_t kPrefetchDistance = 4096;

[[gnu::target("avx512f,avx512bw,avx512vl,avx512vnni"), gnu::always_inline]] inline __m512i
broadcast4(const std::int8_t* codes, int group) {
  std::int32_t four = 0;
  std::memcpy(&four, codes + std::ptrdiff_t{4} * group, sizeof four);
  return _mm512_set1_epi32(four);
}

/// Scaled products of one block with Q question tokens, 16 tokens a register.
template <int Q>
[[gnu::target("avx512f,avx512bw,avx512vl,avx512vnni"), gnu::always_inline]] inline void
block_products(const CodedQuery::Chunk& chunk, const std::byte* block, std::size_t groups,
               __m512 (&products)[Q]) {
  __m512i sums[Q];
#pragma GCC unroll 16
  for (int q = 0; q < Q; ++q) sums[q] = _mm512_setzero_si512();
  const __m512i mask = _mm512_set1_epi8(15);
  const std::int8_t* query = chunk.codes;
  for (std::size_t g = 0; g < groups; ++g) {
    // Rows are read from anywhere in the pack, and the processor's own prefetching ends with each
    // page. Asking for bytes behind the map is allowed: a prefetch never faults.
    _mm_prefetch(reinterpret_cast<const char*>(block) + g * kGroupBytes + kPrefetchDistance,
                 _MM_HINT_T0);
    const __m512i raw = _mm512_loadu_si512(block + g * kGroupBytes);
    const __m512i low = _mm512_and_si512(raw, mask);
    const __m512i high = _mm512_and_si512(_mm512_srli_epi16(raw, 4), mask);
#pragma GCC unroll 16
    for (int q = 0; q < Q; ++q) {
      sums[q] = _mm512_dpbusd_epi32(sums[q], low, broadcast4(query, q));
    }
#pragma GCC unroll 16
    for (int q = 0; q < Q; ++q) {
      sums[q] = _mm512_dpbusd_epi32(sums[q], high, broadcast4(query, Q + q));
    }
    query += std::size_t{8} * Q;
  }
  const __m512 scales = _mm512_loadu_ps(block + groups * kGroupBytes);
#pragma GCC unroll 16
  for (int q = 0; q < Q; ++q) {
    const __m512i doubled =
        _mm512_sub_epi32(_mm512_slli_epi32(sums[q], 1), _mm512_set1_epi32(chunk.bias[q]));
    products[q] = _mm512_mul_ps(_mm512_cvtepi32_ps(doubled), scales);
  }
}

template <int Q>
[[gnu::target("avx512f,avx512bw,avx512vl,avx512vnni")]] void raise_best_of(
    const CodedQuery::Chunk& chunk, const std::byte* blocks, std::size_t block_count,
    std::size_t groups, float* best) {
  __m512 highest[Q];
  for (int q = 0; q < Q; ++q) highest[q] = _mm512_set1_ps(best[q]);
  const std::size_t block_bytes = groups * kGroupBytes + kBlockTokens * sizeof(float);
  for (std::size_t b = 0; b < block_count; ++b) {
    __m512 products[Q];
    block_products<Q>(chunk, blocks + b * block_bytes, groups, products);
    // The second operand wins when the first is NaN (a damaged scale).
#pragma GCC unroll 16
    for (int q = 0; q < Q; ++q) highest[q] = _mm512_max_ps(products[q], highest[q]);
  }
  for (int q = 0; q < Q; ++q) {
    alignas(64) float lanes[16];
    _mm512_store_ps(lanes, highest[q]);
    best[q] = *std::max_element(lanes, lanes + 16);
  }
}

template <int Q>
[[gnu::target("avx512f,avx512bw,avx512vl,avx512vnni")]] void products_of(
    const CodedQuery::Chunk& chunk, const std::byte* blocks, std::size_t block_count,
    std::size_t groups, float* out, std::size_t stride) {
  const std::size_t block_bytes = groups * kGroupBytes + kBlockTokens * sizeof(float);
  for (std::size_t b = 0; b < block_count; ++b) {
    __m512 products[Q];
    block_products<Q>(chunk, blocks + b * block_bytes, groups, products);
    for (int q = 0; q < Q; ++q) {
      _mm512_storeu_ps(out + static_cast<std::size_t>(q) * stride + b * kBlockTokens, products[q]);
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
  static constexpr auto kTable =
      raise_best_table(std::make_index_sequence<CodedQuery::kMaxChunk>());
  kTable[chunk.count - 1](chunk, blocks, block_count, groups, best);
}

void products(const CodedQuery::Chunk& chunk, const std::byte* blocks, std::size_t block_count,
              std::size_t groups, float* out, std::size_t stride) {
  static constexpr auto kTable = products_table(std::make_index_sequence<CodedQuery::kMaxChunk>());
  kTable[chunk.count - 1](chunk, blocks, block_count, groups, out, stride);
}

[[gnu::target("avx512f,avx512bw,avx512vl"), gnu::always_inline]] inline float add_up(__m512 sums) {
  const __m256 upper = _mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(sums), 1));
  const __m256 eight = _mm256_add_ps(_mm512_castps512_ps256(sums), upper);
  const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)));
}

[[gnu::target("avx512f,avx512bw,avx512vl")]] void dots(const float* query, const float* rows,
                                                       std::size_t stride, std::size_t count,
                                                       float* out) {
  std::size_t r = 0;
  for (; r + 4 <= count; r += 4) {
    const float* const row = rows + r * stride;
    __m512 sums[4];
    for (__m512& sum : sums) sum = _mm512_setzero_ps();
    for (std::size_t i = 0; i < stride; i += 16) {
      const __m512 q = _mm512_loadu_ps(query + i);
#pragma GCC unroll 4
      for (std::size_t n = 0; n < 4; ++n) {
        sums[n] = _mm512_add_ps(sums[n], _mm512_mul_ps(q, _mm512_loadu_ps(row + n * stride + i)));
      }
    }
    for (std::size_t n = 0; n < 4; ++n) out[r + n] = add_up(sums[n]);
  }
  for (; r < count; ++r) {
    __m512 sum = _mm512_setzero_ps();
    for (std::size_t i = 0; i < stride; i += 16) {
      sum = _mm512_add_ps(
          sum, _mm512_mul_ps(_mm512_loadu_ps(query + i), _mm512_loadu_ps(rows + r * stride + i)));
    }
    out[r] = add_up(sum);
  }
}

constexpr Kernels kAvx512{"avx512_vnni", CodedQuery::kMaxChunk, raise_best, products, dots};

}  // namespace

const Kernels& avx512_vnni_kernels() { return kAvx512; }

}  // namespace beleg

#endif

#include "index/bm25_kernels.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace beleg {
namespace {

/// Written as loops over arrays that the compiler turns into vector code of whatever the caller's
/// instruction set is.
[[gnu::always_inline]] inline void score_block(const Bm25Block& input, std::uint32_t* scores) {
  const PostingBlock& block = *input.block;
  const std::size_t count = block.count;
  alignas(64) std::array<float, kDocumentsPerBlock> tf;
  alignas(64) std::array<float, kDocumentsPerBlock> norm;
  for (std::size_t i = 0; i < count; ++i) {
    norm[i] = input.norms[input.length_classes[block.documents[i]]];
  }
  for (std::size_t i = 0; i < count; ++i) tf[i] = static_cast<float>(block.body[i]);
  if (block.in_title) {
    for (std::size_t i = 0; i < count; ++i) {
      tf[i] += input.title_weight * static_cast<float>(block.title[i]);
    }
  }
  if (block.in_headings) {
    for (std::size_t i = 0; i < count; ++i) {
      tf[i] += input.heading_weight * static_cast<float>(block.headings[i]);
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    // Zero only when k1 and the frequency are; then the score is zero too.
    const float below = std::max(tf[i] + norm[i], 1e-20F);
    const float score = input.factor * (tf[i] / below) + 0.5F;
    // Senseless weights make negative numbers or NaN: the comparison is false for both.
    scores[i] = static_cast<std::uint32_t>(static_cast<std::int32_t>(score > 0.0F ? score : 0.0F));
  }
}

[[gnu::always_inline]] inline std::size_t find_chunk(std::uint32_t* sums, std::size_t first,
                                                     std::size_t end, std::uint32_t wanted) {
  for (; first < end; first += kSumChunk) {
    // As signed numbers the larger of two is one instruction everywhere.
    std::int32_t highest = 0;
    for (std::size_t i = 0; i < kSumChunk; ++i) {
      highest = std::max(highest, static_cast<std::int32_t>(sums[first + i]));
    }
    if (static_cast<std::uint32_t>(highest) >= wanted) return first;
    if (highest == 0) continue;
    for (std::size_t i = 0; i < kSumChunk; ++i) sums[first + i] = 0;
  }
  return end;
}

std::size_t find_plain(std::uint32_t* sums, std::size_t first, std::size_t end,
                       std::uint32_t wanted) {
  return find_chunk(sums, first, end, wanted);
}

void score_plain(const Bm25Block& input, std::uint32_t* scores) { score_block(input, scores); }

#if defined(__x86_64__)
[[gnu::target("avx2")]] void score_avx2(const Bm25Block& input, std::uint32_t* scores) {
  score_block(input, scores);
}
[[gnu::target("avx512f,avx512bw,avx512vl,avx512dq")]] void score_avx512(const Bm25Block& input,
                                                                        std::uint32_t* scores) {
  score_block(input, scores);
}
[[gnu::target("avx2")]] std::size_t find_avx2(std::uint32_t* sums, std::size_t first,
                                              std::size_t end, std::uint32_t wanted) {
  return find_chunk(sums, first, end, wanted);
}
[[gnu::target("avx512f,avx512bw,avx512vl,avx512dq")]] std::size_t find_avx512(
    std::uint32_t* sums, std::size_t first, std::size_t end, std::uint32_t wanted) {
  return find_chunk(sums, first, end, wanted);
}
#endif

FindChunk choose_find_chunk() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")) return find_avx512;
  if (__builtin_cpu_supports("avx2")) return find_avx2;
#endif
  return find_plain;
}

ScoreBlock choose() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")) return score_avx512;
  if (__builtin_cpu_supports("avx2")) return score_avx2;
#endif
  return score_plain;
}

}  // namespace

ScoreBlock plain_score_block() { return score_plain; }

ScoreBlock best_score_block() {
  static const ScoreBlock kBest = choose();
  return kBest;
}

FindChunk plain_find_chunk() { return find_plain; }

FindChunk best_find_chunk() {
  static const FindChunk kBest = choose_find_chunk();
  return kBest;
}

}  // namespace beleg

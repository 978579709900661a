#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "index/token_codes.h"

namespace beleg {

/// The inner loops of vector search, once per instruction set. All variants give the same bits: the
/// token products are integers, and the float sums have one fixed order.
struct Kernels {
  std::string_view name;
  /// How many question tokens of a chunk the registers hold; at most CodedQuery::kMaxChunk.
  std::uint32_t max_chunk = CodedQuery::kMaxChunk;

  /// For each token of the chunk, raises best[token] to the largest product (without the question
  /// token's scale) with any token of the blocks.
  void (*raise_best)(const CodedQuery::Chunk& chunk, const std::byte* blocks,
                     std::size_t block_count, std::size_t groups, float* best) = nullptr;
  /// Writes all products: out[token × stride + block token]. `stride` ≥ 16 × block_count.
  void (*products)(const CodedQuery::Chunk& chunk, const std::byte* blocks, std::size_t block_count,
                   std::size_t groups, float* out, std::size_t stride) = nullptr;
  /// out[i] = query · rows[i × stride …]. `stride` is a multiple of 16 floats; both sides are
  /// padded with zeros to it.
  void (*dots)(const float* query, const float* rows, std::size_t stride, std::size_t count,
               float* out) = nullptr;
};

/// The oracle, and what runs on other processors.
[[nodiscard]] const Kernels& plain_kernels();
/// The fastest that this processor has. Chosen once.
[[nodiscard]] const Kernels& best_kernels();
/// All that this processor can run, the plain one first.
[[nodiscard]] std::span<const Kernels* const> runnable_kernels();

}  // namespace beleg

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "index/dense_codes.h"

namespace beleg {

/// The inner loops of the quantised dense search, once per instruction set. Products are integers
/// and the few float operations behind them have one order, so all variants give the same bits.
struct DenseKernels {
  std::string_view name;

  /// Upper bounds of the products of `block_count` blocks of sign codes, `groups` bytes a row.
  /// `allowed` has a word per block, or is null (all rows). Per block: `upper` gets 64 bounds, −∞
  /// for what is not allowed, and `highest` the largest of them (never NaN); a block without
  /// allowed rows gets only `highest`, −∞.
  void (*scan)(const CodedDenseQuery::Scan& query, const std::byte* blocks, std::size_t block_count,
               std::size_t groups, const std::uint64_t* allowed, float* upper,
               float* highest) = nullptr;
  /// Which of 64 bounds reach `low`, the first in the lowest bit. Never one that is not a number.
  std::uint64_t (*reach)(const float* bounds, float low) = nullptr;
  /// Σ fine code × question code. `bytes` is a multiple of 64, for `low` and `high` too.
  std::int32_t (*fine_product)(const std::int8_t* low, const std::int8_t* high,
                               const std::byte* codes, std::size_t bytes) = nullptr;
};

/// The oracle, and what runs on other processors.
[[nodiscard]] const DenseKernels& plain_dense_kernels();
/// The fastest that this processor has. Chosen once.
[[nodiscard]] const DenseKernels& best_dense_kernels();
/// All that this processor can run, the plain one first.
[[nodiscard]] std::span<const DenseKernels* const> runnable_dense_kernels();

#if defined(__x86_64__)
[[nodiscard]] const DenseKernels& avx2_dense_kernels();
/// AVX-512 with VBMI and VNNI.
[[nodiscard]] const DenseKernels& avx512_dense_kernels();
#endif

}  // namespace beleg

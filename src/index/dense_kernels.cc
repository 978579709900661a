#include "index/dense_kernels.h"

#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <vector>

namespace beleg {
namespace {

using dense_codes::kBlockRows;

std::array<std::uint32_t, kBlockRows> table_sums(const std::uint8_t* tables, const std::byte* block,
                                                 std::size_t groups) {
  std::array<std::uint32_t, kBlockRows> sums{};
  for (std::size_t g = 0; g < groups; ++g) {
    const std::uint8_t* const low = tables + 32 * g;
    const std::byte* const codes = block + g * kBlockRows;
    for (std::size_t i = 0; i < kBlockRows; ++i) {
      const auto byte = std::to_integer<unsigned>(codes[i]);
      sums[i] += std::uint32_t{low[byte & 15U]} + low[16U + (byte >> 4U)];
    }
  }
  return sums;
}

void scan(const CodedDenseQuery::Scan& query, const std::byte* blocks, std::size_t block_count,
          std::size_t groups, const std::uint64_t* allowed, float* upper, float* highest) {
  constexpr float kNone = -std::numeric_limits<float>::infinity();
  const std::size_t block_bytes = (groups + sizeof(std::uint32_t)) * kBlockRows;
  for (std::size_t b = 0; b < block_count; ++b) {
    const std::uint64_t word = allowed == nullptr ? ~std::uint64_t{0} : allowed[b];
    float best = kNone;
    if (word != 0) {
      const std::byte* const block = blocks + b * block_bytes;
      const auto sums = table_sums(query.tables, block, groups);
      std::array<std::uint32_t, kBlockRows> corrections;
      std::memcpy(corrections.data(), block + groups * kBlockRows, sizeof corrections);
      for (std::size_t i = 0; i < kBlockRows; ++i) {
        const auto factor = std::bit_cast<float>(corrections[i] & 0xffff0000U);
        const auto offset = std::bit_cast<float>(corrections[i] << 16U);
        const float product = query.scale * static_cast<float>(sums[i]) - query.bias;
        const float bound = query.offset_weight * offset + factor * product;
        upper[b * kBlockRows + i] = (word >> i & 1U) != 0 ? bound : kNone;
        // A damaged correction may be NaN: the comparison then keeps what was there.
        best = upper[b * kBlockRows + i] > best ? upper[b * kBlockRows + i] : best;
      }
    }
    highest[b] = best;
  }
}

std::uint64_t reach(const float* bounds, float low) {
  std::uint64_t reached = 0;
  for (std::size_t i = 0; i < kBlockRows; ++i) {
    reached |= static_cast<std::uint64_t>(bounds[i] >= low) << i;
  }
  return reached;
}

std::int32_t fine_product(const std::int8_t* low, const std::int8_t* high, const std::byte* codes,
                          std::size_t bytes) {
  std::int32_t sum = 0;
  for (std::size_t i = 0; i < bytes; ++i) {
    const auto byte = std::to_integer<std::int32_t>(codes[i]);
    sum += (byte & 15) * low[i] + (byte >> 4) * high[i];
  }
  return sum;
}

constexpr DenseKernels kPlain{"plain", scan, reach, fine_product};

std::vector<const DenseKernels*> find_runnable() {
  std::vector<const DenseKernels*> found{&kPlain};
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2")) found.push_back(&avx2_dense_kernels());
  if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vnni")) {
    found.push_back(&avx512_dense_kernels());
  }
#endif
  return found;
}

}  // namespace

const DenseKernels& plain_dense_kernels() { return kPlain; }

std::span<const DenseKernels* const> runnable_dense_kernels() {
  static const std::vector<const DenseKernels*> kFound = find_runnable();
  return kFound;
}

const DenseKernels& best_dense_kernels() { return *runnable_dense_kernels().back(); }

}  // namespace beleg

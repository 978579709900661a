#include "index/kernels.h"

#include <array>
#include <cstring>
#include <vector>

#include "index/kernels_x86.h"

namespace beleg {
namespace {

using token_codes::kBlockTokens;
using token_codes::kGroupBytes;

/// Twice the sums of (code − 7.5) × question code, for the 16 tokens of one block, times their
/// scale.
std::array<float, kBlockTokens> block_products(const CodedQuery::Chunk& chunk, std::uint32_t token,
                                               const std::byte* block, std::size_t groups) {
  std::array<std::int32_t, kBlockTokens> sums{};
  const std::size_t step = std::size_t{4} * chunk.count;
  for (std::size_t g = 0; g < groups; ++g) {
    const std::int8_t* const low = chunk.codes + 2 * g * step + std::size_t{4} * token;
    const std::int8_t* const high = low + step;
    const std::byte* const codes = block + g * kGroupBytes;
    for (std::size_t t = 0; t < kBlockTokens; ++t) {
      for (std::size_t j = 0; j < 4; ++j) {
        const auto byte = std::to_integer<std::int32_t>(codes[4 * t + j]);
        sums[t] += (byte & 15) * low[j] + (byte >> 4) * high[j];
      }
    }
  }
  std::array<float, kBlockTokens> scales;
  std::memcpy(scales.data(), block + groups * kGroupBytes, sizeof scales);
  std::array<float, kBlockTokens> products;
  for (std::size_t t = 0; t < kBlockTokens; ++t) {
    products[t] = static_cast<float>(2 * sums[t] - chunk.bias[token]) * scales[t];
  }
  return products;
}

void raise_best(const CodedQuery::Chunk& chunk, const std::byte* blocks, std::size_t block_count,
                std::size_t groups, float* best) {
  const std::size_t block_bytes = groups * kGroupBytes + kBlockTokens * sizeof(float);
  for (std::size_t b = 0; b < block_count; ++b) {
    for (std::uint32_t q = 0; q < chunk.count; ++q) {
      // A damaged scale may be NaN: the comparison then keeps what was there.
      for (const float product : block_products(chunk, q, blocks + b * block_bytes, groups)) {
        best[q] = product > best[q] ? product : best[q];
      }
    }
  }
}

void products(const CodedQuery::Chunk& chunk, const std::byte* blocks, std::size_t block_count,
              std::size_t groups, float* out, std::size_t stride) {
  const std::size_t block_bytes = groups * kGroupBytes + kBlockTokens * sizeof(float);
  for (std::size_t b = 0; b < block_count; ++b) {
    for (std::uint32_t q = 0; q < chunk.count; ++q) {
      const auto row = block_products(chunk, q, blocks + b * block_bytes, groups);
      std::memcpy(out + q * stride + b * kBlockTokens, row.data(), sizeof row);
    }
  }
}

/// Sixteen running sums, added up by halves: the order that the vector variants follow too.
void dots(const float* query, const float* rows, std::size_t stride, std::size_t count,
          float* out) {
  for (std::size_t r = 0; r < count; ++r) {
    const float* const row = rows + r * stride;
    std::array<float, 16> sums{};
    for (std::size_t i = 0; i < stride; i += 16) {
      for (std::size_t lane = 0; lane < 16; ++lane) sums[lane] += query[i + lane] * row[i + lane];
    }
    for (std::size_t half = 8; half > 0; half /= 2) {
      for (std::size_t lane = 0; lane < half; ++lane) sums[lane] += sums[lane + half];
    }
    out[r] = sums[0];
  }
}

constexpr Kernels kPlain{"plain", CodedQuery::kMaxChunk, raise_best, products, dots};

std::vector<const Kernels*> find_runnable() {
  std::vector<const Kernels*> found{&kPlain};
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2")) {
    found.push_back(&avx2_kernels());
    if (__builtin_cpu_supports("avxvnni")) found.push_back(&avx_vnni_kernels());
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512vnni")) {
      found.push_back(&avx512_vnni_kernels());
    }
  }
#endif
  return found;
}

}  // namespace

const Kernels& plain_kernels() { return kPlain; }

std::span<const Kernels* const> runnable_kernels() {
  static const std::vector<const Kernels*> kFound = find_runnable();
  return kFound;
}

const Kernels& best_kernels() { return *runnable_kernels().back(); }

}  // namespace beleg

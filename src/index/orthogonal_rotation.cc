#include "index/orthogonal_rotation.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

namespace beleg {
namespace {

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): small, and the same everywhere.
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }

 private:
  std::uint64_t state_;
};

/// In place, unnormalised.
void walsh_hadamard(float* values, std::size_t size) {
  for (std::size_t half = 1; half < size; half *= 2) {
    for (std::size_t start = 0; start < size; start += 2 * half) {
      for (std::size_t i = start; i < start + half; ++i) {
        const float a = values[i];
        const float b = values[i + half];
        values[i] = a + b;
        values[i + half] = a - b;
      }
    }
  }
}

}  // namespace

OrthogonalRotation::OrthogonalRotation(std::uint32_t dims)
    : dims_(dims), padded_(padded_dims(dims)), block_(padded_ & (~padded_ + 1U)) {
  const std::size_t size = padded_;
  signs_.resize(kRounds * size);
  order_.resize(kRounds * size);
  SplitMix64 random(0x62656c6567U + dims);
  const float scale = size == 0 ? 0.0F : 1.0F / std::sqrt(static_cast<float>(block_));
  for (std::size_t round = 0; round < kRounds; ++round) {
    std::uint32_t* const order = order_.data() + round * size;
    std::iota(order, order + size, 0U);
    for (std::size_t i = size; i > 1; --i) std::swap(order[i - 1], order[random.next() % i]);
    for (std::size_t i = 0; i < size; ++i) {
      signs_[round * size + i] = (random.next() >> 63U) != 0 ? -scale : scale;
    }
  }
}

void OrthogonalRotation::apply(std::span<const float> vector, std::span<float> out) const {
  const std::size_t size = padded_;
  std::vector<float> input(size, 0.0F);
  std::copy_n(vector.begin(), std::min<std::size_t>(vector.size(), dims_), input.begin());
  for (std::size_t round = 0; round < kRounds; ++round) {
    const float* const signs = signs_.data() + round * size;
    const std::uint32_t* const order = order_.data() + round * size;
    for (std::size_t i = 0; i < size; ++i) out[i] = input[order[i]] * signs[i];
    for (std::size_t start = 0; start < size; start += block_) {
      walsh_hadamard(out.data() + start, block_);
    }
    if (round + 1 < kRounds) std::copy_n(out.begin(), size, input.begin());
  }
}

}  // namespace beleg

#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace beleg {

/// A fixed pseudo-random orthogonal map. Spreads what a vector holds evenly over its coordinates,
/// so that one step size per vector suits all of them. Rounds of (random signs, random permutation,
/// Walsh-Hadamard transform of blocks); the sequence depends on the number of dimensions only.
/// Immutable, thread-safe.
class OrthogonalRotation {
 public:
  explicit OrthogonalRotation(std::uint32_t dims);

  [[nodiscard]] std::uint32_t dims() const { return dims_; }
  /// `dims` rounded up to a multiple of 8: the length of what apply() writes.
  [[nodiscard]] std::uint32_t padded_dims() const { return padded_; }
  static std::uint32_t padded_dims(std::uint32_t dims) { return (dims + 7U) / 8U * 8U; }
  /// Writes the rotated `vector` (dims() values) to `out` (padded_dims() values).
  void apply(std::span<const float> vector, std::span<float> out) const;

 private:
  static constexpr int kRounds = 3;

  std::uint32_t dims_;
  std::uint32_t padded_;
  std::uint32_t block_;               // The largest power of two that divides padded_.
  std::vector<float> signs_;          // kRounds × padded_, already divided by √block_.
  std::vector<std::uint32_t> order_;  // kRounds × padded_: where each coordinate comes from.
};

}  // namespace beleg

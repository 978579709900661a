#include "index/length_class.h"

#include <algorithm>

namespace beleg::length_class {
namespace {

constexpr std::size_t kExact = 64;
constexpr double kStep = 1.02;

/// Made by multiplications only, so that every processor has the same table.
constexpr std::array<float, kClasses> make_lengths() {
  std::array<float, kClasses> lengths{};
  double length = kExact;
  for (std::size_t i = 0; i < kClasses; ++i) {
    if (i < kExact) {
      lengths[i] = static_cast<float>(i);
    } else {
      lengths[i] = static_cast<float>(length);
      length *= kStep;
    }
  }
  return lengths;
}
constexpr std::array<float, kClasses> kLengths = make_lengths();

}  // namespace

std::uint8_t of(float words) {
  if (!(words > 0.0F)) return 0;
  const auto above = std::lower_bound(kLengths.begin(), kLengths.end(), words);
  if (above == kLengths.end()) return kClasses - 1;
  const auto index = static_cast<std::size_t>(above - kLengths.begin());
  const bool lower_is_nearer = words - kLengths[index - 1] < kLengths[index] - words;
  return static_cast<std::uint8_t>(lower_is_nearer ? index - 1 : index);
}

float words_of(std::uint8_t length_class) { return kLengths[length_class]; }

}  // namespace beleg::length_class

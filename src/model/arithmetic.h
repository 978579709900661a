#pragma once

#include <cstdint>

namespace beleg {

/// What the products with a transformer's matrices are computed with. A property of the model,
/// never of the machine: all processors give the same bits with either.
enum class Arithmetic : std::uint8_t {
  /// Activations in signed bytes, weights in four or eight bits, both with a scale for each 32
  /// inputs; sums of whole numbers, added up as floats. Matrices whose inputs are no multiple of 32
  /// stay floats.
  kBytes,
  kFloats,  ///< The reference.
};

}  // namespace beleg

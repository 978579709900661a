#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "base/result.h"

namespace beleg::bench {

/// A matrix of float32, row after row.
struct FloatMatrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<float> values;
};

/// Reads a NumPy file (format 1 or 2, '<f4', C order, two dimensions).
[[nodiscard]] Result<FloatMatrix> read_npy(const std::filesystem::path& path);

}  // namespace beleg::bench

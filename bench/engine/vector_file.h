#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace beleg {

/// A matrix of float32, row-major.
struct VectorFile {
  std::size_t rows = 0;
  std::uint32_t dims = 0;
  std::vector<float> values;

  [[nodiscard]] std::span<const float> row(std::size_t number) const {
    return std::span<const float>(values).subspan(number * dims, dims);
  }
};

/// Reads a NumPy array file (format versions 1 and 2; two dimensions, little-endian float32, C
/// order). kInvalidArgument names the file and what it holds instead.
Result<VectorFile> read_vector_file(const std::filesystem::path& path);

}  // namespace beleg

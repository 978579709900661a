#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "index/rows.h"
#include "index/section_file.h"

namespace beleg {

inline constexpr SectionFileKind kDenseFile{"BELEGDEN", 1};

/// One vector per row, mapped. Searched exactly: every allowed row is compared. Thread-safe.
class DenseIndex {
 public:
  static Result<DenseIndex> open(const std::filesystem::path& path);

  [[nodiscard]] const SectionFile& file() const { return file_; }
  [[nodiscard]] std::size_t rows() const { return static_cast<std::size_t>(file_.identity().rows); }
  [[nodiscard]] std::uint32_t dims() const { return dims_; }
  /// The k allowed rows with the largest product with `query`; empty when its length is not dims().
  [[nodiscard]] std::vector<RowHit> search(std::span<const float> query, std::size_t k,
                                           const RowFilter* filter) const;

  /// The same score for given rows, in their order; −1 for what cannot be compared.
  [[nodiscard]] std::vector<float> score(std::span<const float> query,
                                         std::span<const Row> rows) const;

 private:
  SectionFile file_;
  std::uint32_t dims_ = 0;
  std::uint32_t stride_ = 0;  // Floats from row to row: dims_ rounded up to 16.
  std::span<const float> matrix_;
};

/// Collects the vectors and writes the file.
class DenseIndexBuilder {
 public:
  explicit DenseIndexBuilder(std::uint32_t dims);
  void add(std::span<const float> vector);
  Result<void> write(const std::filesystem::path& path, IndexIdentity identity) const;

 private:
  std::uint32_t dims_;
  std::uint32_t stride_;
  std::vector<float> matrix_;
};

}  // namespace beleg

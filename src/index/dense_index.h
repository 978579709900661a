#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "index/dense_matrix.h"
#include "index/dense_quantised.h"
#include "index/rows.h"
#include "index/section_file.h"

namespace beleg {

inline constexpr SectionFileKind kDenseFile{"BELEGDEN", 2};

/// How a search goes about it.
enum class DenseStrategy : std::uint8_t {
  kExact,      ///< Every row is compared.
  kSelected,   ///< A filter leaves few rows: each of them is compared.
  kQuantised,  ///< Compressed vectors name the rows that are compared.
};
/// For people: "exact", "exact over the allowed rows", "quantised scan".
[[nodiscard]] std::string_view name_of(DenseStrategy strategy);

/// One vector per row, mapped. Scores are exact with every strategy. Thread-safe.
class DenseIndex {
 public:
  /// Fewer rows than this are compared faster one by one: smaller files have no compressed vectors,
  /// and filters that allow fewer rows do not use them.
  static constexpr std::size_t kQuantisedFrom = 2048;

  static Result<DenseIndex> open(const std::filesystem::path& path);

  [[nodiscard]] const SectionFile& file() const { return file_; }
  [[nodiscard]] std::size_t rows() const { return static_cast<std::size_t>(file_.identity().rows); }
  [[nodiscard]] std::uint32_t dims() const { return matrix_.dims(); }

  /// What search() does for `k` rows out of those that `filter` (or null) allows.
  [[nodiscard]] DenseStrategy strategy(std::size_t k, const RowFilter* filter) const;
  /// The k allowed rows with the largest product with `query`, score descending, then row
  /// ascending; fewer only when fewer are allowed. Empty when the query's length is not dims().
  [[nodiscard]] std::vector<RowHit> search(std::span<const float> query, std::size_t k,
                                           const RowFilter* filter) const;
  /// search() for several questions at once, in their order, with the same results but for what
  /// is below a request's floor. Questions share the fetches of the rows.
  [[nodiscard]] std::vector<std::vector<RowHit>> search_batch(
      std::span<const DenseRequest> requests, std::size_t k) const;

  /// The same score for given rows, in their order; −1 for what cannot be compared.
  [[nodiscard]] std::vector<float> score(std::span<const float> query,
                                         std::span<const Row> rows) const;

 private:
  SectionFile file_;
  DenseMatrix matrix_;
  std::optional<QuantisedDense> quantised_;
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

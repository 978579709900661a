#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/ids.h"

namespace beleg {

/// The rows with the largest products with some queries, by comparing every row in float32 without
/// any of the engine's code: what recall is counted against. Rows are added in order.
class ExactSearch {
 public:
  ExactSearch(std::vector<std::vector<float>> queries, std::size_t k);
  void add(std::span<const float> row);
  /// The share of the k best rows of a query that are among `found`.
  [[nodiscard]] double recall(std::size_t query, std::span<const Row> found) const;

 private:
  struct Scored {
    float score = 0;
    Row row = 0;
  };
  std::vector<std::vector<float>> queries_;
  std::vector<std::vector<Scored>> best_;  // Per query a heap, the worst in front.
  std::size_t k_;
  Row rows_ = 0;
};

}  // namespace beleg

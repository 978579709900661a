#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "index/rows.h"

namespace beleg {

/// The order of every list: score descending, then row ascending. Total, so that the result does
/// not depend on the order in which rows were seen.
[[nodiscard]] inline bool ranks_before(const RowHit& a, const RowHit& b) {
  return a.score != b.score ? a.score > b.score : a.row < b.row;
}

/// Keeps the k best hits: a heap with the worst kept hit on top. Scores must not be NaN.
class TopK {
 public:
  explicit TopK(std::size_t k) : k_(k) {}

  /// A hit with a score below this cannot enter.
  [[nodiscard]] float threshold() const {
    if (k_ == 0) return std::numeric_limits<float>::infinity();
    return heap_.size() < k_ ? -std::numeric_limits<float>::infinity() : heap_.front().score;
  }

  void push(RowHit hit) {
    if (heap_.size() < k_) {
      heap_.push_back(hit);
      std::push_heap(heap_.begin(), heap_.end(), ranks_before);
    } else if (k_ > 0 && ranks_before(hit, heap_.front())) {
      std::pop_heap(heap_.begin(), heap_.end(), ranks_before);
      heap_.back() = hit;
      std::push_heap(heap_.begin(), heap_.end(), ranks_before);
    }
  }

  void merge(const TopK& other) {
    for (const RowHit& hit : other.heap_) push(hit);
  }

  /// The kept hits, best first. Empties the heap.
  [[nodiscard]] std::vector<RowHit> take() {
    std::sort(heap_.begin(), heap_.end(), ranks_before);
    return std::move(heap_);
  }

 private:
  std::size_t k_;
  std::vector<RowHit> heap_;
};

}  // namespace beleg

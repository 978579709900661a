#include "exact_search.h"

#include <algorithm>
#include <array>

namespace beleg {
namespace {

/// In sixteen sums, so that the compiler may use vectors without changing the order of one sum.
float product(std::span<const float> a, std::span<const float> b) {
  std::array<float, 16> sums{};
  std::size_t i = 0;
  for (; i + sums.size() <= a.size(); i += sums.size()) {
    for (std::size_t lane = 0; lane < sums.size(); ++lane) sums[lane] += a[i + lane] * b[i + lane];
  }
  float total = 0;
  for (; i < a.size(); ++i) total += a[i] * b[i];
  for (const float sum : sums) total += sum;
  return total;
}

}  // namespace

ExactSearch::ExactSearch(std::vector<std::vector<float>> queries, std::size_t k)
    : queries_(std::move(queries)), best_(queries_.size()), k_(k) {}

void ExactSearch::add(std::span<const float> row) {
  const auto worse = [](const Scored& a, const Scored& b) { return a.score > b.score; };
  for (std::size_t q = 0; q < queries_.size(); ++q) {
    const float score = product(queries_[q], row);
    std::vector<Scored>& heap = best_[q];
    if (heap.size() >= k_) {
      if (score <= heap.front().score) continue;
      std::pop_heap(heap.begin(), heap.end(), worse);
      heap.pop_back();
    }
    heap.push_back({score, rows_});
    std::push_heap(heap.begin(), heap.end(), worse);
  }
  ++rows_;
}

double ExactSearch::recall(std::size_t query, std::span<const Row> found) const {
  const std::vector<Scored>& wanted = best_[query];
  if (wanted.empty()) return 1;
  std::size_t right = 0;
  for (const Scored& scored : wanted) {
    right += std::find(found.begin(), found.end(), scored.row) != found.end() ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(wanted.size());
}

}  // namespace beleg

#include "rank/fusion.h"

#include <algorithm>
#include <unordered_map>

namespace beleg {

std::vector<FusedCandidate> fuse_reciprocal_ranks(std::span<const CandidateList> lists,
                                                  const FusionSettings& settings) {
  std::vector<FusedCandidate> fused;
  std::unordered_map<Row, std::size_t> place;
  for (std::size_t l = 0; l < lists.size(); ++l) {
    const CandidateList& list = lists[l];
    if (list.weight <= 0.0) continue;
    const std::size_t depth = std::min(list.hits.size(), settings.window);
    for (std::size_t i = 0; i < depth; ++i) {
      const auto [entry, is_new] = place.try_emplace(list.hits[i].row, fused.size());
      if (is_new) fused.push_back({.row = list.hits[i].row, .score = 0.0, .shares = {}});
      FusedCandidate& candidate = fused[entry->second];
      const double contribution = list.weight / (settings.k + static_cast<double>(i + 1));
      candidate.score += contribution;
      candidate.shares.push_back(
          {.list = l, .rank = i + 1, .score = list.hits[i].score, .contribution = contribution});
    }
  }
  std::sort(fused.begin(), fused.end(), [](const FusedCandidate& a, const FusedCandidate& b) {
    return a.score != b.score ? a.score > b.score : a.row < b.row;
  });
  return fused;
}

}  // namespace beleg

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/ids.h"
#include "index/rows.h"

namespace beleg {

/// Ranked rows of one retriever for one query of the plan. Best first; a row at most once.
struct CandidateList {
  std::string retriever;  ///< "lexical", "dense" or "late".
  std::size_t query = 0;  ///< Index into the plan's queries; 0 is the original question.
  double weight = 1.0;    ///< ≥ 0; see list_weights.h.
  std::vector<RowHit> hits;
  std::vector<SearchPass> passes = {};  ///< How they were found, for explain.
};

/// What one list gave to a fused candidate.
struct ListShare {
  std::size_t list = 0;       ///< Index into the fused lists.
  std::size_t rank = 0;       ///< From 1.
  float score = 0.0F;         ///< The retriever's own score.
  double contribution = 0.0;  ///< weight / (k + rank)
};

struct FusedCandidate {
  Row row = 0;
  double score = 0.0;  ///< Sum of the contributions.
  std::vector<ListShare> shares;
};

struct FusionSettings {
  double k = 10.0;           ///< > 0
  std::size_t window = 100;  ///< Ranks of each list that count, ≥ 1.
};

/// Reciprocal rank fusion: score(d) = Σ_lists w / (k + rank), an absent document contributes 0
/// (Cormack, Clarke and Büttcher, SIGIR 2009). Best first; equal scores by row. The order does not
/// depend on how many results the caller keeps. Lists of weight 0 leave no trace.
[[nodiscard]] std::vector<FusedCandidate> fuse_reciprocal_ranks(
    std::span<const CandidateList> lists, const FusionSettings& settings);

}  // namespace beleg

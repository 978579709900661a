#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "pipeline/cascade_state.h"
#include "pipeline/engine.h"

namespace beleg {

/// Which part of the cascade orders the results.
enum class SearchMode : std::uint8_t {
  kLexical,  ///< BM25 alone.
  kDense,    ///< Cosine alone.
  kLate,     ///< Late interaction over all passages alone.
  kHybrid,   ///< The switched-on retrievers, fused.
  kFull,     ///< Fused, then reranked by calibrated relevance.
};
Result<SearchMode> parse_search_mode(std::string_view name);

enum class SearchUnit : std::uint8_t { kPassage, kDocument };

struct SearchHit {
  Row row = 0;  ///< The best passage, when the unit is the document.
  double score = 0.0;
};

struct SearchResult {
  std::vector<SearchHit> hits;  ///< Best first.
  bool complete = true;         ///< False when fewer than k matched.
  PlannedQuery query;           ///< Language, weights, matched mass: for explain.
  std::vector<CandidateList> lists;
  std::vector<FusedCandidate> fused;
};

/// Searches without answering. In mode kFull the first `max(k, rerank.candidates)` fused passages
/// are reranked. Results for k are a prefix of those for k + 10 up to k = 190 (documents: 30).
Result<SearchResult> search(Engine& engine, const std::string& question, QueryVectors vectors,
                            const FilterSpec& filter, SearchMode mode, SearchUnit unit,
                            std::size_t k);

}  // namespace beleg

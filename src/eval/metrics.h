#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace beleg {

/// Judged relevance of documents to questions: question id → document id → grade (0 is judged and
/// not relevant).
using Qrels = std::map<std::string, std::map<std::string, int>>;

/// A ranked list per question: question id → (document id, score). Not necessarily sorted.
struct RankedDocument {
  std::string id;
  double score = 0.0;
};
using Run = std::map<std::string, std::vector<RankedDocument>>;

/// Retrieval metrics of one question at cutoff k. They agree with trec_eval's ndcg_cut (linear
/// gain), recall, P, recip_rank (within k) and map_cut.
struct RetrievalMetrics {
  double ndcg = 0.0;
  double recall = 0.0;
  double precision = 0.0;
  double reciprocal_rank = 0.0;
  double average_precision = 0.0;
  double hit = 0.0;  ///< 1 when a relevant document is among the first k.
};

/// Orders as trec_eval does: by score descending, equal scores by document id descending.
[[nodiscard]] std::vector<RankedDocument> trec_order(std::vector<RankedDocument> ranked);

[[nodiscard]] RetrievalMetrics evaluate_ranking(const std::vector<RankedDocument>& ordered,
                                                const std::map<std::string, int>& judged,
                                                std::size_t k);

/// nDCG at cutoff k of a ranking with grades 0 and 1: `ranks` are the places, from 1 and ascending,
/// at which relevant documents stand, `relevant` is how many there are.
[[nodiscard]] double binary_ndcg(std::span<const std::size_t> ranks, std::size_t relevant,
                                 std::size_t k);

/// Means over all questions that have a relevant document. A question absent from the run counts as
/// zero, and is counted in `absent`.
struct RunEvaluation {
  RetrievalMetrics mean;
  std::map<std::string, RetrievalMetrics> per_question;
  std::size_t questions = 0;
  std::size_t absent = 0;
};
[[nodiscard]] RunEvaluation evaluate_run(const Run& run, const Qrels& qrels, std::size_t k);

/// Reads "qid Q0 docid rank score tag" lines. Refuses a document that is listed twice for a
/// question, which would count twice, and scores that are not finite, which have no order. Errors
/// name `file` (how messages call it) and the line.
Result<Run> parse_trec_run(std::string_view text, std::string_view file);
/// Reads "qid 0 docid grade" (TREC) or tab-separated "query-id corpus-id score" with header (BEIR).
/// Refuses a document that is judged twice for a question. Errors are as for runs.
Result<Qrels> parse_qrels(std::string_view text, std::string_view file);

}  // namespace beleg

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "answer/citation.h"
#include "answer/extractive.h"
#include "base/clock.h"
#include "index/index_snapshot.h"
#include "pipeline/engine.h"
#include "pipeline/trace.h"
#include "rank/combiner.h"
#include "rank/fusion.h"
#include "rank/list_weights.h"
#include "rank/recency.h"
#include "route/plan.h"

namespace beleg {

/// A question and what the asker may see.
struct AskRequest {
  std::string question;
  FilterSpec filter;
  UnixSeconds now = 0;  ///< The injected present, for recency. Cut to its UTC day.
};

/// One query of the plan, ready to be searched. Number 0 is the original question.
struct PlannedQuery {
  std::string text;
  std::string language;
  std::string rule;  ///< How it was formed; "original" for number 0.
  QueryVectors vectors;
  ListEvidence evidence;
  ListWeights weights;
  std::vector<QueryTermReport> terms;       ///< What was asked of the lexical index.
  std::unordered_map<Row, double> lexical;  ///< Row → BM25 in [0,1]; see RelevanceFeatures.
};

/// A passage with its relevance, per query and at its best.
struct JudgedPassage {
  Row row = 0;
  std::vector<RelevanceFeatures> features;  ///< Per query.
  std::vector<double> relevance;            ///< Per query, [0,1].
  double best = 0;                          ///< The largest of them.
  double fused = 0;                         ///< Score of fusion; 0 for windows added by expansion.
  std::vector<Token> tokens;                ///< Of its text; only of packed windows.
};

/// A whole current article with the windows it was judged by.
struct ArticleEvidence {
  StoredVersion version;
  std::vector<StoredPassage> passages;
  std::vector<JudgedPassage> windows;  ///< As many as passages that the asker may see, in order.
  double relevance = 0;                ///< MaxP: the largest of its windows.
  Age age;
  double decay = 1;
  double final_score = 0;
  std::vector<std::size_t> packed;  ///< Indexes of the windows that went into the evidence.
};

/// A sentence of the answer with its proof.
struct Statement {
  std::string text;
  std::size_t query = 0;
  double relevance = 0;
  double support = 0;
  bool supported = false;
  bool reviewed = false;  ///< A template's answer: a person checked it against its sources.
  std::vector<std::string> objections;
  std::vector<Citation> citations;
};

/// Why there is no answer.
struct Abstention {
  std::string code;    ///< "no_hit", "not_relevant", "not_supported", "refused".
  std::string reason;  ///< One line for people.
};

/// Everything that the steps hand on. Each step reads what stands before it and fills its own part.
struct CascadeState {
  Engine& engine;
  const AskRequest& request;
  Trace trace;

  std::string template_id;  ///< Of the template that answers; empty: the cascade goes on.
  QueryPlan plan;
  std::vector<PlannedQuery> queries;
  std::optional<RowFilter> filter;  ///< Absent when every row may be seen.
  std::vector<CandidateList> lists;
  std::vector<FusedCandidate> fused;
  std::vector<JudgedPassage> passages;
  std::vector<ArticleEvidence> articles;
  std::size_t did_not_fit = 0;  ///< Passages of the evidence beyond the token budget.
  std::vector<SentenceCandidate> sentences;
  std::vector<std::size_t> answer_queries;  ///< The queries that the answer must serve.
  std::vector<Statement> statements;
  double faithfulness = 0;
  std::optional<Abstention> abstention;
  double widen = 1.0;  ///< Factor on the numbers of candidates; above 1 in the corrective pass.

  [[nodiscard]] const Settings& settings() const { return engine.settings(); }
  /// The filter to hand to a search; null for none.
  [[nodiscard]] const RowFilter* row_filter() const { return filter ? &*filter : nullptr; }
  void degrade(std::string step, std::string reason) {
    trace.degraded.push_back({std::move(step), std::move(reason)});
  }
};

}  // namespace beleg

#pragma once

#include <span>
#include <string_view>

#include "base/result.h"
#include "pipeline/cascade_state.h"

namespace beleg {

/// A step of the cascade: reads the state, fills its part, says in `record` what went in and out.
/// An error ends the run; what can be done without is a degradation instead.
using StepFunction = Result<void> (*)(CascadeState& state, StepRecord& record);

/// One step and its contract. The table of these is the cascade: it is run in this order, and
/// docs/reference/steps.md is made from it.
struct StepSpec {
  int number = 0;  ///< As in docs/architecture.md.
  std::string_view name;
  std::string_view inputs;
  std::string_view success;
  std::string_view partial_failure;
  StepFunction run = nullptr;
};

[[nodiscard]] std::span<const StepSpec> step_specs();
/// The reference page of all steps with their settings and defaults, in Markdown.
[[nodiscard]] std::string steps_reference();

// In files named after them.
Result<void> step_admit(CascadeState& state, StepRecord& record);
Result<void> step_route(CascadeState& state, StepRecord& record);
Result<void> step_plan(CascadeState& state, StepRecord& record);
Result<void> step_retrieve(CascadeState& state, StepRecord& record);
Result<void> step_fuse(CascadeState& state, StepRecord& record);
Result<void> step_rerank_passages(CascadeState& state, StepRecord& record);
Result<void> step_filter(CascadeState& state, StepRecord& record);
Result<void> step_expand(CascadeState& state, StepRecord& record);
Result<void> step_rerank_articles(CascadeState& state, StepRecord& record);
Result<void> step_recency(CascadeState& state, StepRecord& record);
Result<void> step_assemble(CascadeState& state, StepRecord& record);
Result<void> step_generate(CascadeState& state, StepRecord& record);
Result<void> step_cite(CascadeState& state, StepRecord& record);
Result<void> step_check(CascadeState& state, StepRecord& record);
Result<void> step_gate(CascadeState& state, StepRecord& record);

/// Judges rows against every query of the plan: features, relevance, best. Shared by the two
/// reranking steps and by `beleg search`.
[[nodiscard]] std::vector<JudgedPassage> judge_rows(CascadeState& state, std::span<const Row> rows);

/// Forms one query: detects its language, takes its vectors.
[[nodiscard]] PlannedQuery make_query(const Engine& engine, std::string text, std::string rule,
                                      QueryVectors vectors);

/// Runs the retrievers for some queries, which are numbered from `first_number` on, and sets their
/// weights. Dense search goes over the rows once for all of them. `depth` results per list.
[[nodiscard]] std::vector<CandidateList> retrieve_lists(const Engine& engine,
                                                        std::span<PlannedQuery> queries,
                                                        std::size_t first_number, std::size_t depth,
                                                        const RowFilter* filter);
/// How a list was found, as traces have it: [{strategy, segments, language where there is one}].
[[nodiscard]] Json passes_to_json(const std::vector<SearchPass>& passes);

}  // namespace beleg

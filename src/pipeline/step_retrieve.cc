#include <algorithm>

#include "pipeline/steps.h"

namespace beleg {
namespace {

/// Lexical scores are needed deeper than the list is used: the judge wants them for every
/// candidate.
constexpr std::size_t kLexicalDepth = 200;

double same_language_share(const IndexSnapshot& index, const std::string& language) {
  std::size_t same = 0;
  std::size_t all = 0;
  for (const auto& [code, rows] : index.languages()) {
    all += rows;
    if (code == language) same += rows;
  }
  return all > 0 ? static_cast<double>(same) / static_cast<double>(all) : 0.0;
}

std::size_t widened(std::size_t count, double factor) {
  return static_cast<std::size_t>(static_cast<double>(count) * factor);
}

}  // namespace

Json passes_to_json(const std::vector<SearchPass>& passes) {
  Json json = Json::array();
  for (const SearchPass& pass : passes) {
    Json entry = {{"strategy", pass.strategy}, {"segments", pass.segments}};
    if (!pass.language.empty()) entry["language"] = pass.language;
    json.push_back(std::move(entry));
  }
  return json;
}

std::vector<CandidateList> retrieve_lists(const Engine& engine, PlannedQuery& query,
                                          std::size_t query_number, std::size_t depth,
                                          const RowFilter* filter) {
  const Settings& settings = engine.settings();
  const IndexSnapshot& index = engine.index();
  std::vector<CandidateList> lists;
  LexicalResult lexical = index.search_lexical(
      query.text, query.language, std::max(depth, kLexicalDepth), filter, settings.retrieve.bm25);
  query.matched_mass = lexical.matched_mass;
  query.terms = std::move(lexical.terms);
  query.lexical.clear();
  const float best = lexical.hits.empty() ? 0.0F : lexical.hits.front().score;
  for (const RowHit& hit : lexical.hits) {
    query.lexical[hit.row] =
        best > 0 ? static_cast<double>(hit.score / best * lexical.matched_mass) : 0.0;
  }
  query.weights = weigh_lists({.same_language_share = same_language_share(index, query.language),
                               .matched_mass = lexical.matched_mass},
                              settings.weights);
  if (settings.retrieve.lexical) {
    lexical.hits.resize(std::min(lexical.hits.size(), depth));
    lists.push_back({.retriever = "lexical",
                     .query = query_number,
                     .weight = query.weights.lexical,
                     .hits = std::move(lexical.hits),
                     .passes = std::move(lexical.passes)});
  }
  if (settings.retrieve.dense) {
    lists.push_back({.retriever = "dense",
                     .query = query_number,
                     .weight = query.weights.dense,
                     .hits = index.search_dense(query.vectors.dense, depth, filter),
                     .passes = index.dense_passes(depth, filter)});
  }
  if (settings.retrieve.late) {
    lists.push_back({.retriever = "late",
                     .query = query_number,
                     .weight = query.weights.late,
                     .hits = index.search_late(query.vectors, depth, filter),
                     .passes = index.late_passes(depth, filter)});
  }
  return lists;
}

Result<void> step_retrieve(CascadeState& state, StepRecord& record) {
  const std::size_t depth = widened(state.settings().retrieve.top_k, state.widen);
  state.lists.clear();
  for (std::size_t q = 0; q < state.queries.size(); ++q) {
    for (CandidateList& list :
         retrieve_lists(state.engine, state.queries[q], q, depth, state.row_filter())) {
      state.lists.push_back(std::move(list));
    }
  }
  record.in = state.queries.size();
  record.detail["top_k"] = depth;
  record.detail["lists"] = Json::array();
  for (const CandidateList& list : state.lists) {
    record.out += list.hits.size();
    Json entry = {{"retriever", list.retriever},
                  {"query", list.query},
                  {"hits", list.hits.size()},
                  {"weight", rounded(list.weight)},
                  {"strategies", passes_to_json(list.passes)}};
    if (!list.hits.empty()) {
      entry["best_score"] = rounded(static_cast<double>(list.hits.front().score));
    }
    if (list.retriever == "lexical") {
      entry["matched_mass"] = rounded(static_cast<double>(state.queries[list.query].matched_mass));
    }
    record.detail["lists"].push_back(std::move(entry));
  }
  return {};
}

Result<void> step_fuse(CascadeState& state, StepRecord& record) {
  state.fused = fuse_reciprocal_ranks(state.lists, state.settings().fusion);
  for (const CandidateList& list : state.lists) record.in += list.hits.size();
  record.out = state.fused.size();
  record.detail["lists"] = state.lists.size();
  record.detail["k"] = state.settings().fusion.k;
  record.detail["top"] = Json::array();
  for (std::size_t i = 0; i < std::min<std::size_t>(state.fused.size(), 10); ++i) {
    Json shares = Json::array();
    for (const ListShare& share : state.fused[i].shares) {
      shares.push_back({{"retriever", state.lists[share.list].retriever},
                        {"query", state.lists[share.list].query},
                        {"rank", share.rank},
                        {"share", rounded(share.contribution / state.fused[i].score)}});
    }
    record.detail["top"].push_back(
        {{"passage",
          static_cast<std::int64_t>(state.engine.index().passage_of(state.fused[i].row))},
         {"score", rounded(state.fused[i].score)},
         {"shares", std::move(shares)}});
  }
  return {};
}

}  // namespace beleg

#include <algorithm>

#include "model/worker_pool.h"
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

/// The lexical list of a query. What it says of the query is kept even where the list is not
/// wanted: the judge asks for it.
CandidateList search_words(const Engine& engine, PlannedQuery& query, std::size_t depth,
                           const RowFilter* filter) {
  const IndexSnapshot& index = engine.index();
  LexicalResult lexical =
      index.search_lexical(query.text, query.language, std::max(depth, kLexicalDepth), filter,
                           engine.settings().retrieve.bm25);
  query.terms = std::move(lexical.terms);
  query.lexical.clear();
  const float best = lexical.hits.empty() ? 0.0F : lexical.hits.front().score;
  for (const RowHit& hit : lexical.hits) {
    query.lexical[hit.row] =
        best > 0 ? static_cast<double>(hit.score / best * lexical.matched_mass) : 0.0;
  }
  query.evidence = {.same_language_share = same_language_share(index, query.language),
                    .matched_mass = static_cast<double>(lexical.matched_mass)};
  lexical.hits.resize(std::min(lexical.hits.size(), depth));
  return {
      .retriever = "lexical", .hits = std::move(lexical.hits), .passes = std::move(lexical.passes)};
}

/// Sets the weights of a query's lists by what is known once all of them are there.
void weigh(PlannedQuery& query, std::vector<CandidateList>& lists,
           const ListWeightSettings& settings) {
  std::vector<std::span<const RowHit>> others;
  for (const CandidateList& list : lists) {
    if (list.retriever != "lexical") others.emplace_back(list.hits);
  }
  for (const CandidateList& list : lists) {
    if (list.retriever == "lexical") query.evidence.agreement = list_agreement(list.hits, others);
  }
  query.evidence.has_late = std::ranges::any_of(
      lists, [](const CandidateList& list) { return list.retriever == "late"; });
  query.weights = weigh_lists(query.evidence, settings);
  for (CandidateList& list : lists) list.weight = weight_of(query.weights, list.retriever);
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

std::vector<CandidateList> retrieve_lists(const Engine& engine, std::span<PlannedQuery> queries,
                                          std::size_t first_number, std::size_t depth,
                                          const RowFilter* filter) {
  const Settings& settings = engine.settings();
  const IndexSnapshot& index = engine.index();
  std::vector<std::vector<RowHit>> dense;
  if (settings.retrieve.dense) {
    std::vector<std::span<const float>> vectors;
    for (const PlannedQuery& query : queries) vectors.emplace_back(query.vectors.dense);
    dense = index.search_dense_together(vectors, depth, filter);
  }
  std::vector<CandidateList> all;
  for (std::size_t q = 0; q < queries.size(); ++q) {
    PlannedQuery& query = queries[q];
    std::vector<CandidateList> lists;
    CandidateList words = search_words(engine, query, depth, filter);
    if (settings.retrieve.lexical) lists.push_back(std::move(words));
    if (settings.retrieve.dense) {
      lists.push_back({.retriever = "dense",
                       .hits = std::move(dense[q]),
                       .passes = index.dense_passes(depth, filter)});
    }
    if (settings.retrieve.late) {
      lists.push_back({.retriever = "late",
                       .hits = index.search_late(query.vectors, depth, filter),
                       .passes = index.late_passes(depth, filter)});
    }
    weigh(query, lists, settings.weights);
    for (CandidateList& list : lists) {
      list.query = first_number + q;
      all.push_back(std::move(list));
    }
  }
  return all;
}

Result<void> step_retrieve(CascadeState& state, StepRecord& record) {
  const std::size_t depth = widened(state.settings().retrieve.top_k, state.widen);
  state.lists.clear();
  const std::span<PlannedQuery> queries = state.queries;
  const std::size_t threads = std::max<std::size_t>(1, state.settings().threads);
  const std::size_t share = std::max<std::size_t>(1, (queries.size() + threads - 1) / threads);
  std::vector<std::vector<CandidateList>> found((queries.size() + share - 1) / share);
  run_in_parallel(found.size(), threads, [&](std::size_t part) {
    const std::size_t first = part * share;
    found[part] = retrieve_lists(state.engine,
                                 queries.subspan(first, std::min(share, queries.size() - first)),
                                 first, depth, state.row_filter());
  });
  for (std::vector<CandidateList>& lists : found) {
    for (CandidateList& list : lists) state.lists.push_back(std::move(list));
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
      const ListEvidence& evidence = state.queries[list.query].evidence;
      entry["matched_mass"] = rounded(evidence.matched_mass);
      entry["same_language_share"] = rounded(evidence.same_language_share);
      entry["agreement"] = rounded(evidence.agreement);
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

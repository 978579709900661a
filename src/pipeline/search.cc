#include "pipeline/search.h"

#include <algorithm>
#include <set>

#include "pipeline/steps.h"

namespace beleg {
namespace {

std::vector<SearchHit> hits_of(const std::vector<RowHit>& list) {
  std::vector<SearchHit> hits;
  hits.reserve(list.size());
  for (const RowHit& hit : list) hits.push_back({hit.row, static_cast<double>(hit.score)});
  return hits;
}

/// One hit per document: its best passage.
std::vector<SearchHit> collapse_documents(const IndexSnapshot& index,
                                          const std::vector<SearchHit>& hits) {
  std::vector<SearchHit> documents;
  std::set<DocumentId> seen;
  for (const SearchHit& hit : hits) {
    if (seen.insert(index.attributes(hit.row).document).second) documents.push_back(hit);
  }
  return documents;
}

/// The list of one retriever alone.
CandidateList retrieve_alone(const Engine& engine, const PlannedQuery& query, SearchMode mode,
                             std::size_t depth, const RowFilter* filter) {
  const IndexSnapshot& index = engine.index();
  CandidateList list;
  if (mode == SearchMode::kDense) {
    list.retriever = "dense";
    list.hits = index.search_dense(query.vectors.dense, depth, filter);
    list.passes = index.dense_passes(depth, filter);
  } else if (mode == SearchMode::kLate) {
    list.retriever = "late";
    list.hits = index.search_late(query.vectors, depth, filter);
    list.passes = index.late_passes(depth, filter);
  } else {
    LexicalResult lexical = index.search_lexical(query.text, query.language, depth, filter,
                                                 engine.settings().retrieve.bm25);
    list.retriever = "lexical";
    list.hits = std::move(lexical.hits);
    list.passes = std::move(lexical.passes);
  }
  return list;
}

/// Reranks the first `depth` fused passages by relevance; the rest follow in their order, below.
std::vector<SearchHit> rerank(CascadeState& state, const std::vector<FusedCandidate>& fused,
                              std::size_t depth) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < std::min(depth, fused.size()); ++i) rows.push_back(fused[i].row);
  std::vector<SearchHit> hits;
  for (const JudgedPassage& passage : judge_rows(state, rows)) {
    hits.push_back({passage.row, passage.best});
  }
  std::stable_sort(hits.begin(), hits.end(),
                   [](const SearchHit& a, const SearchHit& b) { return a.score > b.score; });
  return hits;
}

/// How deep each list is read. A document may own many passages: look deeper when documents are
/// counted. Only a few depths are possible, since fusion over deeper lists orders differently: so
/// results for k begin those for a larger k unless a step lies between the two.
std::size_t search_depth(const Settings& settings, SearchUnit unit, std::size_t k) {
  std::size_t depth = std::max<std::size_t>(settings.fusion.window, 200);
  const std::size_t wanted = unit == SearchUnit::kDocument ? 5 * k : k;
  while (depth < wanted) depth *= 10;
  return depth;
}

}  // namespace

Result<SearchMode> parse_search_mode(std::string_view name) {
  if (name == "lexical") return SearchMode::kLexical;
  if (name == "dense") return SearchMode::kDense;
  if (name == "late") return SearchMode::kLate;
  if (name == "hybrid") return SearchMode::kHybrid;
  if (name == "full") return SearchMode::kFull;
  return fail(ErrorCode::kInvalidArgument, "unknown mode '" + std::string(name) + "'",
              "give lexical, dense, late, hybrid or full");
}

Result<SearchResult> search(Engine& engine, const std::string& question, QueryVectors vectors,
                            const FilterSpec& filter, SearchMode mode, SearchUnit unit,
                            std::size_t k) {
  const AskRequest request{.question = question, .filter = filter, .now = 0};
  CascadeState state{.engine = engine, .request = request};
  StepRecord record;
  TRY(step_admit(state, record));
  SearchResult result;
  result.query = make_query(engine, question, "original", std::move(vectors));
  // A document may own many passages: look deeper when documents are counted.
  const std::size_t depth = search_depth(engine.settings(), unit, k);
  std::vector<SearchHit> hits;
  if (mode == SearchMode::kDense || mode == SearchMode::kLate || mode == SearchMode::kLexical) {
    result.lists.push_back(retrieve_alone(engine, result.query, mode, depth, state.row_filter()));
    hits = hits_of(result.lists.front().hits);
  } else {
    result.lists = retrieve_lists(engine, {&result.query, 1}, 0, depth, state.row_filter());
    FusionSettings fusion = engine.settings().fusion;
    fusion.window = std::max(fusion.window, depth);
    result.fused = fuse_reciprocal_ranks(result.lists, fusion);
    if (mode == SearchMode::kFull) {
      state.queries.push_back(result.query);
      hits = rerank(state, result.fused, std::max(depth, engine.settings().rerank.candidates));
    } else {
      for (const FusedCandidate& candidate : result.fused) {
        hits.push_back({candidate.row, candidate.score});
      }
    }
  }
  if (unit == SearchUnit::kDocument) hits = collapse_documents(engine.index(), hits);
  result.complete = hits.size() >= k;
  hits.resize(std::min(hits.size(), k));
  result.hits = std::move(hits);
  return result;
}

}  // namespace beleg

#include <algorithm>
#include <string_view>

#include "model/calibration.h"
#include "pipeline/steps.h"

namespace beleg {
namespace {

/// Replaces the relevance of the original question's judgement by that of a cross-encoder.
Result<void> judge_with_cross_encoder(CascadeState& state, std::vector<JudgedPassage>& judged) {
  const CrossEncoder* model = TRY(state.engine.cross_encoder());
  std::vector<std::string> texts;
  for (const JudgedPassage& passage : judged) {
    const StoredPassage stored =
        TRY(state.engine.store().passage(state.engine.index().passage_of(passage.row)));
    const StoredVersion version = TRY(state.engine.store().version(stored.version));
    texts.push_back(
        version.content.text.substr(stored.passage.bytes.start, stored.passage.bytes.size()));
  }
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  const Calibration calibration;  // The identity: σ(logit). Fitted ones come with the model.
  for (std::size_t q = 0; q < state.queries.size(); ++q) {
    const auto rows = TRY(model->logits(state.queries[q].text, views));
    for (std::size_t i = 0; i < judged.size(); ++i) {
      judged[i].relevance[q] =
          calibration.relevance(static_cast<double>(model->relevance_logit(rows[i])));
    }
  }
  for (JudgedPassage& passage : judged) {
    passage.best = *std::max_element(passage.relevance.begin(), passage.relevance.end());
  }
  return {};
}

/// Keeps the best `keep`, but never drops the best passage of a query: a sub-question whose
/// evidence is weaker than the others' would lose its answer.
void keep_best(std::vector<JudgedPassage>& judged, std::size_t queries, std::size_t keep) {
  if (judged.size() <= keep) return;
  std::vector<bool> kept(judged.size(), false);
  std::size_t count = 0;
  for (std::size_t q = 0; q < queries && count < keep; ++q) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < judged.size(); ++i) {
      if (judged[i].relevance[q] > judged[best].relevance[q]) best = i;
    }
    count += kept[best] ? 0 : 1;
    kept[best] = true;
  }
  for (std::size_t i = 0; i < judged.size() && count < keep; ++i) {
    count += kept[i] ? 0 : 1;
    kept[i] = true;
  }
  std::size_t out = 0;
  for (std::size_t i = 0; i < judged.size(); ++i) {
    if (kept[i]) std::swap(judged[out++], judged[i]);
  }
  judged.resize(out);
}

Json passages_json(const CascadeState& state, const std::vector<JudgedPassage>& judged) {
  Json list = Json::array();
  for (const JudgedPassage& passage : judged) {
    const RowAttributes row = state.engine.index().attributes(passage.row);
    Json relevance = Json::array();
    for (double r : passage.relevance) relevance.push_back(rounded(r));
    list.push_back({{"passage", static_cast<std::int64_t>(row.passage)},
                    {"story", row.story},
                    {"relevance", rounded(passage.best)},
                    {"per_query", std::move(relevance)},
                    {"fused", rounded(passage.fused)}});
  }
  return list;
}

}  // namespace

std::vector<JudgedPassage> judge_rows(CascadeState& state, std::span<const Row> rows) {
  const IndexSnapshot& index = state.engine.index();
  std::vector<JudgedPassage> judged(rows.size());
  std::vector<std::string> languages;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    judged[i].row = rows[i];
    languages.push_back(index.attributes(rows[i]).language);
  }
  for (const PlannedQuery& query : state.queries) {
    const std::vector<float> late = index.score_late(query.vectors, rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto entry = query.lexical.find(rows[i]);
      const double lexical = entry == query.lexical.end() ? 0.0 : entry->second;
      const bool foreign = languages[i] != query.language;
      // Words of another language match by accident: what they say counts as little as their list.
      const double floor = foreign ? state.settings().weights.foreign_floor : 1.0;
      const RelevanceFeatures features{.late = static_cast<double>(late[i]),
                                       .lexical = lexical * floor,
                                       .foreign = foreign ? 1.0 : 0.0};
      judged[i].features.push_back(features);
      judged[i].relevance.push_back(state.engine.relevance_model().relevance(features));
    }
  }
  for (JudgedPassage& passage : judged) {
    passage.best = *std::max_element(passage.relevance.begin(), passage.relevance.end());
  }
  return judged;
}

Result<void> step_rerank_passages(CascadeState& state, StepRecord& record) {
  const RerankSettings& settings = state.settings().rerank;
  const auto most =
      static_cast<std::size_t>(static_cast<double>(settings.candidates) * state.widen);
  const std::size_t count = std::min(state.fused.size(), most);
  std::vector<Row> rows;
  rows.reserve(count);
  for (std::size_t i = 0; i < count; ++i) rows.push_back(state.fused[i].row);
  std::vector<JudgedPassage> judged = judge_rows(state, rows);
  for (std::size_t i = 0; i < count; ++i) judged[i].fused = state.fused[i].score;
  if (settings.kind == "cross-encoder") {
    auto done = judge_with_cross_encoder(state, judged);
    if (!done) {
      state.degrade("rerank passages",
                    "late interaction instead of the cross-encoder: " + done.error().to_line());
    }
  }
  if (settings.kind != "none") {
    std::stable_sort(
        judged.begin(), judged.end(),
        [](const JudgedPassage& a, const JudgedPassage& b) { return a.best > b.best; });
  }
  keep_best(judged, state.queries.size(), settings.keep);
  state.passages = std::move(judged);
  record.in = count;
  record.out = state.passages.size();
  record.detail["kind"] = settings.kind;
  record.detail["fused"] = state.fused.size();
  record.detail["judged"] = count;
  record.detail["passages"] = passages_json(state, state.passages);
  return {};
}

Result<void> step_filter(CascadeState& state, StepRecord& record) {
  const double limit = state.settings().expand.min_passage_relevance;
  record.in = state.passages.size();
  std::erase_if(state.passages, [limit](const JudgedPassage& p) { return p.best < limit; });
  record.out = state.passages.size();
  record.detail["min_relevance"] = limit;
  record.detail["dropped"] = record.in - record.out;
  return {};
}

}  // namespace beleg

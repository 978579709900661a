#include <algorithm>
#include <set>

#include "document/release_date.h"
#include "pipeline/steps.h"

namespace beleg {
namespace {

/// The version that speaks for a passage: the newest visible one of its story. A passage of an
/// older article of the same story brings in the current article.
Result<VersionId> current_version(const CascadeState& state, const RowAttributes& row) {
  const std::vector<VersionId> versions =
      TRY(state.engine.store().versions_of_story(row.story, state.engine.generation().number));
  // A story id that is empty, or that the truth does not list, leaves the passage's own version.
  return versions.empty() ? row.version : versions.front();
}

/// Reads an article whole, with those of its passages that the asker may see.
Result<ArticleEvidence> read_article(CascadeState& state, VersionId id) {
  ArticleEvidence article;
  article.version = TRY(state.engine.store().version(id));
  std::vector<Row> rows;
  for (StoredPassage& passage : TRY(state.engine.store().passages_of(id))) {
    const Row row = TRY(state.engine.index().row_of(passage.id));
    if (state.filter && !state.filter->allows(row)) continue;
    rows.push_back(row);
    article.passages.push_back(std::move(passage));
  }
  article.windows = judge_rows(state, rows);
  return article;
}

}  // namespace

Result<void> step_expand(CascadeState& state, StepRecord& record) {
  state.articles.clear();
  record.in = state.passages.size();
  record.detail["superseded"] = Json::array();
  record.detail["articles"] = Json::array();
  std::set<VersionId> taken;
  std::size_t left_out = 0;
  for (const JudgedPassage& passage : state.passages) {
    const RowAttributes row = state.engine.index().attributes(passage.row);
    VersionId id = TRY(current_version(state, row));
    if (taken.contains(id)) continue;
    if (state.articles.size() >= state.settings().expand.max_articles) {
      ++left_out;
      continue;
    }
    taken.insert(id);
    ArticleEvidence article = TRY(read_article(state, id));
    if (article.windows.empty() && id != row.version) {
      // The current article of the story is not for this asker; the one that was found is.
      article = TRY(read_article(state, row.version));
      taken.insert(row.version);
      id = row.version;
    }
    if (article.windows.empty()) continue;
    if (id != row.version) record.detail["superseded"].push_back(row.story);
    record.detail["articles"].push_back(
        {{"document", article.version.external_id}, {"passages", article.windows.size()}});
    state.articles.push_back(std::move(article));
  }
  record.out = state.articles.size();
  record.detail["left_out"] = left_out;
  return {};
}

Result<void> step_rerank_articles(CascadeState& state, StepRecord& record) {
  const double limit = state.settings().expand.min_article_relevance;
  record.in = state.articles.size();
  for (ArticleEvidence& article : state.articles) {
    for (const JudgedPassage& window : article.windows) {
      article.relevance = std::max(article.relevance, window.best);
    }
  }
  std::erase_if(state.articles,
                [limit](const ArticleEvidence& article) { return article.relevance < limit; });
  std::stable_sort(
      state.articles.begin(), state.articles.end(),
      [](const ArticleEvidence& a, const ArticleEvidence& b) { return a.relevance > b.relevance; });
  record.out = state.articles.size();
  record.detail["min_relevance"] = limit;
  record.detail["dropped"] = record.in - record.out;
  record.detail["aggregation"] = "maximum over passages";
  record.detail["articles"] = Json::array();
  for (const ArticleEvidence& article : state.articles) {
    record.detail["articles"].push_back({{"document", article.version.external_id},
                                         {"relevance", rounded(article.relevance)},
                                         {"windows", article.windows.size()}});
  }
  return {};
}

Result<void> step_recency(CascadeState& state, StepRecord& record) {
  static constexpr std::string_view kBasis[] = {"release date", "future date counts as today",
                                                "no date: the corpus' median", "no dates at all"};
  const RecencySettings& settings = state.settings().recency;
  record.in = state.articles.size();
  for (ArticleEvidence& article : state.articles) {
    const auto date = release_date(article.version.content.meta);
    article.age = age_of(date ? std::optional(date->time) : std::nullopt,
                         state.engine.median_date(), state.request.now);
    article.decay = decay(article.age.days, settings);
    article.final_score = combine_with_recency(article.relevance, article.decay, settings);
  }
  std::stable_sort(state.articles.begin(), state.articles.end(),
                   [](const ArticleEvidence& a, const ArticleEvidence& b) {
                     return a.final_score > b.final_score;
                   });
  record.out = state.articles.size();
  record.detail["articles"] = Json::array();
  for (const ArticleEvidence& article : state.articles) {
    record.detail["articles"].push_back(
        {{"document", article.version.external_id},
         {"relevance", rounded(article.relevance)},
         {"age_days", article.age.days},
         {"age_from", kBasis[static_cast<std::size_t>(article.age.basis)]},
         {"decay", rounded(article.decay)},
         {"final", rounded(article.final_score)}});
  }
  return {};
}

}  // namespace beleg

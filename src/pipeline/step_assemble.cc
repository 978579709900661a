#include <algorithm>

#include "pipeline/steps.h"

namespace beleg {
namespace {

/// Passages of which this share of the content words is already packed are near-duplicates.
constexpr double kDuplicateOverlap = 0.92;

struct Window {
  std::size_t article = 0;
  std::size_t window = 0;
  double worth = 0;
};

/// All windows of all articles, those most worth reading first: relevance with recency.
std::vector<Window> order_windows(const std::vector<ArticleEvidence>& articles) {
  std::vector<Window> order;
  for (std::size_t a = 0; a < articles.size(); ++a) {
    const double scale =
        articles[a].relevance > 0 ? articles[a].final_score / articles[a].relevance : 0.0;
    for (std::size_t w = 0; w < articles[a].windows.size(); ++w) {
      order.push_back({a, w, articles[a].windows[w].best * scale});
    }
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const Window& x, const Window& y) { return x.worth > y.worth; });
  return order;
}

}  // namespace

Result<void> step_assemble(CascadeState& state, StepRecord& record) {
  const std::size_t budget = state.settings().assemble.token_budget;
  std::size_t used = 0;
  std::size_t did_not_fit = 0;
  std::size_t duplicates = 0;
  std::vector<std::pair<std::size_t, ContentWords>> packed;  // With their articles.
  for (ArticleEvidence& article : state.articles) article.packed.clear();
  for (const Window& candidate : order_windows(state.articles)) {
    ArticleEvidence& article = state.articles[candidate.article];
    const ByteSpan bytes = article.passages[candidate.window].passage.bytes;
    const std::string_view text =
        std::string_view(article.version.content.text).substr(bytes.start, bytes.size());
    ++record.in;
    ContentWords words = content_words(text);
    const bool repeats = std::any_of(packed.begin(), packed.end(), [&](const auto& other) {
      return other.first != candidate.article &&
             content_overlap(words, other.second) > kDuplicateOverlap;
    });
    if (repeats) {
      ++duplicates;
      continue;
    }
    std::vector<Token> tokens = state.engine.encoder().tokenizer().tokenize(text);
    if (used + tokens.size() > budget) {
      ++did_not_fit;
      continue;
    }
    used += tokens.size();
    article.windows[candidate.window].tokens = std::move(tokens);
    packed.emplace_back(candidate.article, std::move(words));
    article.packed.push_back(candidate.window);
  }
  for (ArticleEvidence& article : state.articles) {
    std::sort(article.packed.begin(), article.packed.end());
  }
  record.out = packed.size();
  record.detail["token_budget"] = budget;
  record.detail["tokens"] = used;
  record.detail["did_not_fit"] = did_not_fit;
  record.detail["near_duplicates"] = duplicates;
  state.did_not_fit = did_not_fit;
  return {};
}

}  // namespace beleg

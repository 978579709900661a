#include "answer/extractive.h"

#include <algorithm>
#include <array>
#include <set>
#include <unordered_set>

#include "answer/words.h"

namespace beleg {
namespace {

using Words = std::unordered_set<std::string>;

Words content_words(std::string_view text) {
  Words words;
  for (StatementWord& word : statement_words(text)) {
    if (is_content(word)) words.insert(std::move(word.folded));
  }
  return words;
}

double share_in(const Words& words, const Words& said) {
  if (words.empty()) return 0.0;
  std::size_t common = 0;
  for (const std::string& word : words) common += said.contains(word) ? 1 : 0;
  return static_cast<double>(common) / static_cast<double>(words.size());
}

/// Candidates ordered by what they are worth to one query.
std::vector<std::size_t> order_for(std::span<const SentenceCandidate> candidates,
                                   std::size_t query) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < candidates.size(); ++i) order.push_back(i);
  const auto worth = [&](std::size_t i) {
    return candidates[i].relevance[query] * candidates[i].recency;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return worth(a) > worth(b); });
  return order;
}

/// What has been said so far, statement by statement.
class Said {
 public:
  [[nodiscard]] bool repeats(std::size_t candidate, const Words& words, double limit) const {
    if (used_.contains(candidate)) return true;
    return std::any_of(statements_.begin(), statements_.end(),
                       [&](const Words& other) { return share_in(words, other) > limit; });
  }
  void add(std::size_t candidate, Words words) {
    used_.insert(candidate);
    statements_.push_back(std::move(words));
  }

 private:
  std::set<std::size_t> used_;
  std::vector<Words> statements_;
};

}  // namespace

double content_overlap(std::string_view text, std::string_view said) {
  return share_in(content_words(text), content_words(said));
}

std::size_t statements_wanted(std::string_view question, std::size_t most) {
  static constexpr std::array kOneFact = {"wer", "wann", "wo",    "wieviel", "wieviele",
                                          "who", "when", "where", "whose",   "wem"};
  static constexpr std::array kSeveral = {"welche", "welchen", "welcher", "which",
                                          "list",   "nenne",   "wie",     "how",
                                          "warum",  "why",     "weshalb", "inwiefern"};
  const auto words = statement_words(question);
  for (std::size_t i = 0; i < words.size() && i < 4; ++i) {
    const std::string& word = words[i].folded;
    const std::string next = i + 1 < words.size() ? words[i + 1].folded : "";
    const bool counts =
        (word == "wie" || word == "how") &&
        (next == "viel" || next == "viele" || next == "hoch" || next == "lange" || next == "many" ||
         next == "much" || next == "long" || next == "old" || next == "alt" || next == "gross");
    if (counts || std::find(kOneFact.begin(), kOneFact.end(), word) != kOneFact.end()) {
      return std::min<std::size_t>(most, 1);
    }
    if (std::find(kSeveral.begin(), kSeveral.end(), word) != kSeveral.end()) return most;
  }
  return std::min<std::size_t>(most, 2);
}

std::vector<SelectedStatement> select_statements(std::span<const SentenceCandidate> candidates,
                                                 std::span<const std::string> queries,
                                                 const ExtractiveSettings& settings) {
  std::vector<SelectedStatement> answer;
  Said said;
  for (std::size_t q = 0; q < queries.size(); ++q) {
    const std::size_t wanted = statements_wanted(queries[q], settings.statements_per_query);
    std::vector<SelectedStatement> chosen;
    double best = 0.0;
    for (const std::size_t i : order_for(candidates, q)) {
      if (chosen.size() >= wanted || answer.size() + chosen.size() >= settings.max_statements) {
        break;
      }
      const double relevance = candidates[i].relevance[q];
      if (relevance < settings.min_relevance) continue;
      if (!chosen.empty() && relevance < settings.relative_relevance * best) continue;
      Words words = content_words(candidates[i].text);
      if (said.repeats(i, words, settings.max_overlap)) continue;
      said.add(i, std::move(words));
      best = std::max(best, relevance);
      chosen.push_back({.candidate = i, .query = q, .relevance = relevance});
    }
    std::stable_sort(chosen.begin(), chosen.end(),
                     [&](const SelectedStatement& a, const SelectedStatement& b) {
                       return candidates[a.candidate].published > candidates[b.candidate].published;
                     });
    answer.insert(answer.end(), chosen.begin(), chosen.end());
  }
  return answer;
}

}  // namespace beleg

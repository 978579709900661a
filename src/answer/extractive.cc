#include "answer/extractive.h"

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "answer/words.h"

namespace beleg {
namespace {

/// What is left of a sentence's worth that has none of the question's words: late interaction takes
/// one name for another when all else agrees.
constexpr double kWorthWithoutWords = 0.3;

/// What is left of a sentence's worth in another language than the question's: it is said when
/// there is no good one in that language.
constexpr double kForeignShare = 0.6;

/// Chooses the statements of one query after the other.
class Selection {
 public:
  Selection(std::span<const SentenceCandidate> candidates, const ExtractiveSettings& settings)
      : candidates_(candidates), settings_(settings) {
    for (const SentenceCandidate& candidate : candidates) {
      words_.push_back(content_words(candidate.text));
    }
  }

  std::vector<SelectedStatement> choose(std::size_t query, std::size_t wanted) {
    query_ = query;
    best_relevance_ = 0.0;
    only_own_ = true;
    std::vector<SelectedStatement> chosen;
    while (chosen.size() < wanted) {
      std::optional<std::size_t> next = next_candidate();
      if (!next && chosen.empty()) {
        only_own_ = false;
        next = next_candidate();
      }
      if (!next) break;
      const SentenceCandidate& candidate = candidates_[*next];
      said_.push_back(*next);
      best_relevance_ = std::max(best_relevance_, candidate.relevance[query]);
      chosen.push_back(
          {.candidate = *next, .query = query, .relevance = candidate.relevance[query]});
    }
    return chosen;
  }

 private:
  /// The newest of those that are worth as much as the best one, or nearly so.
  [[nodiscard]] std::optional<std::size_t> next_candidate() const {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      if (may_be_said(i) && (!best || worth(i) > worth(*best))) best = i;
    }
    if (!best) return best;
    const double enough = settings_.relative_relevance * worth(*best);
    std::optional<std::size_t> newest = best;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      if (!may_be_said(i) || worth(i) < enough) continue;
      const auto key = [this](std::size_t c) {
        return std::tuple(candidates_[c].published, !candidates_[c].foreign, worth(c));
      };
      if (key(i) > key(*newest)) newest = i;
    }
    return newest;
  }

  [[nodiscard]] bool may_be_said(std::size_t i) const {
    const double relevance = candidates_[i].relevance[query_];
    if (only_own_ && answers_another_better(i)) return false;
    return relevance >= settings_.min_relevance &&
           relevance >= settings_.relative_relevance * best_relevance_ && !is_said(i);
  }

  /// Whether the answer has it already: the same place, or mostly the same words.
  [[nodiscard]] bool is_said(std::size_t i) const {
    const SentenceCandidate& candidate = candidates_[i];
    return std::any_of(said_.begin(), said_.end(), [&](std::size_t other) {
      const bool same_place = candidates_[other].article == candidate.article &&
                              candidates_[other].span.start < candidate.span.end &&
                              candidate.span.start < candidates_[other].span.end;
      return same_place || content_overlap(words_[i], words_[other]) > settings_.max_overlap;
    });
  }

  [[nodiscard]] bool answers_another_better(std::size_t i) const {
    const std::vector<double>& relevance = candidates_[i].relevance;
    return *std::max_element(relevance.begin(), relevance.end()) > relevance[query_];
  }

  [[nodiscard]] double worth(std::size_t i) const {
    const SentenceCandidate& candidate = candidates_[i];
    const double words = kWorthWithoutWords + (1 - kWorthWithoutWords) * candidate.coverage[query_];
    return candidate.relevance[query_] * candidate.recency * words *
           (candidate.foreign ? kForeignShare : 1.0);
  }

  std::span<const SentenceCandidate> candidates_;
  const ExtractiveSettings& settings_;
  std::vector<ContentWords> words_;
  std::vector<std::size_t> said_;  ///< Candidates, in all queries so far.
  std::size_t query_ = 0;
  double best_relevance_ = 0.0;
  bool only_own_ = true;  ///< Leave to other queries what answers them better.
};

}  // namespace

ContentWords content_words(std::string_view text) {
  ContentWords words;
  for (StatementWord& word : statement_words(text)) {
    if (is_content(word)) words.insert(std::move(word.folded));
  }
  return words;
}

double content_overlap(const ContentWords& text, const ContentWords& said) {
  if (text.empty()) return 0.0;
  std::size_t common = 0;
  for (const std::string& word : text) common += said.contains(word) ? 1 : 0;
  return static_cast<double>(common) / static_cast<double>(text.size());
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
  Selection selection(candidates, settings);
  for (std::size_t q = 0; q < queries.size(); ++q) {
    const std::size_t left =
        settings.max_statements - std::min(settings.max_statements, answer.size());
    const std::size_t wanted =
        std::min(left, statements_wanted(queries[q], settings.statements_per_query));
    std::vector<SelectedStatement> chosen = selection.choose(q, wanted);
    std::stable_sort(chosen.begin(), chosen.end(),
                     [&](const SelectedStatement& a, const SelectedStatement& b) {
                       return candidates[a.candidate].published > candidates[b.candidate].published;
                     });
    answer.insert(answer.end(), chosen.begin(), chosen.end());
  }
  return answer;
}

}  // namespace beleg

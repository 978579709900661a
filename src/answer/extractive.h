#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "text/span.h"

namespace beleg {

/// A sentence of the evidence that an answer could quote.
struct SentenceCandidate {
  std::size_t article = 0;  ///< Index of its article in the evidence.
  Row row = 0;              ///< Passage it was found in.
  Span span;                ///< Code points of the version's text.
  std::string_view text;    ///< The stored text of the span; dies with the version.
  std::optional<UnixSeconds> published;
  bool foreign = false;           ///< Not in the language of the question.
  double recency = 1.0;           ///< Share of its relevance that is left after recency, [0,1].
  std::vector<double> relevance;  ///< Per query of the plan, [0,1].
  /// Per query, [0,1]: share of its idf mass that stands in the sentence or the article's title.
  std::vector<double> coverage;
};

struct ExtractiveSettings {
  std::size_t max_statements = 6;        ///< In the whole answer, 1 … 20.
  std::size_t statements_per_query = 3;  ///< 1 … 10. A question for one fact gets one or two.
  double min_relevance = 0.30;           ///< [0,1] A sentence below it is not quoted.
  /// [0,1] Sentences worth at least this share of the best one are equals: the newest of them is
  /// said. Further sentences need this share of the best one's relevance.
  double relative_relevance = 0.80;
  double max_overlap = 0.60;  ///< [0,1] Share of content words already said.
};

/// A chosen sentence.
struct SelectedStatement {
  std::size_t candidate = 0;  ///< Index into the candidates.
  std::size_t query = 0;      ///< Query it answers.
  double relevance = 0.0;     ///< For that query.
};

/// How many sentences a question asks for: one for a single fact (who, when, how many), several for
/// an enumeration ("welche Medikamente", "which", "list"), two otherwise.
[[nodiscard]] std::size_t statements_wanted(std::string_view question, std::size_t most);

/// Picks the sentences that answer `queries` (in order; the caller gives the sub-questions where
/// the plan has some, else the question). A sentence is worth its relevance times its recency, less
/// where words of the question are missing or it is in another language. For
/// each query the newest of the best sentences is taken (of the same date one in the question's
/// language), then the newest of the best that are left,
/// while they are nearly as relevant and say something new. Sentences of one query are then ordered
/// newest first. No sentence appears twice, and none that only repeats what is already said.
/// Deterministic; O(statements · candidates).
[[nodiscard]] std::vector<SelectedStatement> select_statements(
    std::span<const SentenceCandidate> candidates, std::span<const std::string> queries,
    const ExtractiveSettings& settings);

/// The content words of a text (4 letters or more, or digits; case folded for ASCII and German
/// umlauts).
using ContentWords = std::unordered_set<std::string>;
[[nodiscard]] ContentWords content_words(std::string_view text);
/// Share of the words of one text that also stand in another; 0 for a text without any.
[[nodiscard]] double content_overlap(const ContentWords& text, const ContentWords& said);

}  // namespace beleg

#include "index/condition_words.h"

#include <algorithm>

namespace beleg {
namespace {

bool is_whole(TermForm form) {
  return form == TermForm::kWord || form == TermForm::kIdentifier || form == TermForm::kReference;
}

/// Is the word at `span` one that a reference is written with? `references` ascend.
bool is_inside(const std::vector<ByteSpan>& references, ByteSpan span) {
  const auto next = std::upper_bound(
      references.begin(), references.end(), span.start,
      [](std::uint32_t start, const ByteSpan& reference) { return start < reference.start; });
  return next != references.begin() && span.end <= std::prev(next)->end;
}

/// A word with what decides whether it is asked for.
struct Candidate {
  ConditionWord word;
  bool stop_word = true;  ///< All its terms are stop words.
};

}  // namespace

std::vector<ConditionWord> condition_words(const Analyzer& analyzer, std::string_view text,
                                           TextConditionKind kind) {
  std::vector<Candidate> candidates;
  std::vector<ByteSpan> references;
  for (AnalyzedTerm& term : analyzer.analyze(text)) {
    if (term.form == TermForm::kReference) {
      references.push_back(term.span);
    } else if (is_inside(references, term.span)) {
      continue;
    }
    if (!is_whole(term.form)) continue;
    if (candidates.empty() || candidates.back().word.offset != term.position) {
      candidates.push_back({.word = {.terms = {}, .offset = term.position}});
    }
    candidates.back().stop_word = candidates.back().stop_word && term.stop_word;
    candidates.back().word.terms.push_back(std::move(term.term));
  }
  const bool only_stop_words = std::all_of(candidates.begin(), candidates.end(),
                                           [](const Candidate& word) { return word.stop_word; });
  const bool keeps_stop_words = kind == TextConditionKind::kPhrase || only_stop_words;
  std::vector<ConditionWord> words;
  for (Candidate& candidate : candidates) {
    if (candidate.stop_word && !keeps_stop_words) continue;
    words.push_back(std::move(candidate.word));
  }
  const std::uint32_t first = words.empty() ? 0 : words.front().offset;
  for (ConditionWord& word : words) word.offset -= first;
  return words;
}

}  // namespace beleg

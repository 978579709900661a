#include "index/condition_search.h"

#include <algorithm>
#include <optional>

#include "index/occurrence_cursor.h"

namespace beleg {
namespace {

/// Walks over the documents that have any form of a word.
class WordCursor {
 public:
  WordCursor(const LexicalPart& part, const ConditionWord& word) : offset_(word.offset) {
    for (const std::string& term : word.terms) {
      const std::optional<std::uint32_t> number = part.dictionary().find(term);
      if (number) terms_.emplace_back(part, part.dictionary().entry(*number));
    }
    settle();
  }

  [[nodiscard]] std::uint32_t document() const { return document_; }
  void seek(std::uint32_t target) {
    for (OccurrenceCursor& term : terms_) term.seek(target);
    settle();
  }
  [[nodiscard]] bool stands_in(TextField field) {
    return std::any_of(terms_.begin(), terms_.end(), [&](OccurrenceCursor& term) {
      return term.document() == document_ && term.stands_in(field);
    });
  }
  /// Where a phrase would begin of which this word is a part, in a field of document(); ascending.
  [[nodiscard]] const std::vector<std::uint32_t>& starts_in(TextField field) {
    starts_.clear();
    for (OccurrenceCursor& term : terms_) {
      if (term.document() == document_) term.append_positions(field, starts_);
    }
    std::erase_if(starts_, [&](std::uint32_t position) { return position < offset_; });
    for (std::uint32_t& position : starts_) position -= offset_;
    std::sort(starts_.begin(), starts_.end());
    return starts_;
  }

 private:
  void settle() {
    document_ = OccurrenceCursor::kEnd;
    for (const OccurrenceCursor& term : terms_) document_ = std::min(document_, term.document());
  }

  std::uint32_t offset_;
  std::vector<OccurrenceCursor> terms_;
  std::uint32_t document_ = OccurrenceCursor::kEnd;
  std::vector<std::uint32_t> starts_;
};

/// A condition in one part.
class ConditionSearch {
 public:
  ConditionSearch(const LexicalPart& part, const std::vector<ConditionWord>& words,
                  const TextCondition& condition)
      : is_phrase_(condition.kind == TextConditionKind::kPhrase && words.size() > 1) {
    for (const ConditionWord& word : words) words_.emplace_back(part, word);
    if (condition.field) {
      fields_ = {*condition.field};
    } else {
      fields_ = {TextField::kBody, TextField::kTitle, TextField::kHeadings};
    }
  }

  /// The first document ≥ `target` that has all words in whatever fields; kEnd without one.
  [[nodiscard]] std::uint32_t next(std::uint32_t target) {
    if (words_.empty()) return OccurrenceCursor::kEnd;
    for (std::size_t agreeing = 0, at = 0; agreeing < words_.size();
         at = (at + 1) % words_.size()) {
      words_[at].seek(target);
      if (words_[at].document() == OccurrenceCursor::kEnd) return OccurrenceCursor::kEnd;
      agreeing = words_[at].document() == target ? agreeing + 1 : 1;
      target = words_[at].document();
    }
    return target;
  }

  /// Does the document that next() returned meet the condition?
  [[nodiscard]] bool holds() {
    if (is_phrase_) {
      return std::any_of(fields_.begin(), fields_.end(),
                         [&](TextField field) { return has_phrase(field); });
    }
    return std::all_of(words_.begin(), words_.end(), [&](WordCursor& word) {
      return std::any_of(fields_.begin(), fields_.end(),
                         [&](TextField field) { return word.stands_in(field); });
    });
  }

 private:
  [[nodiscard]] bool has_phrase(TextField field) {
    common_ = words_.front().starts_in(field);
    for (std::size_t i = 1; i < words_.size() && !common_.empty(); ++i) {
      const std::vector<std::uint32_t>& starts = words_[i].starts_in(field);
      std::erase_if(common_, [&](std::uint32_t start) {
        return !std::binary_search(starts.begin(), starts.end(), start);
      });
    }
    return !common_.empty();
  }

  bool is_phrase_;
  std::vector<WordCursor> words_;
  std::vector<TextField> fields_;
  std::vector<std::uint32_t> common_;
};

}  // namespace

std::vector<Row> search_condition(const LexicalPart& part, const std::vector<ConditionWord>& words,
                                  const TextCondition& condition, const RowFilter& allowed) {
  std::vector<Row> rows;
  ConditionSearch search(part, words, condition);
  for (std::uint32_t document = search.next(0); document != OccurrenceCursor::kEnd;
       document = search.next(document + 1)) {
    const Row row = part.row_of(document);
    if (allowed.allows(row) && search.holds()) rows.push_back(row);
  }
  return rows;
}

}  // namespace beleg

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "route/plan_lexicon.h"

namespace beleg {

/// A word or a punctuation mark of a question.
struct Word {
  std::size_t begin = 0;  ///< Byte offsets into Words::text.
  std::size_t end = 0;
  WordClass classes = WordClass::kNone;
  bool punctuation = false;
  bool capital = false;   ///< Starts with an upper-case letter or a digit.
  bool shielded = false;  ///< Inside quotation marks or brackets: never a place to split.
};

/// A half-open range of words.
struct WordRange {
  std::size_t begin = 0;
  std::size_t end = 0;
  [[nodiscard]] bool empty() const { return end <= begin; }
  [[nodiscard]] std::size_t size() const { return end > begin ? end - begin : 0; }
};

/// A question as words with their classes. Holds its own copy of the text.
struct Words {
  std::string text;    ///< White space and control characters collapsed to single spaces.
  std::string folded;  ///< `text` in lower case, byte by byte as long.
  std::vector<Word> words;
  bool german = false;
  bool no_capitals = false;  ///< Typed in lower case (or all upper case): capitals tell nothing.

  [[nodiscard]] std::size_t size() const { return words.size(); }
  /// The word as written, and in lower case; empty past the end, so that rules may look ahead.
  /// Views into this object.
  [[nodiscard]] std::string_view at(std::size_t i) const {
    if (i >= words.size()) return {};
    return std::string_view(text).substr(words[i].begin, words[i].end - words[i].begin);
  }
  [[nodiscard]] std::string_view low(std::size_t i) const {
    if (i >= words.size()) return {};
    return std::string_view(folded).substr(words[i].begin, words[i].end - words[i].begin);
  }
  [[nodiscard]] bool is(std::size_t i, WordClass wanted) const {
    return i < words.size() && has_class(words[i].classes, wanted);
  }
  [[nodiscard]] bool is_word(std::size_t i, std::string_view list) const {
    return i < words.size() && is_one_of(low(i), list);
  }
  [[nodiscard]] bool is_comma(std::size_t i) const { return i < words.size() && at(i) == ","; }
  [[nodiscard]] bool is_punctuation(std::size_t i) const {
    return i < words.size() && words[i].punctuation;
  }
  /// Written with a capital where that tells something.
  [[nodiscard]] bool is_capital(std::size_t i) const {
    return i < words.size() && words[i].capital && !no_capitals;
  }
  /// The text from the first to the last word of a range, as written; a view into this object.
  [[nodiscard]] std::string_view slice(WordRange range) const {
    range.end = range.end < words.size() ? range.end : words.size();
    if (range.empty()) return {};
    return std::string_view(text).substr(words[range.begin].begin,
                                         words[range.end - 1].end - words[range.begin].begin);
  }
};

/// Splits a question into words. Any bytes are fine; only ASCII and a few marks are looked at.
[[nodiscard]] Words split_words(std::string_view question, bool german);

/// Joins pieces with single spaces; no space before , . ; : ? ! ).
class Draft {
 public:
  Draft& add(std::string_view piece);
  /// The words of a range in their original spacing.
  Draft& add(const Words& words, WordRange range) { return add(words.slice(range)); }
  /// Appends without a space.
  Draft& glue(std::string_view piece) {
    text_ += piece;
    return *this;
  }
  /// First letter upper-case, trailing punctuation replaced by "?".
  [[nodiscard]] std::string question() const;
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] bool empty() const { return text_.empty(); }

 private:
  std::string text_;
};

/// `text` with its first letter in upper or lower case (ASCII and ÄÖÜ).
[[nodiscard]] std::string capitalized(std::string_view text);
[[nodiscard]] std::string uncapitalized(std::string_view text);

}  // namespace beleg

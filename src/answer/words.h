#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace beleg {

/// A word of a statement, for comparing statements with quotes.
struct StatementWord {
  std::string folded;      ///< Lower case, umlauts as ae/oe/ue/ss.
  bool is_number = false;  ///< Starts with a digit; thousands points removed, comma as point.
  bool is_capitalised = false;
  bool starts_sentence = false;
};

/// The words of a text in order: letters, digits and what joins them ("58,5", "mRNA-1273").
[[nodiscard]] std::vector<StatementWord> statement_words(std::string_view text);

/// True for words that negate in German or English ("nicht", "kein…", "not", "never", …).
[[nodiscard]] bool is_negation(std::string_view folded);

/// True for a word that carries content: a number, or at least four letters and no function word.
[[nodiscard]] bool is_content(const StatementWord& word);

}  // namespace beleg

#include "answer/support.h"

#include <algorithm>
#include <set>

#include "answer/words.h"

namespace beleg {

SupportVerdict check_support(std::string_view statement, std::span<const std::string_view> quotes) {
  SupportVerdict verdict;
  if (quotes.empty()) {
    verdict.objections.emplace_back("no citation");
    return verdict;
  }
  std::set<std::string> said;
  bool quote_negates = false;
  for (std::string_view quote : quotes) {
    if (quote.find(statement) != std::string_view::npos) return {.support = 1.0, .objections = {}};
    for (const StatementWord& word : statement_words(quote)) {
      quote_negates = quote_negates || is_negation(word.folded);
      said.insert(word.folded);
    }
  }
  double content = 0;
  double found = 0;
  bool negates = false;
  for (const StatementWord& word : statement_words(statement)) {
    negates = negates || is_negation(word.folded);
    if (!is_content(word)) continue;
    content += 1;
    if (said.contains(word.folded)) {
      found += 1;
    } else if (word.is_number) {
      verdict.objections.push_back("number not in the quotes: " + word.folded);
    } else if (word.is_capitalised && !word.starts_sentence) {
      verdict.objections.push_back("name not in the quotes: " + word.folded);
    }
  }
  if (negates != quote_negates) {
    verdict.objections.emplace_back(negates ? "negates what the quotes do not negate"
                                            : "drops a negation of the quotes");
  }
  verdict.support = content > 0 ? found / content : 0.0;
  for (std::size_t i = 0; i < verdict.objections.size(); ++i) verdict.support /= 2;
  return verdict;
}

}  // namespace beleg

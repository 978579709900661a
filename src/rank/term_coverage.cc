#include "rank/term_coverage.h"

#include <algorithm>
#include <unordered_set>

namespace beleg {

double term_coverage(std::span<const QueryTermReport> question, std::string_view own_part,
                     std::string_view part, std::span<const AnalyzedTerm> text) {
  std::unordered_set<std::string_view> present;
  for (const AnalyzedTerm& term : text) present.insert(term.term);
  double asked = 0.0;
  double met = 0.0;
  for (const QueryTermReport& term : question) {
    const double mass = static_cast<double>(term.idf) * static_cast<double>(term.weight);
    if (term.language == own_part) asked += mass;
    if (term.language == part && present.contains(term.term)) met += mass;
  }
  return asked > 0.0 ? std::min(1.0, met / asked) : 1.0;
}

}  // namespace beleg

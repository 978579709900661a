#include "index/lexical_plan.h"

#include <algorithm>

namespace beleg {

void LexicalPlan::choose_scale(float limit) {
  constexpr float kFinest = 65536.0F;
  constexpr double kLargestSum = kMaxFixedScore / 2.0;
  double sum = 1.0;
  for (const FoundGroup& group : groups) {
    for (const FoundTerm& term : group.wholes) sum += double{term.idf} * double{term.weight};
    for (const FoundTerm& term : group.parts) sum += double{term.idf} * double{term.weight};
  }
  scale = kFinest;
  // Parts count a little beside their whole; rounding adds some units.
  while (scale > 1.0F && sum * 1.4 * double{limit} * double{scale} > kLargestSum) {
    scale /= 2.0F;
  }
}

SearchTerm LexicalPlan::term_in(const LexicalPart& part, std::size_t segment,
                                const FoundTerm& term) const {
  const TermEntry& entry = part.dictionary().entry(term.numbers[segment].value_or(0));
  return {part.postings(entry), term.idf * term.weight * scale};
}

std::vector<SearchGroup> LexicalPlan::groups_in(const LexicalPart& part,
                                                std::size_t segment) const {
  std::vector<SearchGroup> out;
  const auto append = [&](const std::vector<FoundTerm>& terms, std::vector<SearchTerm>& list) {
    for (const FoundTerm& term : terms) {
      if (term.numbers[segment]) list.push_back(term_in(part, segment, term));
    }
  };
  for (const FoundGroup& group : groups) {
    SearchGroup search;
    append(group.wholes, search.wholes);
    append(group.parts, search.parts);
    if (!search.wholes.empty() || !search.parts.empty()) out.push_back(std::move(search));
  }
  return out;
}

float LexicalPlan::matched_share(const LexicalPart& part, std::size_t segment,
                                 std::uint32_t document) const {
  const auto has = [&](const FoundTerm& term) {
    return term.numbers[segment] &&
           part.postings(part.dictionary().entry(*term.numbers[segment])).contains(document);
  };
  float total = 0.0F;
  float matched = 0.0F;
  for (const FoundGroup& group : groups) {
    total += group.mass;
    float share = 0.0F;
    for (const FoundTerm& term : group.parts) share += has(term) ? term.weight : 0.0F;
    if (std::any_of(group.wholes.begin(), group.wholes.end(), has)) share = 1.0F;
    matched += group.mass * std::min(share, 1.0F);
  }
  return total > 0.0F ? std::min(matched / total, 1.0F) : 0.0F;
}

}  // namespace beleg

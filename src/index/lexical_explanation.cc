#include <algorithm>
#include <span>

#include "index/lexical_index.h"

namespace beleg {
namespace {

constexpr float kUnit = 1.0F / static_cast<float>(kFrequencyUnit);

std::uint8_t length_class_of(const LexicalPart& part, std::uint32_t document,
                             const Bm25Saturation& saturation) {
  if (saturation.made_with(part.weights())) return part.length_classes()[document];
  return length_class::of(weighted_length(part.lengths()[document], saturation.title_weight(),
                                          saturation.heading_weight()));
}

/// Gives each term of a word its share of group_score(), so that the shares sum to it.
void share_out(std::span<LexicalMatch> wholes, std::span<LexicalMatch> parts) {
  LexicalMatch* best = nullptr;  // Of the forms of a word only the best counts.
  FixedScore parts_score = 0;
  for (LexicalMatch& match : wholes) {
    if (best == nullptr || match.score > best->score) best = &match;
  }
  for (const LexicalMatch& match : parts) parts_score += match.score;
  const FixedScore whole_score = best != nullptr ? best->score : 0;
  const bool whole_leads = whole_score > parts_score;
  if (best != nullptr) {
    best->contribution = whole_leads ? whole_score : whole_score * kTenthsBeside / 10;
  }
  // The parts share what they add together: what rounding takes off falls on one of them.
  FixedScore before = 0;
  FixedScore shared = 0;
  for (LexicalMatch& match : parts) {
    before += match.score;
    const FixedScore up_to_here = whole_leads ? before * kTenthsBeside / 10 : before;
    match.contribution = up_to_here - shared;
    shared = up_to_here;
  }
}

}  // namespace

LexicalExplanation LexicalIndex::explain(std::string_view question,
                                         std::string_view question_language, Row row,
                                         const Bm25Settings& settings) const {
  LexicalExplanation explanation;
  const std::optional<Place> place = place_of(row);
  if (!place) return explanation;
  explanation.language = kLexicalPartLanguages[place->part];
  const Question prepared = prepare(question, question_language, settings);
  const std::optional<Bm25Saturation>& held = prepared.saturations[place->part];
  if (!held) return explanation;
  const Bm25Saturation& saturation = *held;
  const LexicalPlan& plan = prepared.plans[place->part];
  const LexicalPart& part = part_of(*place);
  const std::uint8_t length_class = length_class_of(part, place->document, saturation);
  std::vector<LexicalMatch>& matches = explanation.matches;
  std::size_t word = 0;
  const auto append = [&](const std::vector<FoundTerm>& terms) {
    for (const FoundTerm& term : terms) {
      if (!term.numbers[place->segment]) continue;
      const SearchTerm search = plan.term_in(part, place->segment, term);
      const auto found = search.postings.frequencies_of(place->document);
      if (!found) continue;
      matches.push_back({.term = prepared.terms[term.report],
                         .word = word,
                         .title = static_cast<float>(found->title) * kUnit,
                         .headings = static_cast<float>(found->headings) * kUnit,
                         .body = static_cast<float>(found->body) * kUnit,
                         .score = saturation.score_one(*found, length_class, search.factor)});
    }
  };
  for (const FoundGroup& group : plan.groups) {
    const std::size_t first = matches.size();
    append(group.wholes);
    const std::size_t first_part = matches.size();
    append(group.parts);
    const std::span<LexicalMatch> of_word = std::span(matches).subspan(first);
    share_out(of_word.first(first_part - first), of_word.subspan(first_part - first));
    for (const LexicalMatch& match : of_word) explanation.units += match.contribution;
    ++word;
  }
  explanation.units_per_point = static_cast<std::uint32_t>(plan.scale);
  explanation.score = static_cast<float>(explanation.units) / plan.scale;
  return explanation;
}

}  // namespace beleg

#include "index/lexical_index.h"

#include <algorithm>
#include <array>
#include <optional>

#include "index/condition_search.h"

namespace beleg {
const LexicalQueryAnalyzer& LexicalIndex::query_analyzer() const {
  std::call_once(analyzer_made_, [this] {
    // A damaged lexicon (null) only costs the splitting of compounds; verify() reports it.
    analyzer_ = std::make_unique<const LexicalQueryAnalyzer>(
        segments_.empty() ? nullptr : read_compound_lexicon(segments_[0].segment->compounds()));
  });
  return *analyzer_;
}

std::vector<AnalyzedTerm> LexicalIndex::analyze(std::string_view text,
                                                std::string_view language) const {
  return query_analyzer().analyzer_of(language).analyze(text);
}

LanguageStatistics LexicalIndex::statistics_of(std::size_t part) const {
  LanguageStatistics sums;
  for (const LexicalIndexSegment& segment : segments_) {
    const LexicalMeta& meta = segment.segment->parts()[part].meta();
    const LanguageStatistics& gone = segment.deleted[part].sums;
    sums.documents += meta.documents - std::min(gone.documents, meta.documents);
    sums.body_words += meta.body_words - std::min(gone.body_words, meta.body_words);
    sums.title_words += meta.title_words - std::min(gone.title_words, meta.title_words);
    sums.heading_words += meta.heading_words - std::min(gone.heading_words, meta.heading_words);
  }
  return sums;
}

LexicalPlan LexicalIndex::plan(std::size_t part, const PartQuery& query,
                               const LanguageStatistics& sums, std::uint32_t all_documents,
                               std::vector<QueryTermReport>& reports) const {
  LexicalPlan plan;
  const auto rarest = [](std::uint32_t documents) {
    return bm25_idf(documents, std::min(1U, documents));
  };
  // What is rare among a thousand German passages weighs as much as what is rare among a million
  // English ones; otherwise the largest language of a corpus would win every list.
  const float balance = rarest(all_documents) / rarest(sums.documents);
  const float seen_once = rarest(sums.documents) * balance;
  const auto find = [&](const QueryTerm& term) {
    FoundTerm found{.weight = term.weight, .report = reports.size()};
    found.numbers.reserve(segments_.size());
    std::uint32_t frequency = 0;
    for (const LexicalIndexSegment& segment : segments_) {
      const TermDictionary& dictionary = segment.segment->parts()[part].dictionary();
      found.numbers.push_back(dictionary.find(term.term));
      if (!found.numbers.back()) continue;
      const std::uint32_t number = *found.numbers.back();
      const std::uint32_t all = dictionary.entry(number).document_frequency;
      frequency += all - std::min(all, segment.deleted[part].documents_with(number));
    }
    frequency = std::min(frequency, sums.documents);
    found.idf = frequency > 0 ? bm25_idf(sums.documents, frequency) * balance : seen_once;
    reports.push_back(
        {std::string(query.language), term.term, term.form, frequency, found.idf, term.weight});
    return found;
  };
  plan.groups.reserve(query.groups.size());
  for (const QueryGroup& group : query.groups) {
    FoundGroup& out = plan.groups.emplace_back();
    out.mass = group.wholes.empty() || !group.asked ? seen_once : 0.0F;
    if (!group.asked) continue;
    for (const QueryTerm& term : group.wholes) {
      out.wholes.push_back(find(term));
      out.mass = std::max(out.mass, out.wholes.back().idf);
    }
    for (const QueryTerm& term : group.parts) out.parts.push_back(find(term));
  }
  return plan;
}

LexicalResult LexicalIndex::search(std::string_view question, std::string_view question_language,
                                   std::size_t k, const RowFilter* filter,
                                   const Bm25Settings& settings) const {
  return search(nullptr, question, question_language, k, filter, settings);
}

LexicalResult LexicalIndex::search_by(LexicalStrategy strategy, std::string_view question,
                                      std::string_view question_language, std::size_t k,
                                      const RowFilter* filter, const Bm25Settings& settings) const {
  return search(&strategy, question, question_language, k, filter, settings);
}

std::optional<LexicalStrategy> LexicalIndex::search_segment(std::size_t segment, std::size_t part,
                                                            const LexicalPlan& plan,
                                                            const Bm25Saturation& saturation,
                                                            const RowFilter* filter,
                                                            const LexicalStrategy* wanted,
                                                            std::size_t k, TopK& best) const {
  const LexicalIndexSegment& place = segments_[segment];
  const LexicalPart& stored = place.segment->parts()[part];
  LexicalSearch search{.part = &stored,
                       .saturation = &saturation,
                       .length_classes = stored.length_classes(),
                       .impacts_hold = saturation.made_with(stored.weights()),
                       .scale = plan.scale,
                       .first_row = place.first_row,
                       .groups = plan.groups_in(stored, segment)};
  if (search.groups.empty()) return std::nullopt;
  std::vector<std::uint8_t> classes;
  if (!search.impacts_hold) {
    classes.reserve(stored.documents());
    for (const FieldLengths& words : stored.lengths()) {
      classes.push_back(length_class::of(
          weighted_length(words, saturation.title_weight(), saturation.heading_weight())));
    }
    search.length_classes = classes;
  }
  std::optional<RowFilter> allowed;
  if (filter != nullptr) {
    allowed.emplace(*filter, place.first_row, place.segment->file().identity().rows);
    search.filter = &*allowed;
  }
  LexicalStrategy chosen = choose_lexical_strategy(search, k);
  if (wanted != nullptr) {
    const bool possible =
        *wanted == LexicalStrategy::kFilterDriven ? filter != nullptr : search.impacts_hold;
    chosen = possible ? *wanted : LexicalStrategy::kExhaustive;
  }
  run_lexical_search(search, chosen, best);
  return chosen;
}

std::optional<LexicalIndex::Place> LexicalIndex::place_of(Row row) const {
  std::size_t s = segments_.size();
  while (s > 0 && segments_[s - 1].first_row > row) --s;
  if (s == 0) return std::nullopt;
  const LexicalIndexSegment& segment = segments_[s - 1];
  for (std::size_t p = 0; p < kLexicalParts; ++p) {
    const auto document = segment.segment->parts()[p].document_of(row - segment.first_row);
    if (document) return Place{s - 1, p, *document};
  }
  return std::nullopt;
}

LexicalIndex::Question LexicalIndex::prepare(std::string_view question,
                                             std::string_view question_language,
                                             const Bm25Settings& settings) const {
  Question prepared;
  const std::vector<AnalyzedTerm> in_own_language = analyze(question, question_language);
  std::array<LanguageStatistics, kLexicalParts> statistics;
  std::uint32_t all_documents = 0;
  for (std::size_t p = 0; p < kLexicalParts; ++p) {
    statistics[p] = statistics_of(p);
    all_documents += statistics[p].documents;
  }
  for (std::size_t p = 0; p < kLexicalParts; ++p) {
    const LanguageStatistics& sums = statistics[p];
    if (sums.documents == 0) continue;
    const PartQuery query = query_analyzer().analyze(question, question_language,
                                                     kLexicalPartLanguages[p], in_own_language);
    prepared.plans[p] = plan(p, query, sums, all_documents, prepared.terms);
    const Bm25Saturation& saturation = prepared.saturations[p].emplace(settings, sums);
    prepared.plans[p].choose_scale(saturation.limit());
  }
  return prepared;
}

LexicalResult LexicalIndex::search(const LexicalStrategy* strategy, std::string_view question,
                                   std::string_view question_language, std::size_t k,
                                   const RowFilter* filter, const Bm25Settings& settings) const {
  LexicalResult result;
  if (k == 0) return result;
  TopK best(k);
  Question prepared = prepare(question, question_language, settings);
  for (std::size_t p = 0; p < kLexicalParts; ++p) {
    const std::optional<Bm25Saturation>& saturation = prepared.saturations[p];
    if (!saturation) continue;
    for (std::size_t s = 0; s < segments_.size(); ++s) {
      const auto used =
          search_segment(s, p, prepared.plans[p], *saturation, filter, strategy, k, best);
      if (used) count_pass(result.passes, kLexicalPartLanguages[p], lexical_strategy_name(*used));
    }
  }
  result.terms = std::move(prepared.terms);
  result.hits = best.take();
  if (result.hits.empty()) return result;
  const std::optional<Place> first = place_of(result.hits[0].row);
  if (first) {
    result.matched_mass =
        prepared.plans[first->part].matched_share(part_of(*first), first->segment, first->document);
  }
  return result;
}

RowFilter LexicalIndex::matching(const TextCondition& condition, const RowFilter& within) const {
  RowFilter matching(within.rows());
  for (std::size_t p = 0; p < kLexicalParts; ++p) {
    const std::vector<ConditionWord> words = condition_words(
        query_analyzer().analyzer_of(kLexicalPartLanguages[p]), condition.text, condition.kind);
    for (const LexicalIndexSegment& segment : segments_) {
      const RowFilter allowed(within, segment.first_row, segment.segment->file().identity().rows);
      for (const Row row :
           search_condition(segment.segment->parts()[p], words, condition, allowed)) {
        matching.allow(segment.first_row + row);
      }
    }
  }
  return matching;
}

}  // namespace beleg

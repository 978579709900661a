#include "index/lexical_index.h"

#include <algorithm>
#include <array>
#include <optional>

namespace beleg {
namespace {

/// A term of the question in the segments.
struct FoundTerm {
  float idf = 0.0F;
  float weight = 1.0F;
  std::vector<std::optional<std::uint32_t>> numbers;  ///< By segment.
};

struct FoundGroup {
  std::vector<FoundTerm> wholes;
  std::vector<FoundTerm> parts;
  float mass = 0.0F;  ///< idf of the word as a whole.
};

constexpr std::array<std::string_view, kLexicalParts> kPartLanguages{"de", "en", "und"};

}  // namespace

/// What a question asks of all documents in one language.
struct LexicalIndex::Plan {
  std::vector<FoundGroup> groups;
  float scale = 1.0F;

  /// A power of two with which no sum of scores overflows.
  void choose_scale(float limit) {
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

  [[nodiscard]] std::vector<SearchGroup> groups_in(const LexicalPart& part,
                                                   std::size_t segment) const {
    std::vector<SearchGroup> out;
    const auto append = [&](const std::vector<FoundTerm>& terms, std::vector<SearchTerm>& list) {
      for (const FoundTerm& term : terms) {
        if (!term.numbers[segment]) continue;
        const TermEntry& entry = part.dictionary().entry(*term.numbers[segment]);
        list.push_back({part.postings(entry), term.idf * term.weight * scale});
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

  /// The share of the question's idf mass that a document matched. A word of which only parts are
  /// there counts with the weight of those parts.
  [[nodiscard]] float matched_share(const LexicalPart& part, std::size_t segment,
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
};

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

LexicalIndex::Plan LexicalIndex::plan(std::size_t part, const PartQuery& query,
                                      const LanguageStatistics& sums, std::uint32_t all_documents,
                                      std::vector<QueryTermReport>& reports) const {
  Plan plan;
  const auto rarest = [](std::uint32_t documents) {
    return bm25_idf(documents, std::min(1U, documents));
  };
  // What is rare among a thousand German passages weighs as much as what is rare among a million
  // English ones; otherwise the largest language of a corpus would win every list.
  const float balance = rarest(all_documents) / rarest(sums.documents);
  const float seen_once = rarest(sums.documents) * balance;
  const auto find = [&](const QueryTerm& term) {
    FoundTerm found{.weight = term.weight};
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

std::optional<LexicalStrategy> LexicalIndex::search_segment(
    std::size_t segment, std::size_t part, const Plan& plan, const Bm25Saturation& saturation,
    const RowFilter* filter, const LexicalStrategy* wanted, std::size_t k, TopK& best) const {
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

float LexicalIndex::matched_mass(const std::array<Plan, kLexicalParts>& plans, Row row) const {
  std::size_t s = segments_.size() - 1;
  while (s > 0 && segments_[s].first_row > row) --s;
  for (std::size_t p = 0; p < kLexicalParts; ++p) {
    const LexicalPart& part = segments_[s].segment->parts()[p];
    const auto document = part.document_of(row - segments_[s].first_row);
    if (document) return plans[p].matched_share(part, s, *document);
  }
  return 0.0F;
}

LexicalResult LexicalIndex::search(const LexicalStrategy* strategy, std::string_view question,
                                   std::string_view question_language, std::size_t k,
                                   const RowFilter* filter, const Bm25Settings& settings) const {
  LexicalResult result;
  if (k == 0) return result;
  TopK best(k);
  const std::vector<AnalyzedTerm> in_own_language = analyze(question, question_language);
  std::array<LanguageStatistics, kLexicalParts> statistics;
  std::uint32_t all_documents = 0;
  for (std::size_t p = 0; p < kLexicalParts; ++p) {
    statistics[p] = statistics_of(p);
    all_documents += statistics[p].documents;
  }
  std::array<Plan, kLexicalParts> plans;
  for (std::size_t p = 0; p < kLexicalParts; ++p) {
    const LanguageStatistics& sums = statistics[p];
    if (sums.documents == 0) continue;
    const PartQuery query =
        query_analyzer().analyze(question, question_language, kPartLanguages[p], in_own_language);
    plans[p] = plan(p, query, sums, all_documents, result.terms);
    const Bm25Saturation saturation(settings, sums);
    plans[p].choose_scale(saturation.limit());
    for (std::size_t s = 0; s < segments_.size(); ++s) {
      const auto used = search_segment(s, p, plans[p], saturation, filter, strategy, k, best);
      if (used) {
        result.passes.push_back({std::string(kPartLanguages[p]), lexical_strategy_name(*used)});
      }
    }
  }
  result.hits = best.take();
  if (!result.hits.empty()) result.matched_mass = matched_mass(plans, result.hits[0].row);
  return result;
}

}  // namespace beleg

#include "index/lexical_query.h"

#include <algorithm>

#include "index/lexical_builder.h"

namespace beleg {
namespace {

/// A lower-case Latin letter (ASCII or U+00DF … U+00FF) starts the text.
bool starts_lower(std::string_view text) {
  if (text.empty()) return false;
  const auto first = static_cast<unsigned char>(text[0]);
  if (first >= 'a' && first <= 'z') return true;
  return first == 0xc3 && text.size() > 1 && static_cast<unsigned char>(text[1]) >= 0x9f;
}

bool has_digit(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// True when case tells names from other words: the question has a capital letter somewhere.
bool uses_capitals(std::string_view question) {
  for (std::size_t i = 0; i < question.size(); ++i) {
    const auto byte = static_cast<unsigned char>(question[i]);
    if (byte >= 'A' && byte <= 'Z') return true;
    if (byte == 0xc3 && i + 1 < question.size()) {
      const auto next = static_cast<unsigned char>(question[i + 1]);
      if (next >= 0x80 && next <= 0x9e) return true;
    }
  }
  return false;
}

bool is_part(TermForm form) {
  return form == TermForm::kCompoundPart || form == TermForm::kIdentifierPart ||
         form == TermForm::kReferencePart;
}

bool covers(ByteSpan outer, ByteSpan inner) {
  return outer.start <= inner.start && inner.end <= outer.end;
}

/// A word as the analyzer of the part sees it.
struct Word {
  QueryGroup group;
  ByteSpan span;
  bool stop_word = true;  ///< All its terms are stop words.
  bool identifier = false;
};

std::vector<Word> words_of(const std::vector<AnalyzedTerm>& terms) {
  std::vector<Word> words;
  words.reserve(terms.size());
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const AnalyzedTerm& term = terms[i];
    if (i == 0 || term.position != terms[i - 1].position) {
      words.emplace_back();
      words.back().span = term.span;
    }
    Word& word = words.back();
    word.span.start = std::min(word.span.start, term.span.start);
    word.span.end = std::max(word.span.end, term.span.end);
    word.stop_word = word.stop_word && term.stop_word;
    word.identifier =
        word.identifier || term.form == TermForm::kIdentifier || term.form == TermForm::kReference;
    (is_part(term.form) ? word.group.parts : word.group.wholes)
        .push_back({term.term, term.form, std::clamp(term.weight, 0.0F, 1.0F)});
  }
  return words;
}

bool same_terms(const std::vector<QueryTerm>& a, const std::vector<QueryTerm>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const QueryTerm& x, const QueryTerm& y) { return x.term == y.term; });
}

/// A word that the question repeats is asked once.
void append_once(std::vector<QueryGroup>& groups, QueryGroup group) {
  for (const QueryGroup& known : groups) {
    if (same_terms(known.wholes, group.wholes) && same_terms(known.parts, group.parts)) return;
  }
  groups.push_back(std::move(group));
}

}  // namespace

LexicalQueryAnalyzer::LexicalQueryAnalyzer(const std::shared_ptr<const CompoundLexicon>& compounds)
    : german_(make_analyzer("de", compounds)),
      english_(make_analyzer("en", nullptr)),
      others_(make_analyzer("und", nullptr)) {}

const Analyzer& LexicalQueryAnalyzer::analyzer_of(std::string_view language) const {
  const std::string_view part = lexical_part_of(language);
  if (part == "de") return *german_;
  return part == "en" ? *english_ : *others_;
}

PartQuery LexicalQueryAnalyzer::analyze(std::string_view question,
                                        std::string_view question_language,
                                        std::string_view part_language) const {
  return analyze(question, question_language, part_language,
                 analyzer_of(question_language).analyze(question));
}

PartQuery LexicalQueryAnalyzer::analyze(std::string_view question,
                                        std::string_view question_language,
                                        std::string_view part_language,
                                        const std::vector<AnalyzedTerm>& in_own_language) const {
  const std::string_view own = lexical_part_of(question_language);
  std::vector<Word> words = words_of(
      own == part_language ? in_own_language : analyzer_of(part_language).analyze(question));
  const bool same_language = part_language == own || part_language == "und" || own == "und";

  if (own != part_language && own != "und") {
    for (Word& word : words) {
      for (const AnalyzedTerm& term : in_own_language) {
        if (term.stop_word && covers(term.span, word.span)) word.stop_word = true;
      }
    }
  }

  PartQuery query;
  query.language = part_language;
  query.groups.reserve(words.size());
  const bool capitals = uses_capitals(question);
  const bool only_stop_words =
      std::all_of(words.begin(), words.end(), [](const Word& word) { return word.stop_word; });
  for (Word& word : words) {
    if (word.stop_word && !(only_stop_words && same_language)) continue;
    if (!same_language && capitals && !word.identifier) {
      const std::string_view text =
          question.substr(word.span.start, word.span.end - word.span.start);
      word.group.asked = !starts_lower(text) || has_digit(text);
    }
    append_once(query.groups, std::move(word.group));
  }
  return query;
}

}  // namespace beleg

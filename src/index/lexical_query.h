#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "text/analyzer.h"

namespace beleg {

/// A term to look up.
struct QueryTerm {
  std::string term;
  TermForm form = TermForm::kWord;
  float weight = 1.0F;
};

/// One word of the question with its parts.
struct QueryGroup {
  std::vector<QueryTerm> wholes;
  std::vector<QueryTerm> parts;
  /// False: a content word that is not looked up in this part, but counts as not found.
  bool asked = true;
};

/// What a question asks of one part of the index.
struct PartQuery {
  std::string_view language;
  std::vector<QueryGroup> groups;
};

/// Analyses questions for the parts "de", "en" and "und". Immutable, thread-safe.
class LexicalQueryAnalyzer {
 public:
  explicit LexicalQueryAnalyzer(const std::shared_ptr<const CompoundLexicon>& compounds);

  /// Stop words are left out, those of the question's language in every part; when nothing else is
  /// left, they are what is asked. A part of another language is asked for what languages share:
  /// names, numbers, identifiers.
  [[nodiscard]] PartQuery analyze(std::string_view question, std::string_view question_language,
                                  std::string_view part_language) const;
  /// The same with the question's terms in its own language at hand, for those who ask for several
  /// parts.
  [[nodiscard]] PartQuery analyze(std::string_view question, std::string_view question_language,
                                  std::string_view part_language,
                                  const std::vector<AnalyzedTerm>& in_own_language) const;

  /// The analyzer of the part that documents of this language are in.
  [[nodiscard]] const Analyzer& analyzer_of(std::string_view language) const;

 private:
  std::unique_ptr<Analyzer> german_;
  std::unique_ptr<Analyzer> english_;
  std::unique_ptr<Analyzer> others_;
};

}  // namespace beleg

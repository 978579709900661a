#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "index/index_snapshot.h"
#include "index/lexical_part.h"
#include "index/lexical_query.h"
#include "index/section_file.h"

namespace beleg {

/// BM25 over the parts of the lexical file. Exact: every document that has a term is scored.
/// Thread-safe.
class LexicalIndex {
 public:
  static Result<std::unique_ptr<LexicalIndex>> open(const std::filesystem::path& path);

  [[nodiscard]] const SectionFile& file() const { return file_; }
  [[nodiscard]] const std::vector<LexicalPart>& parts() const { return parts_; }
  [[nodiscard]] LexicalResult search(std::string_view question, std::string_view question_language,
                                     std::size_t k, const RowFilter* filter,
                                     const Bm25Settings& settings) const;
  /// The terms of a text as the part for `language` holds them.
  [[nodiscard]] std::vector<AnalyzedTerm> analyze(std::string_view text,
                                                  std::string_view language) const;
  /// Decodes everything; one line per part that cannot be read.
  [[nodiscard]] std::vector<std::string> check() const;

 private:
  LexicalIndex() = default;
  /// Analyzers are made at the first search: opening stays cheap for those who do not need them.
  [[nodiscard]] const LexicalQueryAnalyzer& query_analyzer() const;

  SectionFile file_;
  std::vector<LexicalPart> parts_;
  mutable std::once_flag analyzer_made_;
  mutable std::unique_ptr<const LexicalQueryAnalyzer> analyzer_;
};

}  // namespace beleg

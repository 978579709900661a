#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "index/deleted_statistics.h"
#include "index/index_snapshot.h"
#include "index/lexical_plan.h"
#include "index/lexical_query.h"
#include "index/lexical_search.h"
#include "index/lexical_segment.h"

namespace beleg {

/// One segment of a lexical index.
struct LexicalIndexSegment {
  const LexicalSegment* segment = nullptr;
  Row first_row = 0;  ///< What its row 0 is called in the index; a multiple of 64.
  std::array<DeletedOfPart, kLexicalParts> deleted;
};

/// BM25 over segments: the scores are those of one segment that holds exactly the live documents.
/// Borrows the segments. Thread-safe.
class LexicalIndex {
 public:
  explicit LexicalIndex(std::vector<LexicalIndexSegment> segments)
      : segments_(std::move(segments)) {}

  /// `filter` over the rows of the index; null only when no row is deleted.
  [[nodiscard]] LexicalResult search(std::string_view question, std::string_view question_language,
                                     std::size_t k, const RowFilter* filter,
                                     const Bm25Settings& settings) const;
  /// The same by one strategy, for tests: where it cannot be used, exhaustively.
  [[nodiscard]] LexicalResult search_by(LexicalStrategy strategy, std::string_view question,
                                        std::string_view question_language, std::size_t k,
                                        const RowFilter* filter,
                                        const Bm25Settings& settings) const;
  /// What search() adds up for a row, deleted or not.
  [[nodiscard]] LexicalExplanation explain(std::string_view question,
                                           std::string_view question_language, Row row,
                                           const Bm25Settings& settings) const;
  /// The rows of `within` that meet the condition.
  [[nodiscard]] RowFilter matching(const TextCondition& condition, const RowFilter& within) const;
  /// The terms of a text as the parts for `language` hold them.
  [[nodiscard]] std::vector<AnalyzedTerm> analyze(std::string_view text,
                                                  std::string_view language) const;

 private:
  /// What is asked of the parts, whatever the segments.
  struct Question {
    std::array<LexicalPlan, kLexicalParts> plans;
    std::array<std::optional<Bm25Saturation>, kLexicalParts> saturations;  ///< Of parts with rows.
    std::vector<QueryTermReport> terms;
  };
  /// Where a row is stored.
  struct Place {
    std::size_t segment = 0;
    std::size_t part = 0;
    std::uint32_t document = 0;
  };
  [[nodiscard]] LexicalResult search(const LexicalStrategy* strategy, std::string_view question,
                                     std::string_view question_language, std::size_t k,
                                     const RowFilter* filter, const Bm25Settings& settings) const;
  [[nodiscard]] LanguageStatistics statistics_of(std::size_t part) const;
  /// Puts a plan to one segment; empty when it has none of the terms.
  [[nodiscard]] std::optional<LexicalStrategy> search_segment(std::size_t segment, std::size_t part,
                                                              const LexicalPlan& plan,
                                                              const Bm25Saturation& saturation,
                                                              const RowFilter* filter,
                                                              const LexicalStrategy* wanted,
                                                              std::size_t k, TopK& best) const;
  [[nodiscard]] std::optional<Place> place_of(Row row) const;
  [[nodiscard]] const LexicalPart& part_of(const Place& place) const {
    return segments_[place.segment].segment->parts()[place.part];
  }
  [[nodiscard]] Question prepare(std::string_view question, std::string_view question_language,
                                 const Bm25Settings& settings) const;
  [[nodiscard]] LexicalPlan plan(std::size_t part, const PartQuery& query,
                                 const LanguageStatistics& sums, std::uint32_t all_documents,
                                 std::vector<QueryTermReport>& reports) const;
  /// Analyzers are made at the first search: opening stays cheap for those who do not need them.
  [[nodiscard]] const LexicalQueryAnalyzer& query_analyzer() const;

  std::vector<LexicalIndexSegment> segments_;
  mutable std::once_flag analyzer_made_;
  mutable std::unique_ptr<const LexicalQueryAnalyzer> analyzer_;
};

}  // namespace beleg

#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "index/index_manifest.h"
#include "index/index_snapshot.h"
#include "index/lexical_index.h"
#include "index/segment.h"

namespace beleg {

/// The segments of a generation as one index. Immutable, thread-safe.
class SegmentedIndex final : public IndexSnapshot {
 public:
  static Result<std::shared_ptr<const SegmentedIndex>> open(const std::filesystem::path& folder,
                                                            const std::filesystem::path& pack);

  [[nodiscard]] const IndexManifest& manifest() const { return manifest_; }
  [[nodiscard]] const std::vector<IndexSegment>& segments() const { return segments_; }
  /// The rows of a segment that are not deleted.
  [[nodiscard]] RowFilter live_in(std::size_t segment) const;

  [[nodiscard]] std::size_t rows() const override { return manifest_.file().identity().rows; }
  [[nodiscard]] std::size_t row_limit() const override;
  [[nodiscard]] bool is_row(Row row) const override;
  [[nodiscard]] std::optional<UnixSeconds> median_published() const override {
    return manifest_.median_published();
  }
  [[nodiscard]] std::uint64_t passage_fingerprint() const override {
    return manifest_.file().identity().build;
  }
  [[nodiscard]] RowAttributes attributes(Row row) const override;
  [[nodiscard]] PassageId passage_of(Row row) const override;
  [[nodiscard]] Result<Row> row_of(PassageId passage) const override;
  [[nodiscard]] RowFilter make_filter(const FilterSpec& spec) const override;
  [[nodiscard]] const std::vector<LanguageRows>& languages() const override { return languages_; }
  [[nodiscard]] LexicalResult search_lexical(std::string_view question,
                                             std::string_view question_language, std::size_t k,
                                             const RowFilter* filter,
                                             const Bm25Settings& settings) const override;
  [[nodiscard]] LexicalExplanation explain_lexical(std::string_view question,
                                                   std::string_view question_language, Row row,
                                                   const Bm25Settings& settings) const override;
  [[nodiscard]] std::vector<AnalyzedTerm> analyze(std::string_view text,
                                                  std::string_view language) const override;
  [[nodiscard]] std::vector<RowHit> search_dense(std::span<const float> query, std::size_t k,
                                                 const RowFilter* filter) const override;
  [[nodiscard]] std::vector<std::vector<RowHit>> search_dense_together(
      std::span<const std::span<const float>> queries, std::size_t k,
      const RowFilter* filter) const override;
  [[nodiscard]] std::vector<SearchPass> dense_passes(std::size_t k,
                                                     const RowFilter* filter) const override;
  [[nodiscard]] std::vector<float> score_dense(std::span<const float> query,
                                               std::span<const Row> rows) const override;
  [[nodiscard]] std::vector<RowHit> search_late(const QueryVectors& query, std::size_t k,
                                                const RowFilter* filter) const override;
  [[nodiscard]] std::vector<SearchPass> late_passes(std::size_t k,
                                                    const RowFilter* filter) const override;
  [[nodiscard]] std::vector<float> score_late(const QueryVectors& query,
                                              std::span<const Row> rows) const override;
  [[nodiscard]] std::vector<float> token_weights(std::span<const TokenId> tokens) const override;
  [[nodiscard]] TokenSimilarities token_similarities(const QueryVectors& query,
                                                     Row row) const override;
  [[nodiscard]] Counts counts() const override;
  [[nodiscard]] std::vector<std::string> verify() const override;

 private:
  SegmentedIndex(IndexManifest manifest, std::vector<IndexSegment> segments);

  /// Where a row is.
  struct Place {
    std::size_t segment = 0;
    Row row = 0;
  };
  [[nodiscard]] std::optional<Place> place_of(Row row) const;
  [[nodiscard]] Row first_row(std::size_t segment) const {
    return manifest_.segments()[segment].first_row;
  }
  /// The question with the weights that its tokens have in all segments together.
  [[nodiscard]] QueryVectors weighed(const QueryVectors& query) const;
  /// `filter`, or the live rows where some are deleted; null when there is nothing to filter.
  [[nodiscard]] const RowFilter* effective(const RowFilter* filter) const;
  /// Calls visit(segment, its first row, its part of the filter or null) for every segment; for
  /// none with a filter over other rows.
  template <class Visit>
  void for_each_segment(const RowFilter* filter, const Visit& visit) const;
  /// The strategies over all segments: name(segment, part of the filter).
  template <class Name>
  [[nodiscard]] std::vector<SearchPass> passes_over_segments(const RowFilter* filter,
                                                             const Name& name) const;

  [[nodiscard]] std::vector<LanguageRows> count_languages() const;
  [[nodiscard]] std::vector<std::string> check_deletions(std::size_t segment) const;

  IndexManifest manifest_;
  std::vector<IndexSegment> segments_;
  std::optional<RowFilter> live_;  // Absent when nothing is deleted.
  std::vector<LanguageRows> languages_;
  std::unique_ptr<const LexicalIndex> lexical_;
};

}  // namespace beleg

#include "index/segmented_index.h"

#include <algorithm>
#include <map>

#include "index/index_files.h"
#include "index/top_k.h"

namespace beleg {

Result<std::shared_ptr<const IndexSnapshot>> IndexSnapshot::open(
    const std::filesystem::path& folder, const std::filesystem::path& pack) {
  return TRY(SegmentedIndex::open(folder, pack));
}

Result<std::shared_ptr<const SegmentedIndex>> SegmentedIndex::open(
    const std::filesystem::path& folder, const std::filesystem::path& pack) {
  IndexManifest manifest = TRY(IndexManifest::open(folder / index_files::kManifest));
  std::vector<IndexSegment> segments;
  for (std::size_t s = 0; s < manifest.segments().size(); ++s) {
    segments.push_back(
        TRY(IndexSegment::open(folder / (index_files::kSegmentPrefix + std::to_string(s)), pack)));
    const SectionFile& file = segments[s].table.file();
    if (segments[s].identity() != manifest.segments()[s].identity) {
      return file.damaged("the manifest lists other rows");
    }
    if (segments[s].dense.dims() != segments[0].dense.dims()) {
      return file.damaged("its vectors have other dimensions than those of segment 0");
    }
    if (segments[s].lexical.compounds() != segments[0].lexical.compounds()) {
      return file.damaged("its compound lexicon is not that of segment 0");
    }
  }
  // Shared: readers keep an old generation alive while a new one is opened beside it.
  return std::shared_ptr<const SegmentedIndex>(
      new SegmentedIndex(std::move(manifest), std::move(segments)));
}

SegmentedIndex::SegmentedIndex(IndexManifest manifest, std::vector<IndexSegment> segments)
    : manifest_(std::move(manifest)), segments_(std::move(segments)) {
  std::vector<LexicalIndexSegment> lexical;
  for (std::size_t s = 0; s < segments_.size(); ++s) {
    LexicalIndexSegment& view = lexical.emplace_back();
    view.segment = &segments_[s].lexical;
    view.first_row = first_row(s);
    for (std::size_t p = 0; p < kLexicalParts; ++p) view.deleted[p] = manifest_.deleted(s, p);
  }
  lexical_ = std::make_unique<const LexicalIndex>(std::move(lexical));
  languages_ = count_languages();
  std::size_t stored = 0;
  for (const ManifestSegment& segment : manifest_.segments()) stored += segment.identity.rows;
  if (stored == rows()) return;
  live_.emplace(row_limit());
  for (std::size_t s = 0; s < segments_.size(); ++s) live_->place(live_in(s), first_row(s), {});
}

RowFilter SegmentedIndex::live_in(std::size_t segment) const {
  const std::size_t rows = segments_[segment].table.rows();
  RowFilter filter(rows);
  filter.place(RowFilter::all(rows), 0, manifest_.live(segment));
  return filter;
}

std::size_t SegmentedIndex::row_limit() const {
  if (segments_.empty()) return 0;
  return first_row(segments_.size() - 1) + segments_.back().table.rows();
}

std::optional<SegmentedIndex::Place> SegmentedIndex::place_of(Row row) const {
  std::size_t s = segments_.size();
  while (s > 0 && first_row(s - 1) > row) --s;
  if (s == 0 || row - first_row(s - 1) >= segments_[s - 1].table.rows()) return std::nullopt;
  return Place{s - 1, row - first_row(s - 1)};
}

bool SegmentedIndex::is_row(Row row) const {
  const std::optional<Place> place = place_of(row);
  if (!place) return false;
  const std::span<const std::uint64_t> live = manifest_.live(place->segment);
  return live.empty() || ((live[place->row / 64] >> (place->row % 64)) & 1U) != 0;
}

RowAttributes SegmentedIndex::attributes(Row row) const {
  const std::optional<Place> place = place_of(row);
  return place ? segments_[place->segment].table.attributes(place->row) : RowAttributes{};
}

PassageId SegmentedIndex::passage_of(Row row) const {
  const std::optional<Place> place = place_of(row);
  return place ? segments_[place->segment].table.passage_of(place->row) : PassageId{};
}

Result<Row> SegmentedIndex::row_of(PassageId passage) const {
  for (std::size_t s = 0; s < segments_.size(); ++s) {
    const auto row = segments_[s].table.row_of(passage);
    if (row && is_row(first_row(s) + *row)) return first_row(s) + *row;
  }
  return fail(ErrorCode::kNotFound, "the index of this generation has no passage " +
                                        std::to_string(static_cast<std::int64_t>(passage)));
}

RowFilter SegmentedIndex::make_filter(const FilterSpec& spec) const {
  RowFilter filter(row_limit());
  for (std::size_t s = 0; s < segments_.size(); ++s) {
    // The condition on labels holds for whatever is asked.
    filter.place(segments_[s].table.make_filter(spec), first_row(s), manifest_.live(s));
  }
  for (const TextCondition& condition : spec.texts) filter = lexical_->matching(condition, filter);
  return filter;
}

std::vector<LanguageRows> SegmentedIndex::count_languages() const {
  std::map<std::string, std::size_t> counts;
  for (std::size_t s = 0; s < segments_.size(); ++s) {
    const RowFilter live = live_in(s);
    for (const auto& [language, rows] : segments_[s].table.languages(live)) {
      counts[language] += rows;
    }
  }
  std::vector<LanguageRows> result(counts.begin(), counts.end());
  std::stable_sort(result.begin(), result.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return result;
}

const RowFilter* SegmentedIndex::effective(const RowFilter* filter) const {
  return filter == nullptr && live_ ? &*live_ : filter;
}

template <class Visit>
void SegmentedIndex::for_each_segment(const RowFilter* filter, const Visit& visit) const {
  filter = effective(filter);
  if (filter != nullptr && filter->rows() != row_limit()) return;
  for (std::size_t s = 0; s < segments_.size(); ++s) {
    std::optional<RowFilter> part;
    if (filter != nullptr) part.emplace(*filter, first_row(s), segments_[s].table.rows());
    visit(segments_[s], first_row(s), part ? &*part : nullptr);
  }
}

LexicalResult SegmentedIndex::search_lexical(std::string_view question,
                                             std::string_view question_language, std::size_t k,
                                             const RowFilter* filter,
                                             const Bm25Settings& settings) const {
  filter = effective(filter);
  if (filter != nullptr && filter->rows() != row_limit()) return {};
  return lexical_->search(question, question_language, k, filter, settings);
}

LexicalExplanation SegmentedIndex::explain_lexical(std::string_view question,
                                                   std::string_view question_language, Row row,
                                                   const Bm25Settings& settings) const {
  return is_row(row) ? lexical_->explain(question, question_language, row, settings)
                     : LexicalExplanation{};
}

std::vector<AnalyzedTerm> SegmentedIndex::analyze(std::string_view text,
                                                  std::string_view language) const {
  return lexical_->analyze(text, language);
}

std::vector<RowHit> SegmentedIndex::search_dense(std::span<const float> query, std::size_t k,
                                                 const RowFilter* filter) const {
  return std::move(search_dense_together({&query, 1}, k, filter).front());
}

std::vector<std::vector<RowHit>> SegmentedIndex::search_dense_together(
    std::span<const std::span<const float>> queries, std::size_t k, const RowFilter* filter) const {
  std::vector<TopK> best(queries.size(), TopK(k));
  for_each_segment(filter, [&](const IndexSegment& segment, Row first, const RowFilter* part) {
    std::vector<DenseRequest> requests;
    requests.reserve(queries.size());
    // What the segments before have found is what a row of this one must beat.
    for (std::size_t q = 0; q < queries.size(); ++q) {
      requests.push_back({.query = queries[q], .filter = part, .floor = best[q].threshold()});
    }
    const auto found = segment.dense.search_batch(requests, k);
    for (std::size_t q = 0; q < queries.size(); ++q) {
      for (const RowHit& hit : found[q]) best[q].push({first + hit.row, hit.score});
    }
  });
  std::vector<std::vector<RowHit>> lists;
  lists.reserve(best.size());
  for (TopK& list : best) lists.push_back(list.take());
  return lists;
}

template <class Name>
std::vector<SearchPass> SegmentedIndex::passes_over_segments(const RowFilter* filter,
                                                             const Name& name) const {
  std::vector<SearchPass> passes;
  for_each_segment(filter, [&](const IndexSegment& segment, Row /*first*/, const RowFilter* part) {
    count_pass(passes, {}, name(segment, part));
  });
  return passes;
}

std::vector<SearchPass> SegmentedIndex::dense_passes(std::size_t k, const RowFilter* filter) const {
  return passes_over_segments(filter, [&](const IndexSegment& segment, const RowFilter* part) {
    return name_of(segment.dense.strategy(k, part));
  });
}

std::vector<SearchPass> SegmentedIndex::late_passes(std::size_t k, const RowFilter* filter) const {
  return passes_over_segments(filter, [&](const IndexSegment& segment, const RowFilter* part) {
    return TokenIndex::name(segment.tokens.strategy(k, part));
  });
}

std::vector<float> SegmentedIndex::score_dense(std::span<const float> query,
                                               std::span<const Row> rows) const {
  std::vector<float> scores(rows.size(), -1.0F);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::optional<Place> place = place_of(rows[i]);
    if (place) scores[i] = segments_[place->segment].dense.score(query, {{place->row}})[0];
  }
  return scores;
}

QueryVectors SegmentedIndex::weighed(const QueryVectors& query) const {
  QueryVectors weighed = query;
  weighed.weights = token_weights(query.tokens);
  return weighed;
}

std::vector<RowHit> SegmentedIndex::search_late(const QueryVectors& query, std::size_t k,
                                                const RowFilter* filter) const {
  const QueryVectors all = weighed(query);
  TopK best(k);
  for_each_segment(filter, [&](const IndexSegment& segment, Row first, const RowFilter* part) {
    for (const RowHit& hit : segment.tokens.search(all, k, part)) {
      best.push({first + hit.row, hit.score});
    }
  });
  return best.take();
}

std::vector<float> SegmentedIndex::score_late(const QueryVectors& query,
                                              std::span<const Row> rows) const {
  const QueryVectors all = weighed(query);
  std::vector<float> scores(rows.size(), -1.0F);
  std::vector<Row> in_segment;
  std::vector<std::size_t> order;
  for (std::size_t s = 0; s < segments_.size(); ++s) {
    in_segment.clear();
    order.clear();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::optional<Place> place = place_of(rows[i]);
      if (!place || place->segment != s) continue;
      in_segment.push_back(place->row);
      order.push_back(i);
    }
    if (order.empty()) continue;
    const std::vector<float> found = segments_[s].tokens.score(all, in_segment);
    for (std::size_t i = 0; i < order.size(); ++i) scores[order[i]] = found[i];
  }
  return scores;
}

std::vector<float> SegmentedIndex::token_weights(std::span<const TokenId> tokens) const {
  std::uint32_t rows = 0;
  for (std::size_t s = 0; s < segments_.size(); ++s) {
    const std::uint32_t stored = segments_[s].tokens.rows_with_tokens();
    rows += stored - std::min(stored, manifest_.segments()[s].deleted_rows_with_tokens);
  }
  std::vector<std::uint32_t> rows_with;
  rows_with.reserve(tokens.size());
  for (const TokenId token : tokens) {
    std::uint32_t with = 0;
    for (std::size_t s = 0; s < segments_.size(); ++s) {
      const std::uint32_t stored = segments_[s].tokens.rows_with(token);
      with += stored - std::min(stored, manifest_.deleted_rows_with(s, token));
    }
    rows_with.push_back(with);
  }
  return beleg::token_weights(rows_with, rows);
}

IndexSnapshot::TokenSimilarities SegmentedIndex::token_similarities(const QueryVectors& query,
                                                                    Row row) const {
  const std::optional<Place> place = place_of(row);
  return place ? segments_[place->segment].tokens.similarities(query, place->row)
               : TokenSimilarities{};
}

IndexSnapshot::Counts SegmentedIndex::counts() const {
  Counts counts;
  counts.bytes = manifest_.file().size();
  for (std::size_t s = 0; s < segments_.size(); ++s) {
    const IndexSegment& segment = segments_[s];
    const std::size_t deleted = segment.table.rows() - manifest_.segments()[s].live_rows;
    counts.rows += segment.table.rows() - deleted;
    counts.dense += segment.dense.rows() - deleted;
    counts.tokens += segment.tokens.rows() - deleted;
    for (std::size_t p = 0; p < kLexicalParts; ++p) {
      counts.lexical +=
          segment.lexical.parts()[p].documents() - manifest_.deleted(s, p).sums.documents;
    }
    for (const SectionFile* file : segment.files()) counts.bytes += file->size();
  }
  return counts;
}

std::vector<std::string> SegmentedIndex::verify() const {
  std::vector<std::string> findings = manifest_.file().verify();
  const auto append = [&findings](std::vector<std::string> lines) {
    for (std::string& line : lines) findings.push_back(std::move(line));
  };
  for (std::size_t s = 0; s < segments_.size(); ++s) {
    const IndexSegment& segment = segments_[s];
    for (const SectionFile* file : segment.files()) append(file->verify());
    append(segment.lexical.check());
    append(segment.tokens.verify_payloads());
    append(check_deletions(s));
  }
  return findings;
}

std::vector<std::string> SegmentedIndex::check_deletions(std::size_t segment) const {
  const RowFilter live = live_in(segment);
  for (std::size_t p = 0; p < kLexicalParts; ++p) {
    const CountedDeletions counted = count_deletions(segments_[segment].lexical.parts()[p], live);
    const DeletedOfPart stored = manifest_.deleted(segment, p);
    if (!(counted.sums == stored.sums) || !std::ranges::equal(counted.terms, stored.terms)) {
      return {manifest_.file().path().string() + ": the deletions of segment " +
              std::to_string(segment) + " are counted wrongly"};
    }
  }
  return {};
}

}  // namespace beleg

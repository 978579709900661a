#include <algorithm>
#include <string>
#include <vector>

#include "base/hash.h"
#include "index/index_files.h"
#include "index/index_folder.h"
#include "index/index_manifest.h"
#include "index/index_snapshot.h"
#include "index/row_table_sections.h"
#include "index/segmented_index.h"

namespace beleg {
namespace {

/// A segment at the end is made anew when it has at most so many times the rows that are added:
/// each row is then written again a logarithmic number of times.
constexpr std::size_t kGrowth = 2;

std::optional<UnixSeconds> median_of(std::vector<UnixSeconds>& dates) {
  if (dates.empty()) return std::nullopt;
  const auto middle = dates.begin() + static_cast<std::ptrdiff_t>((dates.size() - 1) / 2);
  std::nth_element(dates.begin(), middle, dates.end());
  return *middle;
}

/// A segment of the base that stays.
struct KeptSegment {
  std::size_t number = 0;
  RowFilter live;
  std::size_t live_rows = 0;
};

class SegmentedIndexBuilder final : public IndexBuilder {
 public:
  SegmentedIndexBuilder(IndexForm form, std::filesystem::path target)
      : form_(std::move(form)),
        target_(target.has_filename() ? std::move(target) : target.parent_path()),
        temporary_(target_) {}

  PassageId keep(const std::filesystem::path& base, std::span<const PassageId> live) override;
  Result<void> add(const RowAttributes& attributes, const IndexedText& text,
                   std::span<const std::byte> payload, std::uint64_t offset) override;
  Result<void> write() override;

 private:
  [[nodiscard]] bool has_this_form(const SegmentedIndex& index) const;
  [[nodiscard]] static bool is_whole(const IndexSegment& segment);
  [[nodiscard]] bool find_kept(std::span<const PassageId> live);
  Result<void> start();
  Result<void> write_kept();
  Result<void> flush();
  [[nodiscard]] static SegmentDeletions count(const IndexSegment& segment, const KeptSegment& kept,
                                              std::uint32_t& deleted_rows_with_tokens);
  void append(const IndexIdentity& identity, std::size_t live_rows, SegmentDeletions deletions,
              std::uint32_t deleted_rows_with_tokens);
  [[nodiscard]] std::filesystem::path next_segment() const {
    return temporary_.path() / (index_files::kSegmentPrefix + std::to_string(segments_.size()));
  }

  IndexForm form_;
  std::filesystem::path target_;
  TemporaryFolder temporary_;
  bool started_ = false;

  std::filesystem::path base_folder_;
  std::shared_ptr<const SegmentedIndex> base_;
  std::vector<KeptSegment> kept_;

  std::unique_ptr<SegmentBuilder> building_;
  std::vector<ManifestSegment> segments_;
  std::vector<SegmentDeletions> deletions_;
  std::vector<std::int64_t> passages_;  // Live ones, ascending.
  std::vector<UnixSeconds> dates_;
};

bool SegmentedIndexBuilder::has_this_form(const SegmentedIndex& index) const {
  const std::string compounds = form_.compounds ? form_.compounds->serialize() : std::string();
  return std::ranges::all_of(index.segments(), [&](const IndexSegment& segment) {
    return segment.dense.dims() == form_.dims && segment.lexical.compounds() == compounds &&
           std::ranges::all_of(segment.lexical.parts(), [&](const LexicalPart& part) {
             return part.weights().title == form_.title_weight &&
                    part.weights().headings == form_.heading_weight &&
                    part.has_positions() == form_.positions;
           });
  });
}

/// Damage must not be handed on to the next generation.
bool SegmentedIndexBuilder::is_whole(const IndexSegment& segment) {
  return std::ranges::all_of(segment.files(),
                             [](const SectionFile* file) { return file->verify().empty(); });
}

/// Marks what of the base is live. False when a passage is missing that should be there, or a
/// segment is damaged.
bool SegmentedIndexBuilder::find_kept(std::span<const PassageId> live) {
  std::size_t next = 0;
  for (std::size_t s = 0; s < base_->segments().size(); ++s) {
    if (!is_whole(base_->segments()[s])) return false;
    const std::span<const std::int64_t> passages = base_->segments()[s].table.passages();
    const RowFilter there = base_->live_in(s);
    KeptSegment& kept = kept_.emplace_back(s, RowFilter(passages.size()));
    for (std::size_t row = 0; row < passages.size(); ++row) {
      if (next < live.size() && static_cast<std::int64_t>(live[next]) < passages[row]) return false;
      if (next == live.size() || static_cast<std::int64_t>(live[next]) != passages[row]) continue;
      if (!there.allows(static_cast<Row>(row))) return false;
      kept.live.allow(static_cast<Row>(row));
      ++kept.live_rows;
      ++next;
    }
  }
  return true;
}

PassageId SegmentedIndexBuilder::keep(const std::filesystem::path& base,
                                      std::span<const PassageId> live) {
  auto opened = SegmentedIndex::open(base, form_.pack);
  if (!opened || !has_this_form(**opened)) return PassageId{0};
  base_ = *opened;
  base_folder_ = base;
  if (!find_kept(live)) {
    kept_.clear();
    return PassageId{0};
  }
  std::size_t stays = 0;
  for (const KeptSegment& kept : kept_) stays += kept.live_rows;
  std::size_t added = live.size() - stays;
  const auto drop_last = [&] {
    added += kept_.back().live_rows;
    stays -= kept_.back().live_rows;
    kept_.pop_back();
  };
  while (!kept_.empty() && kept_.back().live_rows <= kGrowth * added) drop_last();
  // More dead than alive: it costs more than it is worth, and so do those behind it.
  const auto mostly_dead = std::ranges::find_if(kept_, [this](const KeptSegment& kept) {
    return 2 * kept.live_rows < base_->segments()[kept.number].table.rows();
  });
  const auto left = static_cast<std::size_t>(mostly_dead - kept_.begin());
  while (kept_.size() > left) drop_last();
  if (stays == 0) return PassageId{0};
  if (stays < live.size()) return live[stays];
  return PassageId{static_cast<std::int64_t>(live.back()) + 1};
}

Result<void> SegmentedIndexBuilder::start() {
  if (started_) return {};
  started_ = true;
  TRY(temporary_.create());
  return write_kept();
}

SegmentDeletions SegmentedIndexBuilder::count(const IndexSegment& segment, const KeptSegment& kept,
                                              std::uint32_t& deleted_rows_with_tokens) {
  SegmentDeletions deletions;
  if (kept.live_rows == segment.table.rows()) return deletions;
  deletions.live.assign(kept.live.words().begin(), kept.live.words().end());
  for (std::size_t p = 0; p < kLexicalParts; ++p) {
    deletions.lexical[p] = count_deletions(segment.lexical.parts()[p], kept.live);
  }
  std::vector<TokenId> tokens;
  for (std::size_t row = 0; row < segment.table.rows(); ++row) {
    if (kept.live.allows(static_cast<Row>(row))) continue;
    const std::span<const TokenId> of_row = segment.tokens.token_ids_of(static_cast<Row>(row));
    if (of_row.empty()) continue;
    ++deleted_rows_with_tokens;
    const auto first = static_cast<std::ptrdiff_t>(tokens.size());
    tokens.insert(tokens.end(), of_row.begin(), of_row.end());
    std::sort(tokens.begin() + first, tokens.end());
    tokens.erase(std::unique(tokens.begin() + first, tokens.end()), tokens.end());
  }
  std::sort(tokens.begin(), tokens.end());
  for (const TokenId token : tokens) {
    if (deletions.tokens.empty() || deletions.tokens.back().token != token) {
      deletions.tokens.push_back({token, 0});
    }
    ++deletions.tokens.back().rows;
  }
  return deletions;
}

void SegmentedIndexBuilder::append(const IndexIdentity& identity, std::size_t live_rows,
                                   SegmentDeletions deletions,
                                   std::uint32_t deleted_rows_with_tokens) {
  std::uint64_t first_row = 0;
  if (!segments_.empty()) first_row = segments_.back().first_row + segments_.back().identity.rows;
  segments_.push_back({.identity = identity,
                       .live_rows = live_rows,
                       .first_row = static_cast<std::uint32_t>((first_row + 63) / 64 * 64),
                       .deleted_rows_with_tokens = deleted_rows_with_tokens});
  deletions_.push_back(std::move(deletions));
}

Result<void> SegmentedIndexBuilder::write_kept() {
  for (const KeptSegment& kept : kept_) {
    const IndexSegment& segment = base_->segments()[kept.number];
    TRY(share_folder(base_folder_ / (index_files::kSegmentPrefix + std::to_string(kept.number)),
                     next_segment()));
    std::uint32_t deleted_rows_with_tokens = 0;
    SegmentDeletions deletions = count(segment, kept, deleted_rows_with_tokens);
    append(segment.identity(), kept.live_rows, std::move(deletions), deleted_rows_with_tokens);
    for (std::size_t row = 0; row < segment.table.rows(); ++row) {
      if (!kept.live.allows(static_cast<Row>(row))) continue;
      passages_.push_back(segment.table.passages()[row]);
      const std::int64_t date = segment.table.published()[row];
      if (date != kRowNoDate) dates_.push_back(date);
    }
  }
  return {};
}

Result<void> SegmentedIndexBuilder::add(const RowAttributes& attributes, const IndexedText& text,
                                        std::span<const std::byte> payload, std::uint64_t offset) {
  TRY(start());
  if (!building_) {
    building_ = std::make_unique<SegmentBuilder>(
        form_.dims, LexicalForm{.compounds = form_.compounds,
                                .weights = {form_.title_weight, form_.heading_weight},
                                .positions = form_.positions});
  }
  const auto passage = static_cast<std::int64_t>(attributes.passage);
  if (!passages_.empty() && passage <= passages_.back()) {
    return fail(ErrorCode::kInternal, "passage " + std::to_string(passage) +
                                          " is added after passage " +
                                          std::to_string(passages_.back()));
  }
  TRY(building_->add(attributes, text, payload, offset));
  passages_.push_back(passage);
  if (attributes.published) dates_.push_back(*attributes.published);
  if (building_->memory() >= form_.memory) TRY(flush());
  return {};
}

Result<void> SegmentedIndexBuilder::flush() {
  if (!building_) return {};
  const std::filesystem::path folder = next_segment();
  std::error_code error;
  std::filesystem::create_directory(folder, error);
  if (error) {
    return fail(ErrorCode::kIo, "cannot create " + printable_path(folder) + ": " + error.message(),
                "check the free disk space and the permissions of the corpus folder");
  }
  const std::size_t rows = building_->rows();
  TRY(building_->write(folder, form_.pack));
  building_.reset();
  const auto written = std::span(passages_).last(rows);
  append({.rows = rows, .build = checksum64(std::as_bytes(written))}, rows, {}, 0);
  return {};
}

Result<void> SegmentedIndexBuilder::write() {
  TRY(start());
  TRY(flush());
  const IndexIdentity identity{.rows = passages_.size(),
                               .build = checksum64(std::as_bytes(std::span(passages_)))};
  TRY(write_manifest(temporary_.path() / index_files::kManifest, identity, segments_, deletions_,
                     median_of(dates_)));
  return temporary_.put_in_place(target_);
}

}  // namespace

std::unique_ptr<IndexBuilder> IndexBuilder::create(IndexForm form,
                                                   const std::filesystem::path& target) {
  return std::make_unique<SegmentedIndexBuilder>(std::move(form), target);
}

}  // namespace beleg

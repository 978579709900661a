#include "index/index_manifest.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace beleg {
namespace {

enum ManifestSection : std::uint32_t {
  kManifestMeta = 1,
  kManifestSegments = 2,
  kManifestLive = 3,
  kManifestDeletedSums = 4,   // Part: segment × kLexicalParts + part of the segment.
  kManifestDeletedTerms = 5,  // Likewise.
  kManifestDeletedTokens = 6,
};

struct ManifestMeta {
  std::int64_t median_published = 0;
  std::uint32_t has_median = 0;
  std::uint32_t segments = 0;
};
static_assert(sizeof(ManifestMeta) == 16);
static_assert(sizeof(LanguageStatistics) == 32);

constexpr std::uint32_t kMaxSegments = 256;

template <class T>
Result<std::span<const T>> optional_values(const SectionFile& file, std::uint32_t kind,
                                           std::uint32_t part) {
  if (!file.has(kind, part)) return std::span<const T>();
  const std::size_t size = TRY(file.bytes(kind, part)).size();
  return file.values<T>(kind, part, size / sizeof(T));
}

}  // namespace

Result<IndexManifest> IndexManifest::open(const std::filesystem::path& path) {
  IndexManifest manifest;
  manifest.file_ = TRY(SectionFile::open(path, kManifestFile));
  const SectionFile& file = manifest.file_;
  // Small, and everything else hangs on it: proved before it is used.
  const std::vector<std::string> findings = file.verify();
  if (!findings.empty()) return file.damaged(findings[0]);
  const ManifestMeta meta = TRY(file.values<ManifestMeta>(kManifestMeta, 0, 1))[0];
  if (meta.segments > kMaxSegments) return file.damaged("it lists too many segments");
  if (meta.has_median != 0) manifest.median_ = meta.median_published;
  manifest.segments_ = TRY(file.values<ManifestSegment>(kManifestSegments, 0, meta.segments));
  std::uint64_t live_rows = 0;
  std::uint64_t next_row = 0;
  for (std::uint32_t s = 0; s < meta.segments; ++s) {
    const ManifestSegment& segment = manifest.segments_[s];
    if (segment.first_row % 64 != 0 || segment.first_row < next_row ||
        segment.identity.rows > std::numeric_limits<std::uint32_t>::max() - segment.first_row) {
      return file.damaged("the rows of its segments overlap");
    }
    next_row = segment.first_row + segment.identity.rows;
    live_rows += segment.live_rows;
    const auto live = TRY(optional_values<std::uint64_t>(file, kManifestLive, s));
    if (!live.empty()) {
      std::uint64_t count = 0;
      for (const std::uint64_t word : live)
        count += static_cast<std::uint64_t>(std::popcount(word));
      if (live.size() != (segment.identity.rows + 63) / 64 || count != segment.live_rows) {
        return file.damaged("the live rows of a segment are not as many as it says");
      }
    }
    manifest.live_.push_back(live);
    for (std::uint32_t p = 0; p < kLexicalParts; ++p) {
      const auto number = static_cast<std::uint32_t>(s * kLexicalParts + p);
      DeletedOfPart& deleted = manifest.deleted_.emplace_back();
      const auto sums =
          TRY(optional_values<LanguageStatistics>(file, kManifestDeletedSums, number));
      if (!sums.empty()) deleted.sums = sums[0];
      deleted.terms = TRY(optional_values<DeletedTerm>(file, kManifestDeletedTerms, number));
    }
    manifest.tokens_.push_back(TRY(optional_values<DeletedToken>(file, kManifestDeletedTokens, s)));
  }
  if (live_rows != file.identity().rows) return file.damaged("its rows do not add up");
  return manifest;
}

std::uint32_t IndexManifest::deleted_rows_with(std::size_t segment, TokenId token) const {
  const std::span<const DeletedToken> tokens = tokens_[segment];
  const auto found = std::lower_bound(
      tokens.begin(), tokens.end(), token,
      [](const DeletedToken& entry, TokenId wanted) { return entry.token < wanted; });
  return found != tokens.end() && found->token == token ? found->rows : 0;
}

Result<void> write_manifest(const std::filesystem::path& path, IndexIdentity identity,
                            const std::vector<ManifestSegment>& segments,
                            const std::vector<SegmentDeletions>& deletions,
                            std::optional<UnixSeconds> median) {
  const std::vector<ManifestMeta> meta{{.median_published = median.value_or(0),
                                        .has_median = median ? 1U : 0U,
                                        .segments = static_cast<std::uint32_t>(segments.size())}};
  SectionFileWriter file(kManifestFile, identity);
  file.add_values(kManifestMeta, 0, meta);
  file.add_values(kManifestSegments, 0, segments);
  std::vector<std::vector<LanguageStatistics>> sums(segments.size() * kLexicalParts);
  for (std::uint32_t s = 0; s < segments.size(); ++s) {
    if (deletions[s].live.empty()) continue;
    file.add_values(kManifestLive, s, deletions[s].live);
    for (std::uint32_t p = 0; p < kLexicalParts; ++p) {
      const auto number = static_cast<std::uint32_t>(s * kLexicalParts + p);
      sums[number].push_back(deletions[s].lexical[p].sums);
      file.add_values(kManifestDeletedSums, number, sums[number]);
      file.add_values(kManifestDeletedTerms, number, deletions[s].lexical[p].terms);
    }
    file.add_values(kManifestDeletedTokens, s, deletions[s].tokens);
  }
  return file.write(path);
}

}  // namespace beleg

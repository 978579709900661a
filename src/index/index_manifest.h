#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "index/deleted_statistics.h"
#include "index/rows.h"
#include "index/section_file.h"
#include "model/tokenizer.h"

namespace beleg {

inline constexpr SectionFileKind kManifestFile{"BELEGGEN", 1};

/// How many of the deleted rows of a segment have a token.
struct DeletedToken {
  TokenId token = 0;
  std::uint32_t rows = 0;
};
static_assert(sizeof(DeletedToken) == 8);

/// One segment as the manifest describes it.
struct ManifestSegment {
  IndexIdentity identity;  ///< Of its files.
  std::uint64_t live_rows = 0;
  std::uint32_t first_row = 0;  ///< A multiple of 64.
  std::uint32_t deleted_rows_with_tokens = 0;
};
static_assert(sizeof(ManifestSegment) == 32);

/// What a manifest says of the deletions in a segment. Empty when there are none.
struct SegmentDeletions {
  std::vector<std::uint64_t> live;  ///< A bit per row; empty: all are live.
  std::array<CountedDeletions, kLexicalParts> lexical;
  std::vector<DeletedToken> tokens;  ///< Ascending by token.
};

/// The list of segments that make an index, and what is deleted in them. Mapped; thread-safe.
class IndexManifest {
 public:
  static Result<IndexManifest> open(const std::filesystem::path& path);

  [[nodiscard]] const SectionFile& file() const { return file_; }
  [[nodiscard]] std::span<const ManifestSegment> segments() const { return segments_; }
  /// The median release date of the live rows that have one.
  [[nodiscard]] std::optional<UnixSeconds> median_published() const { return median_; }
  /// The words of a segment's live rows; empty when all are live.
  [[nodiscard]] std::span<const std::uint64_t> live(std::size_t segment) const {
    return live_[segment];
  }
  [[nodiscard]] DeletedOfPart deleted(std::size_t segment, std::size_t part) const {
    return deleted_[segment * kLexicalParts + part];
  }
  /// How many deleted rows of a segment have a token.
  [[nodiscard]] std::uint32_t deleted_rows_with(std::size_t segment, TokenId token) const;

 private:
  SectionFile file_;
  std::span<const ManifestSegment> segments_;
  std::optional<UnixSeconds> median_;
  std::vector<std::span<const std::uint64_t>> live_;
  std::vector<DeletedOfPart> deleted_;
  std::vector<std::span<const DeletedToken>> tokens_;
};

/// Writes a manifest. `identity` has the live rows and the fingerprint of their passages.
Result<void> write_manifest(const std::filesystem::path& path, IndexIdentity identity,
                            const std::vector<ManifestSegment>& segments,
                            const std::vector<SegmentDeletions>& deletions,
                            std::optional<UnixSeconds> median);

}  // namespace beleg

#pragma once

#include <cstdint>
#include <limits>

namespace beleg {

/// Sections of the rows file; see docs/formats/rows.md.
enum RowSection : std::uint32_t {
  kRowPassages = 1,
  kRowVersions = 2,
  kRowDocuments = 3,
  kRowDocumentIds = 4,
  kRowPublished = 5,
  kRowLanguages = 6,
  kRowSources = 7,
  kRowStories = 8,
  kRowDomains = 9,
  kRowAccessSets = 10,
  kRowStringOffsets = 20,
  kRowStringBytes = 21,
  kRowAccessOffsets = 22,
  kRowAccessLabels = 23,
};

/// Parts of kRowStringOffsets and kRowStringBytes.
enum RowNames : std::uint32_t {
  kLanguageNames = 0,
  kSourceNames = 1,
  kStoryNames = 2,
  kDomainNames = 3,
  kLabelNames = 4,
};

/// Stands for "no date" in kRowPublished.
inline constexpr std::int64_t kRowNoDate = std::numeric_limits<std::int64_t>::min();

}  // namespace beleg

#pragma once

#include <cstdint>

namespace beleg {

/// Row id of a document in the truth. Stable for the life of a corpus; never shown as identity.
enum class DocumentId : std::int64_t {};
/// Row id of one state of a document.
enum class VersionId : std::int64_t {};
/// Row id of a passage. The same id in every list: lexical, dense, token, fused.
enum class PassageId : std::int64_t {};
/// Number of a committed ingest; strictly increasing, never used twice, 0 before the first.
enum class Generation : std::int64_t {};
/// Position of a passage in the derived index of one generation: 0 … n-1.
using Row = std::uint32_t;

}  // namespace beleg

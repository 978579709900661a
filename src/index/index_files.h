#pragma once

namespace beleg::index_files {

/// In the folder of an index: the manifest, and a folder for each segment ("segment.0", …).
inline constexpr const char* kManifest = "manifest.idx";
inline constexpr const char* kSegmentPrefix = "segment.";
/// In the folder of a segment.
inline constexpr const char* kRows = "rows.idx";
inline constexpr const char* kLexical = "lexical.idx";
inline constexpr const char* kDense = "dense.idx";
inline constexpr const char* kTokens = "tokens.idx";

}  // namespace beleg::index_files

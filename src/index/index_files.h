#pragma once

namespace beleg::index_files {

/// Names of the files in the folder of an index.
inline constexpr const char* kRows = "rows.idx";
inline constexpr const char* kLexical = "lexical.idx";
inline constexpr const char* kDense = "dense.idx";
inline constexpr const char* kTokens = "tokens.idx";

}  // namespace beleg::index_files

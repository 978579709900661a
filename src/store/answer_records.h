#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "store/corpus_store.h"
#include "store/sqlite_database.h"

namespace beleg {

/// Traces that a corpus keeps; the oldest go first.
inline constexpr std::int64_t kKeptTraces = 1000;

// Records of answers. Every put is durable when it returns, and needs no
// writer lock: it waits a moment when an ingest is just writing a batch.

/// A receipt is kept as it was first written: its hash says that a second one proves the same.
Result<void> write_receipt(SqliteDatabase& database, std::string_view sha256_hex,
                           std::string_view json);
Result<std::string> read_receipt(SqliteDatabase& database, std::string_view sha256_hex);

/// Replaces a trace of the same id, and drops all but the newest kKeptTraces.
Result<void> write_trace(SqliteDatabase& database, std::string_view id, std::string_view json);
/// By id, by a prefix that only one trace has, or "last". kInvalidArgument for an ambiguous prefix.
Result<std::string> read_trace(SqliteDatabase& database, std::string_view id);

}  // namespace beleg

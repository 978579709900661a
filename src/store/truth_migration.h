#pragma once

#include <cstdint>

#include "base/result.h"
#include "store/sqlite_database.h"

namespace beleg {

/// Version of the schema, kept in PRAGMA user_version. docs/formats/truth.md describes it.
inline constexpr std::int64_t kTruthFormat = 2;

/// Runs the steps from format `from` to kTruthFormat and sets the mark. Requires a running write
/// transaction, so that a file has one format or the other.
Result<void> run_migration_steps(SqliteDatabase& database, std::int64_t from);

/// Brings a file of an older format to kTruthFormat, durably and in one transaction. Does nothing
/// when another process was faster.
Result<void> migrate_truth(SqliteDatabase& database);

/// For a file of an older format that this user may only read: views of this connection take the
/// place of the tables it lacks, all of them empty, so that every reading statement works.
Result<void> stand_in_for_missing_tables(SqliteDatabase& database, std::int64_t format);

}  // namespace beleg

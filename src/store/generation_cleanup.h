#pragma once

#include "base/ids.h"
#include "base/result.h"
#include "store/sqlite_database.h"

namespace beleg {

/// Deletes a version with its content and passages. Requires a running write transaction.
Result<void> delete_version(SqliteDatabase& database, VersionId version);

/// Removes every trace of generations after `current`, in short transactions that may be
/// interrupted anywhere: none of it is visible. Requires the writer lock.
Result<void> remove_generations_after(SqliteDatabase& database, Generation current);

/// Deletes the versions that `find` names, a batch at a time. `find` has one parameter ?1, which
/// gets `generation`, and a LIMIT of its own. Requires the writer lock.
Result<void> delete_versions(SqliteDatabase& database, std::string_view find,
                             Generation generation);

}  // namespace beleg

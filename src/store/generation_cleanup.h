#pragma once

#include "base/ids.h"
#include "base/result.h"
#include "store/sqlite_database.h"

namespace beleg {

/// Deletes a version with its content and passages. Requires a running write transaction.
Result<void> delete_version(SqliteDatabase& database, VersionId version);

/// Deletes a document that has no version: one that only the generation being built ever had.
/// Requires a running write transaction.
Result<void> delete_unborn(SqliteDatabase& database, DocumentId document);

/// Makes a document what it is in the parent of `generation`, the one being built. Requires a
/// running write transaction, and that no version waits to be written.
Result<void> unstage_document(SqliteDatabase& database, DocumentId document, Generation generation);

/// Removes every trace of generations after `current`, an unfinished ingest job first, in short
/// transactions that may be interrupted anywhere: none of it is visible. Requires the writer lock.
Result<void> remove_generations_after(SqliteDatabase& database, Generation current);

/// Deletes the versions that `find` names, a batch at a time. `find` has one parameter ?1, which
/// gets `generation`, and a LIMIT of its own. Requires the writer lock.
Result<void> delete_versions(SqliteDatabase& database, std::string_view find,
                             Generation generation);

}  // namespace beleg

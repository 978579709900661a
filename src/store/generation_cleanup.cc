#include "store/generation_cleanup.h"

#include <string_view>
#include <vector>

#include "store/ingest_job.h"

namespace beleg {

Result<void> delete_version(SqliteDatabase& database, VersionId version) {
  for (const std::string_view sql :
       {"DELETE FROM passage WHERE version = ?1", "DELETE FROM content WHERE version = ?1",
        "DELETE FROM version WHERE id = ?1"}) {
    auto remove = TRY(database.prepare(sql));
    remove.bind(version);
    TRY(remove.run());
  }
  return {};
}

Result<void> delete_versions(SqliteDatabase& database, std::string_view find,
                             Generation generation) {
  for (bool more = true; more;) {
    auto transaction = TRY(SqliteTransaction::begin_write(database, Durability::kRelaxed));
    std::vector<VersionId> versions;
    {
      auto row = TRY(database.prepare(find));
      row.bind(generation);
      while (TRY(row.step())) versions.push_back(row.id<VersionId>(0));
    }
    for (const VersionId version : versions) TRY(delete_version(database, version));
    TRY(transaction.commit());
    more = !versions.empty();
  }
  return {};
}

Result<void> delete_unborn(SqliteDatabase& database, DocumentId document) {
  auto unborn =
      TRY(database.prepare("DELETE FROM document WHERE id = ?1"
                           " AND NOT EXISTS (SELECT 1 FROM version WHERE document = ?1)"));
  unborn.bind(document);
  return unborn.run();
}

Result<void> unstage_document(SqliteDatabase& database, DocumentId document,
                              Generation generation) {
  std::vector<VersionId> staged;
  {
    auto find = TRY(
        database.prepare("SELECT id FROM version WHERE document = ?1 AND from_generation = ?2"));
    find.bind(document, generation);
    while (TRY(find.step())) staged.push_back(find.id<VersionId>(0));
  }
  for (const VersionId version : staged) TRY(delete_version(database, version));
  {
    auto restore = TRY(database.prepare(
        "UPDATE version SET to_generation = NULL WHERE document = ?1 AND to_generation = ?2"));
    restore.bind(document, generation);
    TRY(restore.run());
  }
  return delete_unborn(database, document);
}

// One transaction must let go of the write lock well before another process gives up waiting for
// it: hence the limits.
Result<void> remove_generations_after(SqliteDatabase& database, Generation current) {
  {
    // First, so that nobody goes on with a generation that is half removed.
    auto transaction = TRY(SqliteTransaction::begin_write(database, Durability::kRelaxed));
    TRY(clear_ingest_job(database));
    TRY(transaction.commit());
  }
  TRY(delete_versions(database,
                      "SELECT id FROM version INDEXED BY version_from"
                      " WHERE from_generation > ?1 LIMIT 500",
                      current));
  for (const std::string_view sql :
       {"DELETE FROM document WHERE id IN (SELECT id FROM document INDEXED BY document_from"
        " WHERE from_generation > ?1 LIMIT 5000)",
        "UPDATE version SET to_generation = NULL WHERE id IN (SELECT id FROM version"
        " INDEXED BY version_to WHERE to_generation > ?1 LIMIT 5000)",
        "DELETE FROM lexicon WHERE generation > ?1", "DELETE FROM tag WHERE generation > ?1",
        "DELETE FROM generation WHERE number > ?1 AND state = 'building'"}) {
    for (bool more = true; more;) {
      auto transaction = TRY(SqliteTransaction::begin_write(database, Durability::kRelaxed));
      {
        auto remove = TRY(database.prepare(sql));
        remove.bind(current);
        TRY(remove.run());
      }
      more = database.changes() > 0;
      TRY(transaction.commit());
    }
  }
  return {};
}

}  // namespace beleg

#include "store/truth_purge.h"

#include <string>
#include <string_view>

#include "base/clock.h"
#include "store/generation_cleanup.h"
#include "store/ingest_job.h"
#include "store/store_schema.h"
#include "store/truth_reader.h"

namespace beleg {
namespace {

constexpr const char* kTruthName = "truth.db";

/// One statement over all rows. Records of answers may be written meanwhile.
Result<void> run_alone(SqliteDatabase& database, std::string_view sql) {
  auto transaction = TRY(SqliteTransaction::begin_write(database, Durability::kRelaxed));
  {
    auto statement = TRY(database.prepare(sql));
    TRY(statement.run());
  }
  return transaction.commit();
}

}  // namespace

Result<std::unique_ptr<TruthPurge>> TruthPurge::open_to_plan(const std::filesystem::path& folder) {
  return std::unique_ptr<TruthPurge>(new TruthPurge(TRY(open_truth(folder / kTruthName))));
}

Result<std::unique_ptr<TruthPurge>> TruthPurge::open(const std::filesystem::path& folder) {
  auto purge = TRY(open_to_plan(folder));
  SqliteDatabase& database = *purge->database_;
  TRY(database.require_writable());
  purge->lock_.emplace(TRY(FileLock::try_acquire(folder / "writer.lock")));
  TRY(refuse_unfinished_job(database));
  // Deleted rows are overwritten, and compacting a large file does not take as much memory.
  TRY(database.execute("PRAGMA secure_delete = ON; PRAGMA temp_store = FILE;"));
  const GenerationInfo current = TRY(read_current_generation(database));
  TRY(remove_generations_after(database, current.number));
  return purge;
}

Result<PurgeScope> TruthPurge::plan() {
  survey_ = TRY(survey_purge(*database_));
  const DeadRecords records =
      TRY(find_dead_records(*database_, survey_.scope.generation, survey_.remnants));
  survey_.scope.receipts = static_cast<std::int64_t>(records.receipts.size());
  survey_.scope.traces = static_cast<std::int64_t>(records.traces.size());
  return survey_.scope;
}

Result<void> TruthPurge::refuse_tagged() {
  auto tagged = TRY(
      database_->prepare("SELECT name, generation FROM tag WHERE generation > 0 AND generation < ?1"
                         " ORDER BY generation, name"));
  tagged.bind(survey_.scope.generation);
  if (!TRY(tagged.step())) return {};
  const std::string name(tagged.text(0));
  return fail(ErrorCode::kConflict,
              "generation " + std::to_string(tagged.integer(1)) + " has the tag '" + name +
                  "', which promises that it can be read",
              "delete the tag first: `beleg corpus tag --delete " + name + "`");
}

Result<void> TruthPurge::begin() {
  auto transaction = TRY(SqliteTransaction::begin_write(*database_, Durability::kFull));
  TRY(refuse_tagged());
  {
    auto add = TRY(database_->prepare(
        "INSERT INTO purge(created_at, generation, last_version, state, documents, versions)"
        " VALUES(?1, ?2, (SELECT coalesce(max(seq), 0) FROM sqlite_sequence"
        " WHERE name = 'version'), 'begun', ?3, ?4)"));
    const PurgeScope& scope = survey_.scope;
    add.bind(SystemClock().now(), scope.generation, scope.documents, scope.versions);
    TRY(add.run());
  }
  return transaction.commit();
}

Result<void> TruthPurge::erase_rows() {
  TRY(delete_versions(*database_,
                      "SELECT id FROM version INDEXED BY version_to"
                      " WHERE to_generation <= ?1 LIMIT 500",
                      survey_.scope.generation));
  TRY(run_alone(*database_,
                "DELETE FROM document WHERE NOT EXISTS"
                " (SELECT 1 FROM version WHERE version.document = document.id)"));
  // Lexicons hold words of all that was there when they were made.
  TRY(run_alone(*database_, "DELETE FROM lexicon"));
  // Reasons, paths and ids may be those of what goes. The next ingest lists anew what still fails.
  TRY(run_alone(*database_, "DELETE FROM dead_letter"));
  return erase_records();
}

Result<void> TruthPurge::erase_records() {
  // Found anew: answers may have been recorded since the survey. From an erased generation none
  // can come any more.
  const DeadRecords dead =
      TRY(find_dead_records(*database_, survey_.scope.generation, survey_.remnants));
  survey_.scope.receipts = static_cast<std::int64_t>(dead.receipts.size());
  survey_.scope.traces = static_cast<std::int64_t>(dead.traces.size());
  auto transaction = TRY(SqliteTransaction::begin_write(*database_, Durability::kRelaxed));
  {
    auto remove = TRY(database_->prepare("DELETE FROM receipt WHERE sha256 = ?1"));
    for (const std::string& key : dead.receipts) {
      remove.bind(key);
      TRY(remove.run());
    }
  }
  {
    auto remove = TRY(database_->prepare("DELETE FROM trace WHERE sequence = ?1"));
    for (const std::int64_t sequence : dead.traces) {
      remove.bind(sequence);
      TRY(remove.run());
    }
  }
  return transaction.commit();
}

Result<void> TruthPurge::compact() {
  TRY(database_->execute("VACUUM"));
  auto row = TRY(database_->prepare("PRAGMA wal_checkpoint(TRUNCATE)"));
  const bool answered = TRY(row.step());
  if (answered && row.integer(0) == 0) return {};
  return fail(ErrorCode::kConflict,
              "another process reads the corpus, so that its log cannot be emptied",
              "end that process, then run the purge again");
}

Result<void> TruthPurge::finish() {
  auto transaction = TRY(SqliteTransaction::begin_write(*database_, Durability::kFull));
  {
    auto mark = TRY(database_->prepare("UPDATE purge SET state = 'done' WHERE state = 'begun'"));
    TRY(mark.run());
  }
  return transaction.commit();
}

}  // namespace beleg

#include "store/truth_migration.h"

#include <array>
#include <string>

#include "base/file.h"
#include "store/ingest_schema.h"

namespace beleg {
namespace {

/// One thing that a format has and the one before it has not, or the other way round.
struct Step {
  std::int64_t format;     ///< The first format after it.
  const char* statements;  ///< Make it.
  const char* stand_in;    ///< An empty view of its name for who may only read; may be null.
};

// In the order in which they are run. A released entry never changes: files have it.
constexpr std::array kSteps = {
    // A name that a person gave to a generation.
    Step{2,
         "CREATE TABLE tag("
         " name TEXT PRIMARY KEY,"
         " generation INTEGER NOT NULL REFERENCES generation(number),"
         " created_at INTEGER NOT NULL) STRICT",
         "CREATE TEMP VIEW tag AS"
         " SELECT '' AS name, 0 AS generation, 0 AS created_at WHERE 0"},
    // What is learned from the words of a generation.
    Step{2,
         "CREATE TABLE lexicon("
         " generation INTEGER PRIMARY KEY REFERENCES generation(number),"
         " bytes BLOB NOT NULL) STRICT",
         "CREATE TEMP VIEW lexicon AS SELECT 0 AS generation, x'' AS bytes WHERE 0"},
    // What was erased for good: nothing before `generation` can be read any more.
    Step{2,
         "CREATE TABLE purge("
         " sequence INTEGER PRIMARY KEY,"
         " created_at INTEGER NOT NULL,"
         " generation INTEGER NOT NULL REFERENCES generation(number),"
         " last_version INTEGER NOT NULL,"
         " state TEXT NOT NULL CHECK(state IN ('begun', 'done')),"
         " documents INTEGER NOT NULL,"
         " versions INTEGER NOT NULL) STRICT",
         "CREATE TEMP VIEW purge AS SELECT 0 AS sequence, 0 AS created_at, 0 AS generation,"
         " 0 AS last_version, '' AS state, 0 AS documents, 0 AS versions WHERE 0"},
    // The ingest that is unfinished.
    Step{2, kIngestJobTable, kIngestJobStandIn},
    Step{2, kIngestJobParts, nullptr},
    // Inputs that could not be read. The list of before did not say how they were found; the next
    // ingest of their folder notes them anew.
    Step{2, kDeadLetterTable, kDeadLetterStandIn},
    Step{2, "DROP TABLE IF EXISTS failure", nullptr},
};

}  // namespace

Result<void> run_migration_steps(SqliteDatabase& database, std::int64_t from) {
  for (const Step& step : kSteps) {
    if (step.format > from) TRY(database.execute(step.statements));
  }
  return database.execute(("PRAGMA user_version = " + std::to_string(kTruthFormat)).c_str());
}

Result<void> migrate_truth(SqliteDatabase& database) {
  auto transaction = TRY(SqliteTransaction::begin_write(database, Durability::kFull));
  const std::int64_t format = TRY(database.query_integer("PRAGMA user_version"));
  if (format >= kTruthFormat) return {};
  if (auto run = run_migration_steps(database, format); !run) {
    return std::unexpected(run.error().with_context("cannot bring the corpus from format " +
                                                    std::to_string(format) + " to format " +
                                                    std::to_string(kTruthFormat)));
  }
  return transaction.commit();
}

Result<void> stand_in_for_missing_tables(SqliteDatabase& database, std::int64_t format) {
  for (const Step& step : kSteps) {
    if (step.format > format && step.stand_in != nullptr) {
      TRY(database.execute(step.stand_in));
    }
  }
  return {};
}

}  // namespace beleg

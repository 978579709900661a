#include "store/store_schema.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string>
#include <system_error>

#include "base/clock.h"
#include "base/file.h"
#include "store/truth_migration.h"

namespace beleg {
namespace {

// What format 1 had and is still there; what came later is in truth_migration.cc, and run after it.
// So a new file and one that was brought up to date are the same.
//
// Every column that answers depend on hangs on a version, none on the document alone: undoing a
// generation must bring back all of it. Long texts stand apart, so that listings walk short rows.
constexpr const char* kFirstTables = R"sql(
CREATE TABLE generation(
  number INTEGER PRIMARY KEY CHECK(number >= 0),
  parent INTEGER REFERENCES generation(number) CHECK(parent < number),
  created_at INTEGER NOT NULL,
  state TEXT NOT NULL CHECK(state IN ('building', 'committed', 'rolled_back')),
  stats TEXT NOT NULL
) STRICT;

CREATE TABLE corpus(
  id INTEGER PRIMARY KEY CHECK(id = 1),
  current_generation INTEGER NOT NULL REFERENCES generation(number),
  next_generation INTEGER NOT NULL CHECK(next_generation > current_generation)
) STRICT;

CREATE TABLE document(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  source TEXT NOT NULL,
  external_id TEXT NOT NULL,
  from_generation INTEGER NOT NULL REFERENCES generation(number),
  UNIQUE(source, external_id)
) STRICT;
CREATE INDEX document_from ON document(from_generation);

CREATE TABLE version(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  document INTEGER NOT NULL REFERENCES document(id),
  from_generation INTEGER NOT NULL REFERENCES generation(number),
  to_generation INTEGER REFERENCES generation(number) CHECK(to_generation > from_generation),
  content_hash BLOB NOT NULL CHECK(length(content_hash) = 32),
  origin TEXT NOT NULL,
  story TEXT NOT NULL,
  published INTEGER,
  language TEXT NOT NULL,
  UNIQUE(document, from_generation)
) STRICT;
CREATE UNIQUE INDEX version_head ON version(document) WHERE to_generation IS NULL;
CREATE INDEX version_from ON version(from_generation);
CREATE INDEX version_to ON version(to_generation) WHERE to_generation IS NOT NULL;
CREATE INDEX version_story ON version(story);

CREATE TABLE content(
  version INTEGER PRIMARY KEY REFERENCES version(id),
  meta TEXT NOT NULL,
  encoding TEXT NOT NULL,
  replacements INTEGER NOT NULL CHECK(replacements BETWEEN 0 AND 4294967295),
  warnings TEXT NOT NULL,
  blocks TEXT NOT NULL,
  text TEXT NOT NULL
) STRICT;

CREATE TABLE passage(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  version INTEGER NOT NULL REFERENCES version(id),
  ordinal INTEGER NOT NULL CHECK(ordinal BETWEEN 0 AND 4294967295),
  start_code_point INTEGER NOT NULL CHECK(start_code_point >= 0),
  end_code_point INTEGER NOT NULL CHECK(end_code_point BETWEEN start_code_point AND 4294967295),
  start_byte INTEGER NOT NULL CHECK(start_byte >= 0),
  end_byte INTEGER NOT NULL CHECK(end_byte BETWEEN start_byte AND 4294967295),
  page INTEGER NOT NULL CHECK(page BETWEEN 0 AND 4294967295),
  heading_path TEXT NOT NULL,
  embedding_key BLOB NOT NULL CHECK(length(embedding_key) = 32),
  UNIQUE(version, ordinal)
) STRICT;

CREATE TABLE receipt(
  sha256 TEXT NOT NULL PRIMARY KEY CHECK(length(sha256) = 64),
  created_at INTEGER NOT NULL,
  json TEXT NOT NULL
) STRICT;

CREATE TABLE trace(
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  json TEXT NOT NULL
) STRICT;
)sql";

Result<void> write_schema(SqliteDatabase& database) {
  TRY(database.execute("PRAGMA page_size = 8192; PRAGMA journal_mode = WAL;"));
  auto transaction = TRY(SqliteTransaction::begin_write(database, Durability::kFull));
  TRY(database.execute(kFirstTables));
  {
    auto root =
        TRY(database.prepare("INSERT INTO generation(number, parent, created_at, state, stats) "
                             "VALUES(0, NULL, ?1, 'committed', '{}')"));
    root.bind(SystemClock().now());
    TRY(root.run());
  }
  TRY(database.execute(
      "INSERT INTO corpus(id, current_generation, next_generation) VALUES(1, 0, 1)"));
  const std::string mark = "PRAGMA application_id = " + std::to_string(kTruthApplicationId);
  TRY(database.execute(mark.c_str()));
  TRY(run_migration_steps(database, 1));
  return transaction.commit();
}

void remove_database(const std::filesystem::path& file) {
  std::error_code ignored;
  for (const char* suffix : {"", "-wal", "-shm"}) {
    std::filesystem::path part = file;
    part += suffix;
    std::filesystem::remove(part, ignored);
  }
}

}  // namespace

Result<std::unique_ptr<SqliteDatabase>> open_truth(const std::filesystem::path& file) {
  auto database = TRY(SqliteDatabase::open(file, SqliteDatabase::Mode::kOpen));
  const std::int64_t application = TRY(database->query_integer("PRAGMA application_id"));
  if (application != kTruthApplicationId) {
    return fail(ErrorCode::kCorrupt, printable_path(file) + " is not the database of a corpus",
                "check the path of the corpus, or restore its folder from a backup");
  }
  const std::int64_t format = TRY(database->query_integer("PRAGMA user_version"));
  if (format > kTruthFormat) {
    return fail(ErrorCode::kUnsupported,
                printable_path(file) + " has format " + std::to_string(format) +
                    ", written by a newer Beleg; this one reads up to format " +
                    std::to_string(kTruthFormat),
                "update Beleg");
  }
  if (format < 1) {
    return fail(ErrorCode::kCorrupt,
                printable_path(file) + " has format " + std::to_string(format) +
                    ", which no Beleg has written",
                "restore the corpus folder from a backup");
  }
  if (format < kTruthFormat) {
    if (database->read_only()) {
      TRY(stand_in_for_missing_tables(*database, format));
    } else {
      TRY(migrate_truth(*database));
    }
  }
  return database;
}

Result<void> create_truth(const std::filesystem::path& file) {
  static std::atomic<unsigned> counter{0};
  std::filesystem::path temporary = file;
  temporary += ".tmp." + std::to_string(::getpid()) + "." + std::to_string(counter++);
  remove_database(temporary);
  {
    auto database = SqliteDatabase::open(temporary, SqliteDatabase::Mode::kCreate);
    Result<void> written;
    if (database) {
      written = write_schema(**database);
    } else {
      written = std::unexpected(database.error());
    }
    if (!written) {
      database = std::unexpected(written.error());  // Closes the file before it is removed.
      remove_database(temporary);
      return std::unexpected(written.error().with_context("cannot create the corpus"));
    }
  }
  // Closing moved everything from the log into the file; it stands alone now.
  auto flushed = sync_file(temporary);
  // link() fails where the name is taken: of two creators one wins, and both use its file.
  if (flushed && ::link(temporary.c_str(), file.c_str()) != 0 && errno != EEXIST) {
    flushed = fail(
        ErrorCode::kIo,
        "cannot create " + printable_path(file) + ": " + std::generic_category().message(errno),
        "check that the file system of the corpus folder is writable");
  }
  remove_database(temporary);
  TRY(std::move(flushed));
  return sync_directory(file.has_parent_path() ? file.parent_path() : ".");
}

}  // namespace beleg

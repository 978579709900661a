#pragma once

namespace beleg {

// CREATE statements of the tables of the unfinished ingest and of inputs that failed; part of truth
// format 2. docs/formats/truth.md describes them.
//
// The tables of the job hang on nothing of the rest: clearing them is what makes an unfinished
// generation rubbish, and must be possible whatever is left of it.
inline constexpr const char* kIngestJobTable = R"sql(
CREATE TABLE ingest_job(
  id INTEGER PRIMARY KEY CHECK(id = 1),
  generation INTEGER NOT NULL,
  parent INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  request TEXT NOT NULL,
  files_done INTEGER NOT NULL CHECK(files_done >= 0),
  files_total INTEGER NOT NULL CHECK(files_total >= 0)
) STRICT;
)sql";

/// For kIngestJobTable: files and documents of the job.
inline constexpr const char* kIngestJobParts = R"sql(
CREATE TABLE ingest_job_file(
  id INTEGER PRIMARY KEY,
  root INTEGER NOT NULL CHECK(root >= 0),
  source TEXT NOT NULL,
  path TEXT NOT NULL,
  sha256 TEXT NOT NULL CHECK(length(sha256) IN (0, 64)),
  record INTEGER NOT NULL CHECK(record >= 0),
  done INTEGER NOT NULL CHECK(done IN (0, 1)),
  progress TEXT NOT NULL,
  UNIQUE(root, path)
) STRICT;

CREATE TABLE ingest_job_document(
  file INTEGER NOT NULL,
  external_id TEXT NOT NULL,
  staged INTEGER NOT NULL CHECK(staged IN (0, 1)),
  PRIMARY KEY(file, external_id)
) STRICT, WITHOUT ROWID;
)sql";

inline constexpr const char* kDeadLetterTable = R"sql(
CREATE TABLE dead_letter(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  source TEXT NOT NULL,
  path TEXT NOT NULL,
  record INTEGER NOT NULL CHECK(record >= 0),
  root TEXT NOT NULL,
  external_id TEXT NOT NULL,
  code TEXT NOT NULL,
  reason TEXT NOT NULL,
  remedy TEXT NOT NULL,
  attempts INTEGER NOT NULL CHECK(attempts >= 1),
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  more INTEGER NOT NULL CHECK(more >= 0)
) STRICT;
CREATE INDEX dead_letter_input ON dead_letter(source, path);
)sql";

// Empty views of the names that are read when no job is being built.

inline constexpr const char* kIngestJobStandIn = R"sql(
CREATE TEMP VIEW ingest_job AS SELECT 0 AS generation, 0 AS parent, 0 AS started_at,
  0 AS updated_at, '' AS request, 0 AS files_done, 0 AS files_total WHERE 0
)sql";

inline constexpr const char* kDeadLetterStandIn = R"sql(
CREATE TEMP VIEW dead_letter AS SELECT 0 AS id, '' AS source, '' AS path, 0 AS record, '' AS root,
  '' AS external_id, '' AS code, '' AS reason, '' AS remedy, 0 AS attempts, 0 AS first_at,
  0 AS last_at, 0 AS generation, 0 AS more WHERE 0
)sql";

}  // namespace beleg

#pragma once

namespace beleg {

// CREATE statements of the tables of the unfinished ingest and of inputs that failed; part of truth
// format 2. docs/formats/truth.md describes them.

extern const char kIngestJobTable[];
/// For kIngestJobTable: files and documents of the job.
extern const char kIngestJobParts[];
extern const char kDeadLetterTable[];

// Empty views of the names that are read without a job being built.

extern const char kIngestJobStandIn[];
extern const char kDeadLetterStandIn[];

}  // namespace beleg

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "ingest/file_report.h"
#include "ingest/ingest_root.h"
#include "store/ingest_job.h"

namespace beleg {

/// A file of an interrupted ingest that need not be read again, or not from its beginning.
struct ResumedFile {
  JobFile file;
  FileProgress progress;
};

/// What of an interrupted ingest still holds.
struct Resumption {
  /// By root and path.
  std::map<std::pair<std::uint32_t, std::string>, ResumedFile> files;
  std::vector<JobDocument> documents;  ///< Of these files.
  std::size_t done = 0;                ///< Files that are done …
  std::size_t forgotten = 0;           ///< … and those that changed since, or are gone.
  std::int64_t next_file_id = 1;
};

/// Compares the files of the resumed job with those on the disk, by the hash of their bytes: what
/// changed or is gone is taken back, and with it files whose ids were in conflict with others,
/// since that may be settled now. Requires that the job was resumed.
Result<Resumption> verify_resumed_files(IngestJobs& jobs, const std::vector<IngestRoot>& roots);

}  // namespace beleg

#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "base/file.h"
#include "base/result.h"
#include "store/purge_survey.h"
#include "store/sqlite_database.h"

namespace beleg {

/// Erases from a truth what is not visible in its current generation. The steps are called in the
/// order in which they stand here; after a kill anywhere all of them are run again by the next
/// purge, and what is visible never changes. Holds the writer lock. Used by one thread.
class TruthPurge {
 public:
  /// For `plan()` alone: takes no lock and writes nothing.
  static Result<std::unique_ptr<TruthPurge>> open_to_plan(const std::filesystem::path& folder);
  /// Takes the writer lock (kConflict when another process has it, or an ingest job is unfinished)
  /// and removes what a killed writer left.
  static Result<std::unique_ptr<TruthPurge>> open(const std::filesystem::path& folder);

  /// Surveys everything, records of answers included.
  Result<PurgeScope> plan();
  [[nodiscard]] const PurgeSurvey& survey() const { return survey_; }

  /// From here on no generation before the current one can be read, and no answer from one be
  /// recorded. Durable. kConflict where a tag names one of them.
  Result<void> begin();
  /// Deletes the rows, overwriting them with zeros.
  Result<void> erase_rows();
  /// Writes the file anew without free pages, and empties the log. kConflict when another process
  /// reads for so long that it cannot be emptied.
  Result<void> compact();
  /// Notes that the purge came to its end.
  Result<void> finish();

 private:
  explicit TruthPurge(std::unique_ptr<SqliteDatabase> database) : database_(std::move(database)) {}
  Result<void> refuse_tagged();
  Result<void> erase_records();

  std::unique_ptr<SqliteDatabase> database_;
  std::optional<FileLock> lock_;
  PurgeSurvey survey_;
};

}  // namespace beleg

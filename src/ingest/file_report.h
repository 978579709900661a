#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/dead_letters.h"

namespace beleg {

/// What became of one file.
enum class FileOutcome : std::uint8_t {
  kAdded,
  kChanged,
  kUnchanged,
  kRemoved,
  kFailed,   ///< Nothing of it could be read; what the corpus had of it stays.
  kPartial,  ///< Some of its records could not be read, or bytes had to be replaced.
};
[[nodiscard]] std::string_view file_outcome_name(FileOutcome outcome);

/// Failing records and warnings of one file that are listed; further ones are counted.
inline constexpr std::size_t kListedFailures = 1000;
inline constexpr std::size_t kListedWarnings = 100;

struct FileReport {
  std::filesystem::path path;
  FileOutcome outcome = FileOutcome::kUnchanged;
  std::string reason;  ///< One line; empty when all is well.
  std::size_t documents = 0;
  std::size_t passages = 0;
  std::string encoding;
  std::vector<std::string>
      warnings;          ///< The first kListedWarnings, and a line with the number of others.
  bool resumed = false;  ///< It was read before the ingest was interrupted.
};

/// What is known of a file while it is read; kept with the job, so that reading can go on.
struct FileProgress {
  FileReport report;                 ///< `outcome` and `reason` are set by conclude().
  std::vector<DeadLetter> failures;  ///< The first kListedFailures.
  std::size_t failed_records = 0;
  std::size_t added = 0;  ///< Documents, as the next two.
  std::size_t changed = 0;
  std::size_t unchanged = 0;
  std::size_t warnings = 0;  ///< All of them.
  std::uint64_t replacements = 0;
  bool conflict = false;    ///< An id was that of another file: depends on what that one holds.
  bool incomplete = false;  ///< What the corpus has of it must stay.

  /// Notes a record that could not be read; `record` is 0 for the file as a whole.
  void note_failure(std::uint64_t record, std::string_view external_id, const Error& error);
  void note_warnings(const std::vector<std::string>& lines);
  /// Sets outcome and reason once the file has been read.
  void conclude();
};

/// For the record of the job. The path is not part of it.
[[nodiscard]] std::string progress_to_json(const FileProgress& progress);
/// kCorrupt when `json` is anything else.
Result<FileProgress> progress_from_json(std::string_view json);

}  // namespace beleg

#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "ingest/file_report.h"
#include "ingest/ingest_request.h"
#include "model/encoder.h"
#include "settings/settings.h"
#include "store/corpus_store.h"

namespace beleg {

struct IngestRequest {
  IngestMode mode = IngestMode::kPaths;
  std::vector<std::filesystem::path> paths;  ///< Of mode kPaths.
  bool restart = false;                      ///< Discards an unfinished ingest in any case.
};

/// An interrupted ingest that this run went on with.
struct ResumedIngest {
  UnixSeconds interrupted_at = 0;  ///< Its last checkpoint.
  std::size_t files_done = 0;      ///< When it was interrupted.
  std::size_t files_total = 0;     ///< Of this run.
  std::size_t read_again = 0;      ///< Files that it had begun, and that changed since.
};

struct IngestSummary {
  std::optional<GenerationInfo> generation;  ///< Absent when nothing changed.
  std::optional<ResumedIngest> resumed;
  bool interrupted = false;  ///< It was asked to stop; the same run again resumes it.
  std::size_t files_done = 0;
  std::size_t files_total = 0;
  std::size_t files = 0;  ///< Reported, also those done before an interruption.
  std::size_t added = 0;  ///< Documents, as the next three.
  std::size_t changed = 0;
  std::size_t unchanged = 0;
  std::size_t removed = 0;
  std::size_t failed_files = 0;
  std::size_t partial_files = 0;
  std::size_t ignored_files = 0;  ///< Of kinds that no reader knows, and hidden ones.
  std::size_t passages = 0;       ///< Of added and changed documents.
  std::size_t encoded = 0;        ///< Passages that this run had to encode …
  std::size_t reused = 0;         ///< … and those it staged whose vectors were there already.
  std::size_t warnings = 0;
  double wall_ms = 0;
  double cpu_ms = 0;
};

struct IngestProgress {
  std::size_t files_done = 0;
  std::size_t files_total = 0;
  std::size_t passages = 0;
  double wall_ms = 0;
};

/// Told what happens, on the calling thread.
struct IngestObserver {
  std::function<void(const FileReport&)> on_file;
  std::function<void(const IngestProgress&)> on_progress;
  /// One line each: that an interrupted ingest is resumed or discarded.
  std::function<void(const std::string&)> on_note;
  /// Asked after every document; true ends the run there, with a checkpoint.
  std::function<bool()> stop_requested;
};

/// Brings the corpus to the state of the given files and folders: new and changed documents are
/// read, cut, encoded and committed as one generation; what is gone from a given folder is removed.
/// A file that cannot be read is reported, gets a dead letter, and changes nothing.
///
/// With mode kRetryFailed the inputs of the dead letters are read instead, and nothing is removed.
///
/// An interrupted run leaves the corpus as it was, and a job with its last checkpoint. The same
/// run again (mode, paths, settings that matter, encoder) resumes it: files whose bytes are the
/// same are not read again. Another run discards it.
///
/// Errors concern the run as a whole: kNotFound for a path that does not exist, kConflict when
/// another process is writing, kIo for a full disk. Per-file errors go to the observer.
Result<IngestSummary> ingest_paths(CorpusStore& store, const IngestRequest& request,
                                   const Encoder& encoder, const Settings& settings,
                                   const IngestObserver& observer);

/// Whether questions encoded by `encoder` can be compared with what the generation holds. Errors:
/// kConflict naming both models when it was encoded by another one.
Result<void> check_encoder(const GenerationInfo& generation, const Encoder& encoder);

/// "1,230 of 4,000 files were done".
[[nodiscard]] std::string progress_phrase(std::uint64_t files_done, std::uint64_t files_total);

}  // namespace beleg

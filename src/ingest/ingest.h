#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/encoder.h"
#include "settings/settings.h"
#include "store/corpus_store.h"

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

struct FileReport {
  std::filesystem::path path;
  FileOutcome outcome = FileOutcome::kUnchanged;
  std::string reason;  ///< One line; empty when all is well.
  std::size_t documents = 0;
  std::size_t passages = 0;
  std::string encoding;
  std::vector<std::string> warnings;
};

struct IngestSummary {
  std::optional<GenerationInfo> generation;  ///< Absent when nothing changed.
  std::size_t files = 0;
  std::size_t added = 0;  ///< Documents, as the next three.
  std::size_t changed = 0;
  std::size_t unchanged = 0;
  std::size_t removed = 0;
  std::size_t failed_files = 0;
  std::size_t partial_files = 0;
  std::size_t ignored_files = 0;  ///< Of kinds that no reader knows, and hidden ones.
  std::size_t passages = 0;       ///< Of added and changed documents.
  std::size_t encoded = 0;        ///< Passages that had to be encoded …
  std::size_t reused = 0;         ///< … and those whose vectors were there already.
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
};

/// Brings the corpus to the state of the given files and folders: new and changed documents are
/// read, cut, encoded and committed as one generation; what is gone from a given folder is removed.
/// A file that cannot be read is reported and changes nothing. An interrupted run leaves the corpus
/// as it was; the next run finds the vectors that were already computed.
///
/// Errors concern the run as a whole: kNotFound for a path that does not exist, kConflict when
/// another process is writing, kIo for a full disk. Per-file errors go to the observer.
Result<IngestSummary> ingest_paths(CorpusStore& store,
                                   const std::vector<std::filesystem::path>& paths,
                                   const Encoder& encoder, const Settings& settings,
                                   const IngestObserver& observer);

/// Whether questions encoded by `encoder` can be compared with what the generation holds. Errors:
/// kConflict naming both models when it was encoded by another one.
Result<void> check_encoder(const GenerationInfo& generation, const Encoder& encoder);

}  // namespace beleg

#pragma once

#include <cstdint>

#include "base/clock.h"
#include "base/result.h"
#include "store/corpus_store.h"
#include "store/ingest_job.h"

namespace beleg {

/// Collects what came about since the last checkpoint of the job, and writes it in time: about once
/// a second, and whenever a batch of staged versions is full.
class Checkpointer {
 public:
  static constexpr double kIntervalMs = 1000;
  /// Documents between two checkpoints at most: bounds memory.
  static constexpr std::size_t kMaxDocuments = 8192;

  explicit Checkpointer(IngestJobs& jobs) : jobs_(jobs) {}

  void add_document(JobDocument document) { next_.documents.push_back(std::move(document)); }
  /// A file that is done, or as far as it has been read.
  void add_file(JobFile file) { next_.files.push_back(std::move(file)); }
  void add_failures(InputFailures failures) { next_.failures.push_back(std::move(failures)); }

  /// True when write() must be called before the next document.
  [[nodiscard]] bool is_due() const;
  Result<void> write(std::uint64_t files_done);
  /// False as long as nothing of the job would be lost with the process.
  [[nodiscard]] bool has_written() const { return has_written_; }

 private:
  IngestJobs& jobs_;
  JobCheckpoint next_;
  Stopwatch watch_;
  double written_ms_ = 0;
  bool has_written_ = false;
};

}  // namespace beleg

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "base/result.h"
#include "store/corpus_store.h"
#include "store/dead_letters.h"
#include "store/generation_writer.h"
#include "store/sqlite_database.h"

namespace beleg {

/// An ingest that has begun and not ended: it runs now, or was interrupted.
struct IngestJob {
  Generation generation{};  ///< Under construction.
  Generation parent{};      ///< Current when it was begun.
  UnixSeconds started_at = 0;
  UnixSeconds updated_at = 0;  ///< Of the newest checkpoint.
  std::string request;         ///< JSON of the ingest: what makes two runs the same job.
  std::uint64_t files_done = 0;
  std::uint64_t files_total = 0;
};

/// What the job has of one file. `progress` is the ingest's own record of it.
struct JobFile {
  std::int64_t id = 0;     ///< Chosen by the ingest, unique within the job.
  std::uint32_t root = 0;  ///< Which of the given paths it was found below.
  std::string source;
  std::string path;          ///< Raw bytes.
  std::string sha256;        ///< Of the file's bytes, hexadecimal; empty: must be read again.
  std::uint64_t record = 0;  ///< Last record taken; 0 for a file that is one document.
  bool done = false;
  std::string progress;
};

/// A document that was met in a file of the job.
struct JobDocument {
  std::int64_t file = 0;
  std::string external_id;
  bool staged = false;  ///< The unfinished generation has a version of it.
};

/// What came about since the last checkpoint. Written with the staged versions in one transaction,
/// so that the position of the job and its documents never disagree.
struct JobCheckpoint {
  std::vector<JobFile> files;  ///< Replace rows of the same root and path.
  std::vector<JobDocument> documents;
  std::vector<InputFailures> failures;
  std::uint64_t files_done = 0;
};

/// The unfinished ingest of a corpus: at most one. What it staged is never visible, and stays when
/// the process ends, until it is committed or discarded. While there is one, CorpusStore::begin()
/// is refused. Same threads as its CorpusStore.
class IngestJobs {
 public:
  /// Both must outlive it.
  IngestJobs(SqliteDatabase& database, GenerationWriter& writer)
      : database_(database), writer_(writer) {}

  Result<std::optional<IngestJob>> unfinished();

  /// Takes the writer lock, discards what is unfinished, begins a generation and its job.
  Result<Generation> begin(std::string_view request, std::uint64_t files_total);
  /// Takes the writer lock and goes on with the unfinished generation, without the removals and the
  /// lexicon that it had staged: those come last. kNotFound when there is none any more, kConflict
  /// when its parent is not the current generation.
  Result<IngestJob> resume(std::uint64_t files_total);
  /// Discards the unfinished generation, unless this object builds it. kNotFound when there is
  /// none.
  Result<IngestJob> discard();

  Result<std::vector<JobFile>> files();
  Result<std::vector<JobDocument>> documents();
  /// Documents with a version in the generation being built.
  Result<std::vector<DocumentId>> staged_documents();
  /// True when the generation being built differs from its parent.
  Result<bool> changed_anything();

  /// Takes back what was staged of a file: its documents are as in the parent generation.
  Result<void> forget_file(const JobFile& file);
  Result<void> checkpoint(const JobCheckpoint& checkpoint);
  /// True when a checkpoint must come before the next document: the staged versions would else be
  /// written without the position.
  [[nodiscard]] bool batch_is_full() const { return writer_.batch_is_full(); }
  /// Lets go of the lock; what the last checkpoint wrote stays.
  Result<void> suspend() { return writer_.suspend(); }
  /// Makes the generation current, and with it drops the letters of what was read without failing,
  /// those of `gone`, and the job: one transaction.
  Result<GenerationInfo> commit(std::string_view stats_json, const std::vector<std::int64_t>& gone);
  /// The end of a job that changed nothing: the same without a generation.
  Result<void> finish_unchanged(const std::vector<std::int64_t>& gone);

 private:
  Result<Generation> building() const;
  Result<void> settle(Generation generation, const std::vector<std::int64_t>& gone);
  Result<void> write_file(const JobFile& file);
  /// Up to some hundred documents of a file; false when none was left.
  Result<bool> unstage_some(std::int64_t file, Generation generation);

  SqliteDatabase& database_;
  GenerationWriter& writer_;
};

/// The job row of a truth, if there is one.
Result<std::optional<IngestJob>> read_ingest_job(SqliteDatabase& database);
/// kConflict, with how far it came, when an ingest is unfinished. For a writer that holds the lock
/// and would discard it.
Result<void> refuse_unfinished_job(SqliteDatabase& database);
/// Removes the record of the job, and with it what makes its generation worth keeping. Inside the
/// caller's transaction.
Result<void> clear_ingest_job(SqliteDatabase& database);

}  // namespace beleg

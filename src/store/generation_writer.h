#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/ids.h"
#include "base/result.h"
#include "store/corpus_store.h"
#include "store/sqlite_database.h"

namespace beleg {

/// Builds and undoes generations of one truth; holds the corpus' writer lock meanwhile.
///
/// Staged versions wait in memory and are written in batches of kBatchBytes, each in one short
/// transaction: writing page by page what fits on the same pages is many times faster, and the
/// database's write lock is never held while the caller encodes the next document, so that answers
/// can record their receipts during an ingest. What a killed writer staged is thrown away by the
/// next one, unless it belongs to an ingest job (store/ingest_job.h), whose checkpoints stay.
class GenerationWriter {
 public:
  static constexpr std::size_t kBatchBytes = std::size_t{4} << 20U;

  /// `database` and the folder of the corpus; the database must outlive the writer.
  GenerationWriter(SqliteDatabase& database, std::filesystem::path folder)
      : database_(database), folder_(std::move(folder)) {}
  ~GenerationWriter();
  GenerationWriter(const GenerationWriter&) = delete;
  GenerationWriter& operator=(const GenerationWriter&) = delete;

  /// Statements to be run within a transaction of the writer.
  using Statements = std::function<Result<void>()>;
  /// The same, told which generation is begun upon which.
  using JobStart = std::function<Result<void>(Generation generation, Generation parent)>;

  /// kConflict while an ingest job is unfinished.
  Result<Generation> begin();
  /// Discards what is unfinished and begins a generation that survives the end of the process.
  /// `write_job` runs in the transaction that enters the generation.
  Result<Generation> begin_job(const JobStart& write_job);
  /// Takes the lock and goes on with the generation that `find_job` names, in a transaction.
  Result<void> resume_job(const std::function<Result<Generation>()>& find_job);
  Result<VersionId> stage_version(std::string_view source, std::string_view external_id,
                                  std::string_view origin, const ParsedDocument& content,
                                  const std::vector<Passage>& passages,
                                  const std::vector<Sha256>& embedding_keys);
  Result<void> stage_removal(DocumentId document);
  Result<void> put_lexicon(std::string_view bytes);
  /// Writes what waits in memory. After an error it still waits: flush again or abandon.
  Result<void> flush();
  /// The same, with further statements in the same transaction, which is made in any case.
  Result<void> flush_with(const Statements& also);
  /// True when what waits in memory is a whole batch: the next stage_version() writes it.
  [[nodiscard]] bool batch_is_full() const { return staged_bytes_ >= kBatchBytes; }
  /// `also`, when given, runs in the transaction that makes the generation current.
  Result<GenerationInfo> commit(std::string_view stats_json, const Statements& also = {});
  Result<void> abandon();
  /// Drops what waits in memory and lets go of the lock; what was written of a job stays.
  Result<void> suspend();
  /// Removes everything uncommitted, a job too. Takes the lock meanwhile.
  Result<void> discard();
  /// Without a target to the parent of the current generation. A job goes, too.
  Result<GenerationInfo> rollback(std::optional<Generation> target);

  /// The generation being built; empty when none is.
  [[nodiscard]] std::optional<Generation> building() const;

 private:
  struct StagedPassage {
    Passage passage;  // The heading path is in `heading_path` instead.
    std::string heading_path;
    Sha256 embedding_key;
  };
  struct StagedVersion {
    VersionId id{};
    std::string source;
    std::string external_id;
    std::string origin;
    Sha256 content_hash;
    std::string story;
    std::optional<std::int64_t> published;
    std::string language;
    std::string meta;
    std::string encoding;
    std::uint32_t replacements = 0;
    std::string warnings;
    std::string blocks;
    std::string text;
    std::vector<StagedPassage> passages;
    [[nodiscard]] std::size_t bytes() const;
  };
  struct Building {
    FileLock lock;
    Generation number{};
    std::int64_t last_version = 0;  // Highest version id given out so far.
    bool is_job = false;            // It outlives this process.
  };

  Result<Building*> require_building();
  Result<FileLock> lock_corpus() const;
  /// Of a job when there is something that writes it.
  Result<Generation> enter_generation(FileLock lock, const JobStart& write_job);
  Result<std::int64_t> last_version_id();
  Result<void> write(const StagedVersion& staged, Generation generation);
  Result<void> write_passages(const StagedVersion& staged);
  Result<DocumentId> find_or_add_document(const StagedVersion& staged, Generation generation);
  Result<bool> end_head(DocumentId document, Generation generation);
  Result<void> check_rollback(Generation newest, Generation target);

  SqliteDatabase& database_;
  std::filesystem::path folder_;
  std::optional<Building> building_;
  std::vector<StagedVersion> staged_;
  std::size_t staged_bytes_ = 0;
};

}  // namespace beleg

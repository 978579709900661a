#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "ingest/checkpointer.h"
#include "ingest/document_ledger.h"
#include "ingest/embedder.h"
#include "ingest/free_space.h"
#include "ingest/ingest.h"
#include "ingest/ingest_root.h"
#include "ingest/resumption.h"
#include "passage/chunker.h"

namespace beleg {

/// What an ingest works with; all of it must outlive the run.
struct IngestContext {
  CorpusStore& store;
  EmbeddingPack& pack;
  const Encoder& encoder;
  const Settings& settings;
  const IngestObserver& observer;
  const std::vector<IngestRoot>& roots;
  IngestMode mode = IngestMode::kPaths;
};

/// One run of an ingest job: stages what the files hold, with checkpoints on the way.
class IngestRun {
 public:
  /// `recut_all`: what the corpus has was cut by other settings or encoded by another encoder.
  IngestRun(const IngestContext& context, bool recut_all);

  /// The documents of the generation that is built upon. `passages` of it, for the room they need.
  Result<void> load_parent(Generation parent, std::uint64_t passages);
  /// Takes over what an interrupted run had done. After load_parent().
  Result<void> adopt(Resumption resumption);
  /// Encodes what the pack lacks of `present`, the parent or what an interrupted run staged upon
  /// it: a lost or damaged pack is made whole, and so is one that an interrupted run left behind
  /// its checkpoint. True when vectors of the parent were made: those stand at new places of the
  /// pack, and the indexes, which name the old ones, were removed before.
  Result<bool> restore_vectors(Generation parent, Generation present);
  /// Reads all files. False when it was asked to stop: the rest is for a later run.
  Result<bool> read_files();
  /// Stages the removal of what is gone from the folders. For a run over whole folders.
  Result<void> remove_missing();
  /// Cuts anew what no file brought, when everything must be.
  Result<void> recut_unseen();
  /// Encodes what is waiting and writes the last checkpoint.
  Result<void> finish();

  [[nodiscard]] bool has_checkpoint() const { return resumed_ || checkpointer_.has_written(); }
  [[nodiscard]] std::size_t files_done() const { return files_done_; }
  /// With what the embedder has counted so far.
  IngestSummary& summary();

 private:
  struct Place {
    const IngestRoot* root;
    std::uint32_t root_number;
    const FoundFile* file;
  };
  /// A file while it is read.
  struct Reading {
    std::size_t place = 0;
    JobFile file;
    FileProgress progress;
    bool stopped = false;
    Result<void> fatal;
  };

  [[nodiscard]] bool must_stop() const;
  Result<void> report_problems();
  Reading begin_reading(std::size_t place);
  /// False when it was asked to stop within the file.
  Result<bool> read_file(std::size_t place);
  /// Takes what a reader gave; false ends the reading.
  bool take_record(Reading& reading, std::uint64_t record, Result<ParsedDocument> document);
  Result<void> take_document(Reading& reading, const ParsedDocument& document);
  Result<std::size_t> stage(std::string_view source, std::string_view id, std::string_view origin,
                            const ParsedDocument& document);
  Result<void> checkpoint_within(const Reading& reading);
  /// Writes what has come about, if there is room for what follows.
  Result<void> write_checkpoint();
  void conclude(Reading& reading);
  void count(const FileProgress& progress);
  void report(const FileReport& file);
  /// A retry does not read the files that are well: what one of them has is not the retried file's.
  [[nodiscard]] bool is_of_unread_file(const std::string& known, const std::string& origin) const;
  /// A file that was read before this one, in an interrupted run, though it comes after it.
  Result<void> forget_later_file(std::size_t place);

  IngestContext context_;
  bool recut_all_;
  Embedder embedder_;
  TokenCounter count_tokens_;
  Checkpointer checkpointer_;
  FreeSpace space_;

  std::vector<Place> places_;  // All files, in the order of the run.
  DocumentLedger ledger_;
  Resumption resumption_;
  bool resumed_ = false;
  std::unordered_set<std::int64_t> staged_before_;  // Documents, by an interrupted run.
  std::set<std::string> kept_origins_;              // Files that could not be read whole this time.
  std::int64_t next_file_id_ = 1;
  std::uint64_t passages_ =
      0;  // Of the parent and those staged: what the index will hold, or more.
  std::size_t files_done_ = 0;
  IngestSummary summary_;
};

}  // namespace beleg

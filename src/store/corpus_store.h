#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/ids.h"
#include "base/result.h"
#include "document/document.h"
#include "passage/passage.h"
#include "store/dead_letters.h"

namespace beleg {

class IngestJobs;

/// A committed state of the corpus.
struct GenerationInfo {
  Generation number{};
  Generation parent{};
  std::int64_t created_at = 0;  ///< Unix seconds.
  std::string stats_json;       ///< What the ingest did; never part of a receipt.
  bool purged = false;          ///< Its number is all that is left of it.
};

/// A name that a person gave to a generation.
struct GenerationTag {
  std::string name;
  Generation generation{};
  std::int64_t created_at = 0;  ///< Unix seconds.
};

/// The head of a document: its newest version visible in a generation.
struct DocumentHead {
  DocumentId document{};
  VersionId version{};
  std::string source;       ///< Namespace of the id, e.g. the ingested root.
  std::string external_id;  ///< Given by the source.
  std::string origin;       ///< Path or URL it was read from.
  Sha256 content_hash;
};

/// A version with everything a reader of the truth needs.
struct StoredVersion {
  DocumentId document{};
  VersionId version{};
  std::string source;
  std::string external_id;
  std::string origin;
  ParsedDocument content;
  Sha256 content_hash;
  Generation from{};
};

struct StoredPassage {
  PassageId id{};
  VersionId version{};
  DocumentId document{};
  Passage passage;
  Sha256 embedding_key;  ///< Content and model hash: where its vectors are in the embedding pack.
};

/// Numbers of the truth for `beleg audit`.
struct StoreCounts {
  std::int64_t documents = 0;
  std::int64_t versions = 0;  ///< Visible heads.
  std::int64_t passages = 0;  ///< Of visible heads.
  std::int64_t orphans = 0;   ///< Rows that belong to nothing.
};

/// The truth of one corpus: an SQLite file in WAL mode. Any number of processes may read; a read
/// sees one generation, whole. One process writes, holding `writer.lock`. An object is used by one
/// thread at a time; open one per thread.
///
/// A version is visible in generation g when from <= g and (to is empty or g < to). A writer adds
/// rows of generation next in short transactions; nobody sees them until commit() moves the
/// corpus' current generation in one transaction. What a killed writer left is removed by the next,
/// unless it was an ingest job (store/ingest_job.h), which can be resumed.
class CorpusStore {
 public:
  /// Opens an existing corpus (kNotFound otherwise). Folder layout: truth.db, embeddings.pack,
  /// index/<generation>/, writer.lock. Where this user may only read, every reading call works and
  /// every writing one is kPermission. kConflict from a reading call then says that another user
  /// wrote meanwhile: open again.
  static Result<std::unique_ptr<CorpusStore>> open(const std::filesystem::path& folder);
  /// Opens or creates.
  static Result<std::unique_ptr<CorpusStore>> open_or_create(const std::filesystem::path& folder);
  virtual ~CorpusStore() = default;

  [[nodiscard]] virtual const std::filesystem::path& folder() const = 0;

  // --- Reading. Every call names the generation it reads: 0, a committed one, or the one that this
  // object is building. kNotFound for others, also for one that was rolled back or purged. ---
  virtual Result<GenerationInfo> current() = 0;  ///< Number 0 for an empty corpus.
  /// Newest first; rolled-back ones left out, purged ones marked.
  virtual Result<std::vector<GenerationInfo>> log() = 0;
  /// kNotFound when the generation cannot be read, with the reason.
  virtual Result<void> check_readable(Generation generation) = 0;
  virtual Result<std::vector<DocumentHead>> heads(Generation generation) = 0;
  /// kCorrupt when its content does not have the hash that it was stored with.
  virtual Result<StoredVersion> version(VersionId id) = 0;
  /// True for a version that existed and is gone since a purge; false for one that never existed.
  /// A version that was rolled back before a purge cannot be told from a purged one, and counts.
  virtual Result<bool> was_purged(VersionId id) = 0;
  /// Passages of all visible versions from id `first` on, ordered by id; `visit` returns false to
  /// stop. It may read from this object, but not write.
  virtual Result<void> for_each_passage(
      Generation generation, PassageId first,
      const std::function<bool(const StoredPassage&, const StoredVersion&)>& visit) = 0;
  Result<void> for_each_passage(
      Generation generation,
      const std::function<bool(const StoredPassage&, const StoredVersion&)>& visit) {
    return for_each_passage(generation, PassageId{0}, visit);
  }
  /// The ids of the same passages, ascending. Reads only an index of the database.
  virtual Result<std::vector<PassageId>> passage_ids(Generation generation) = 0;
  /// The embedding keys of the same passages, in no order. Decodes nothing else; a damaged key is
  /// left out (check_integrity names it).
  virtual Result<void> for_each_embedding_key(Generation generation,
                                              const std::function<void(const Sha256&)>& visit) = 0;
  virtual Result<StoredPassage> passage(PassageId id) = 0;
  virtual Result<std::vector<StoredPassage>> passages_of(VersionId version) = 0;
  /// Visible versions of a story, newest release date first.
  virtual Result<std::vector<VersionId>> versions_of_story(std::string_view story,
                                                           Generation generation) = 0;
  /// What an index of this generation must have been built from: the XXH3-64 of the ascending ids
  /// of the visible passages, each as a little-endian int64. The number of ids takes part by the
  /// length. Equals IndexSnapshot::passage_fingerprint() of the right index. Reads only an index of
  /// the database: about 65 ns per passage.
  virtual Result<std::uint64_t> passage_fingerprint(Generation generation) = 0;
  virtual Result<StoreCounts> counts(Generation generation) = 0;
  /// The newest lexicon of a generation up to the given one that is committed or being built by
  /// this object, with its generation; empty when there is none.
  virtual Result<std::optional<std::pair<Generation, std::string>>> lexicon(
      Generation generation) = 0;
  /// PRAGMA integrity_check, foreign_key_check; versions of all generations up to this one that can
  /// be read. One line per finding.
  virtual Result<std::vector<std::string>> check_integrity(Generation generation) = 0;
  /// Receipts and traces. One line per finding.
  virtual Result<std::vector<std::string>> check_answers() = 0;

  /// The generation that this object is building; empty when it builds none.
  [[nodiscard]] virtual std::optional<Generation> building() const = 0;

  // --- Writing. begin() takes the writer lock (kConflict when another process has it). ---
  /// Starts a new generation: removes what a killed writer left, returns the number to build.
  /// kConflict while an ingest job is unfinished: it must be finished or discarded first.
  virtual Result<Generation> begin() = 0;
  /// Stages a new version of a document with its passages; supersedes the visible head, if any.
  /// Staged versions are written in batches of about 4 MiB, so that a full disk may be reported by
  /// a later call; this object's own reads of the new generation see all of them. Returns the
  /// version's id. kInvalidArgument for spans that are not exact: they could not be cited.
  virtual Result<VersionId> stage_version(std::string_view source, std::string_view external_id,
                                          std::string_view origin, const ParsedDocument& content,
                                          const std::vector<Passage>& passages,
                                          const std::vector<Sha256>& embedding_keys) = 0;
  /// Stages the removal of a document. kNotFound when it has no visible head.
  virtual Result<void> stage_removal(DocumentId document) = 0;
  /// Gives the generation being built a lexicon of its own, in place of one given before. It goes
  /// with the generation when that is abandoned or rolled back. At most 10^9 bytes (kLimit).
  virtual Result<void> put_lexicon(std::string_view bytes) = 0;
  /// Makes the staged generation current, atomically and durably; releases the lock.
  virtual Result<GenerationInfo> commit(std::string_view stats_json) = 0;
  /// Drops what was staged; releases the lock. Also done by the destructor.
  virtual Result<void> abandon() = 0;
  /// Undoes the newest generation, or all after `target`, in one transaction: its parent, or the
  /// target, becomes current again, with byte-identical answers. kConflict at generation 0, which
  /// has none, and where a tag names one that would be undone; kNotFound for a target that was
  /// rolled back or purged; kInvalidArgument for one that is not before the current one. Discards
  /// an unfinished ingest job, which was built upon the generation that is undone.
  virtual Result<GenerationInfo> rollback(std::optional<Generation> target = std::nullopt) = 0;

  // --- Names of generations. Written at once, durably, without the writer lock. ---
  /// By name.
  virtual Result<std::vector<GenerationTag>> tags() = 0;
  /// kInvalidArgument for a name that is not [A-Za-z0-9][A-Za-z0-9._-]{0,63} or looks like a
  /// number, kConflict when it is taken, kNotFound for a generation that cannot be read.
  virtual Result<void> put_tag(std::string_view name, Generation generation) = 0;
  virtual Result<void> remove_tag(std::string_view name) = 0;

  // --- Records of answers. Written at once, durably; keyed by receipt hash or trace id. kConflict
  // for an answer from a generation that was purged meanwhile. ---
  virtual Result<void> put_receipt(std::string_view sha256_hex, std::string_view json) = 0;
  /// A receipt by its hash, or by a beginning of it (8 digits or more) that only one has.
  virtual Result<std::string> receipt(std::string_view sha256_hex) = 0;
  virtual Result<void> put_trace(std::string_view id, std::string_view json) = 0;
  /// A trace by id, unique prefix, or "last".
  virtual Result<std::string> trace(std::string_view id) = 0;

  // --- Inputs that could not be read, and the ingest that is unfinished. ---
  /// By path, then record.
  virtual Result<std::vector<DeadLetter>> dead_letters() = 0;
  /// Drops letters by id, durably; returns how many there were.
  virtual Result<std::uint64_t> dismiss_dead_letters(const std::vector<std::int64_t>& ids) = 0;
  /// Lives as long as this object.
  virtual IngestJobs& jobs() = 0;
};

/// The generation that a person means: a number, a tag, or "" and "current" for the current one.
/// kNotFound for one that cannot be read.
Result<GenerationInfo> find_generation(CorpusStore& store, std::string_view name);

/// Names of the corpora below a Beleg home (`<home>/corpora/<name>/`), sorted.
Result<std::vector<std::string>> list_corpora(const std::filesystem::path& home);
/// Folder of a corpus; kInvalidArgument for a name that is not [a-z0-9][a-z0-9._-]{0,63}.
Result<std::filesystem::path> corpus_folder(const std::filesystem::path& home,
                                            std::string_view name);

}  // namespace beleg

#include "ingest/corpus_backup.h"

#include <algorithm>
#include <string_view>
#include <system_error>

#include "base/clock.h"
#include "base/exchange_folder.h"
#include "base/file.h"
#include "ingest/backup_work_folder.h"
#include "ingest/corpus_audit.h"
#include "ingest/index_build.h"
#include "store/corpus_store.h"
#include "store/embedding_pack.h"
#include "store/truth_copy.h"

namespace beleg {
namespace {

constexpr const char* kTruthName = "truth.db";
constexpr const char* kPackName = "embeddings.pack";
constexpr const char* kRestoreLockName = ".restore.lock";

std::unexpected<Error> failure(std::string_view action, const std::filesystem::path& path,
                               const std::string& why) {
  return fail(ErrorCode::kIo,
              "cannot " + std::string(action) + " " + printable_path(path) + ": " + why,
              "check the free disk space and the permissions");
}

/// The folder of a restore, removed with all it holds at the end.
class WorkFolder {
 public:
  static Result<WorkFolder> create(const std::filesystem::path& path) {
    std::error_code status;
    std::filesystem::remove_all(path, status);
    std::filesystem::create_directories(path, status);
    if (status) return failure("create", path, status.message());
    return WorkFolder(path);
  }
  ~WorkFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  WorkFolder(WorkFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  WorkFolder& operator=(WorkFolder&&) = delete;
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  explicit WorkFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

/// Copies the records of `keys` in the order in which they stand. Returns how many are not there,
/// or damaged.
Result<std::int64_t> copy_embeddings(const std::filesystem::path& from,
                                     const std::filesystem::path& to,
                                     const std::vector<Sha256>& keys) {
  const auto target = TRY(EmbeddingPack::open_writer(to));
  if (keys.empty()) return std::int64_t{0};
  const auto source = EmbeddingPack::open_reader(from);
  if (!source) return static_cast<std::int64_t>(keys.size());
  std::vector<std::pair<PackLocation, Sha256>> found;
  for (const Sha256& key : keys) {
    if (const auto where = (*source)->find(key)) found.emplace_back(*where, key);
  }
  std::ranges::sort(found, {}, [](const auto& entry) { return entry.first.offset; });
  std::size_t copied = 0;
  for (const auto& [where, key] : found) {
    const auto payload = (*source)->payload(where);
    if (!payload) continue;
    TRY(target->append(key, *payload));
    ++copied;
  }
  TRY(target->sync());
  return static_cast<std::int64_t>(keys.size() - copied);
}

Result<void> refuse_unfinished_purge(const std::filesystem::path& truth) {
  if (!TRY(has_unfinished_purge(truth))) return {};
  return fail(ErrorCode::kConflict, "a purge of the corpus goes on, or was cut short",
              "wait for it, or run `beleg corpus purge --yes` again, then back up");
}

/// A backup replaces a backup, and nothing else: not a text, not a device, not the corpus itself.
Result<void> refuse_target(const std::filesystem::path& target,
                           const std::filesystem::path& corpora) {
  std::error_code status;
  const auto inside = std::filesystem::weakly_canonical(target, status)
                          .lexically_relative(std::filesystem::weakly_canonical(corpora, status));
  if (!inside.empty() && *inside.begin() != "..") {
    return fail(ErrorCode::kInvalidArgument,
                printable_path(target) + " lies in the folder of the corpora",
                "give a file elsewhere, best on another disk");
  }
  const auto kind = std::filesystem::symlink_status(target, status).type();
  if (kind == std::filesystem::file_type::not_found) {
    if (target.has_filename()) return {};
    return fail(ErrorCode::kNotFound, "there is no folder " + printable_path(target),
                "create it, or give the name of a file");
  }
  if (begins_like_backup(target)) return {};
  return fail(ErrorCode::kConflict, printable_path(target) + " is there, and is no backup",
              "give another name; only a backup is replaced");
}

Result<void> check_target(const std::filesystem::path& folder, bool replace) {
  std::error_code status;
  if (replace || !std::filesystem::exists(folder, status)) return {};
  return fail(ErrorCode::kConflict, "the corpus '" + printable_path(folder.filename()) + "' exists",
              "choose another name with --corpus, or give --force to replace it");
}

Result<void> put_in_place(const std::filesystem::path& from, const std::filesystem::path& to,
                          bool replace) {
  TRY(sync_directory(from));
  std::error_code status;
  if (std::filesystem::exists(to, status)) {
    TRY(check_target(to, replace));
    // Whoever writes to the old one would lose it unnoticed.
    const FileLock lock = TRY(FileLock::try_acquire(to / "writer.lock"));
    return exchange_folders(from, to);
  }
  std::filesystem::rename(from, to, status);
  if (status) return failure("rename", from, status.message());
  return sync_directory(to.parent_path());
}

/// The index of the restored corpus, and the check of everything. Returns what is wrong with
/// answers of the past.
Result<std::vector<std::string>> build_and_audit(const std::filesystem::path& folder,
                                                 const BackupManifest& manifest) {
  const auto store = TRY(CorpusStore::open(folder));
  const GenerationInfo current = TRY(store->current());
  if (current.number != manifest.generation) {
    return fail(ErrorCode::kCorrupt, "the backup is of another generation than it says",
                "use another backup; nothing was changed");
  }
  CorpusAudit audit;
  if (manifest.missing_embeddings > 0) {
    // The next ingest encodes them; until then there is no index that could be whole.
    audit.findings = TRY(store->check_integrity(current.number));
    audit.answer_findings = TRY(store->check_answers());
  } else {
    if (current.number != Generation{0}) {
      const auto pack = TRY(EmbeddingPack::open_reader(pack_path(folder)));
      const std::uint32_t dims = TRY(embedding_dims(*store, *pack, current.number));
      TRY(build_index(*store, *pack, current.number, dims));
    }
    audit = TRY(audit_corpus(*store));
  }
  if (audit.findings.empty()) return std::move(audit.answer_findings);
  return fail(ErrorCode::kCorrupt,
              "the corpus in the backup is not well: " + audit.findings.front(),
              "use another backup; nothing was changed");
}

std::filesystem::path restore_work_folder(const std::filesystem::path& corpus_folder) {
  return corpus_folder.parent_path() / (".restore." + corpus_folder.filename().string());
}

}  // namespace

Result<void> remove_left_by_restore(const std::filesystem::path& corpus_folder) {
  const std::filesystem::path left = restore_work_folder(corpus_folder);
  std::error_code status;
  if (!std::filesystem::exists(left, status)) return {};
  const FileLock lock = TRY(FileLock::try_acquire(corpus_folder.parent_path() / kRestoreLockName));
  std::filesystem::remove_all(left, status);
  if (status) return failure("remove", left, status.message());
  return sync_directory(corpus_folder.parent_path());
}

Result<WrittenBackup> back_up_corpus(const std::filesystem::path& corpus_folder,
                                     const std::string& corpus,
                                     const std::filesystem::path& target) {
  TRY(refuse_target(target, corpus_folder.parent_path()));
  const BackupWorkFolder work = TRY(BackupWorkFolder::create(target));
  const std::filesystem::path truth = work.path() / kTruthName;
  const std::filesystem::path pack = work.path() / kPackName;

  WrittenBackup written;
  BackupManifest manifest;
  manifest.corpus = corpus;
  manifest.created_at = SystemClock().now();
  manifest.generation = TRY(copy_truth(corpus_folder, truth)).number;
  TRY(refuse_unfinished_purge(truth));
  // After the truth: the pack has what every committed generation names before it is committed.
  const std::vector<Sha256> keys = TRY(read_embedding_keys(truth));
  manifest.missing_embeddings = TRY(copy_embeddings(pack_path(corpus_folder), pack, keys));
  {
    const auto store = TRY(CorpusStore::open(work.path()));
    const StoreCounts counts = TRY(store->counts(manifest.generation));
    manifest.documents = counts.documents;
    manifest.passages = counts.passages;
    written.findings = TRY(store->check_integrity(manifest.generation));
  }
  written.manifest = TRY(write_backup(work.path() / "backup", target, std::move(manifest),
                                      {{kTruthName, truth}, {kPackName, pack}}));
  return written;
}

Result<RestoredCorpus> restore_corpus(const std::filesystem::path& backup,
                                      const std::filesystem::path& folder, bool replace) {
  const BackupReader reader = TRY(BackupReader::open(backup));
  TRY(reader.verify());
  TRY(check_target(folder, replace));
  TRY(create_directories_durably(folder.parent_path()));
  // A leading dot is no corpus' name. One restore at a time: what a killed one left can then go.
  const FileLock lock = TRY(FileLock::try_acquire(folder.parent_path() / kRestoreLockName));
  const WorkFolder work = TRY(WorkFolder::create(restore_work_folder(folder)));
  TRY(reader.extract(kTruthName, work.path() / kTruthName));
  TRY(reader.extract(kPackName, work.path() / kPackName));
  TRY(adopt_truth(work.path() / kTruthName));
  RestoredCorpus restored{.manifest = reader.manifest()};
  restored.answer_findings = TRY(build_and_audit(work.path(), reader.manifest()));
  TRY(put_in_place(work.path(), folder, replace));
  return restored;
}

}  // namespace beleg

#include "store/corpus_store.h"

#include <bit>
#include <span>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "store/answer_audit.h"
#include "store/answer_records.h"
#include "store/generation_tags.h"
#include "store/generation_writer.h"
#include "store/ingest_job.h"
#include "store/lexicon_records.h"
#include "store/sqlite_database.h"
#include "store/store_schema.h"
#include "store/truth_audit.h"
#include "store/truth_reader.h"
#include "store/version_audit.h"

namespace beleg {
namespace {

constexpr std::string_view kTruthName = "truth.db";

static_assert(std::endian::native == std::endian::little && sizeof(PassageId) == 8,
              "the fingerprint hashes ids in place; a big-endian machine needs byte swaps there");

class SqliteCorpusStore final : public CorpusStore {
 public:
  SqliteCorpusStore(std::filesystem::path folder, std::unique_ptr<SqliteDatabase> database)
      : folder_(std::move(folder)),
        database_(std::move(database)),
        writer_(*database_, folder_),
        jobs_(*database_, writer_) {}

  [[nodiscard]] const std::filesystem::path& folder() const override { return folder_; }

  Result<GenerationInfo> current() override { return read_current_generation(*database_); }
  Result<std::vector<GenerationInfo>> log() override { return read_generations(*database_); }

  Result<void> check_readable(Generation generation) override {
    return require_readable(*database_, generation);
  }

  Result<std::vector<DocumentHead>> heads(Generation generation) override {
    const auto snapshot = TRY(begin_reading(generation));
    return read_heads(*database_, generation);
  }

  Result<StoredVersion> version(VersionId id) override {
    TRY(writer_.flush());
    StoredVersion version = TRY(read_version(*database_, id));
    // Pages of SQLite have no checksums: a bit that flipped in a text would be quoted as proof.
    if (content_hash(version.content) != version.content_hash) {
      return fail(
          ErrorCode::kCorrupt,
          printable_path(database_->file()) + ": version " +
              std::to_string(static_cast<std::int64_t>(id)) +
              ": the content does not have the hash it was stored with",
          "run `beleg audit`; restore the corpus folder from a backup, or ingest into a new "
          "corpus");
    }
    return version;
  }

  Result<bool> was_purged(VersionId id) override { return is_purged_version(*database_, id); }

  Result<void> for_each_passage(
      Generation generation, PassageId first,
      const std::function<bool(const StoredPassage&, const StoredVersion&)>& visit) override {
    const auto snapshot = TRY(begin_reading(generation));
    // Passages of a version follow each other, and versions are numbered in the order in which they
    // were staged: version by version is the order of passage ids.
    const VersionId first_version = TRY(read_version_with_passage(*database_, first));
    for (const VersionId id : TRY(read_visible_versions(*database_, generation))) {
      if (id < first_version) continue;
      const StoredVersion version = TRY(read_version(*database_, id));
      const bool go_on = TRY(visit_passages(*database_, id, [&](const StoredPassage& passage) {
        return passage.id < first || visit(passage, version);
      }));
      if (!go_on) break;
    }
    return {};
  }

  Result<StoredPassage> passage(PassageId id) override {
    TRY(writer_.flush());
    return read_passage(*database_, id);
  }

  Result<std::vector<StoredPassage>> passages_of(VersionId version) override {
    TRY(writer_.flush());
    return read_passages(*database_, version);
  }

  Result<std::vector<VersionId>> versions_of_story(std::string_view story,
                                                   Generation generation) override {
    const auto snapshot = TRY(begin_reading(generation));
    return read_versions_of_story(*database_, story, generation);
  }

  Result<std::vector<PassageId>> passage_ids(Generation generation) override {
    const auto snapshot = TRY(begin_reading(generation));
    return read_visible_passages(*database_, generation);
  }

  Result<void> for_each_embedding_key(Generation generation,
                                      const std::function<void(const Sha256&)>& visit) override {
    const auto snapshot = TRY(begin_reading(generation));
    return visit_embedding_keys(*database_, generation, visit);
  }

  Result<std::uint64_t> passage_fingerprint(Generation generation) override {
    const auto snapshot = TRY(begin_reading(generation));
    const std::vector<PassageId> ids = TRY(read_visible_passages(*database_, generation));
    return checksum64(std::as_bytes(std::span(ids)));
  }

  Result<StoreCounts> counts(Generation generation) override {
    const auto snapshot = TRY(begin_reading(generation));
    return count_truth(*database_, generation);
  }

  Result<std::optional<std::pair<Generation, std::string>>> lexicon(
      Generation generation) override {
    const auto snapshot = TRY(begin_reading(generation));
    return read_lexicon(*database_, generation, writer_.building());
  }

  Result<std::vector<std::string>> check_integrity(Generation generation) override {
    const auto snapshot = TRY(begin_reading(generation));
    return audit_truth(*database_, generation);
  }

  Result<std::vector<std::string>> check_answers() override {
    const Generation now = TRY(current()).number;
    const auto snapshot = TRY(begin_reading(now));
    std::vector<std::string> findings;
    TRY(damage_as_finding(audit_answers(*database_, findings), findings));
    return findings;
  }

  [[nodiscard]] std::optional<Generation> building() const override { return writer_.building(); }

  Result<Generation> begin() override { return writer_.begin(); }

  Result<VersionId> stage_version(std::string_view source, std::string_view external_id,
                                  std::string_view origin, const ParsedDocument& content,
                                  const std::vector<Passage>& passages,
                                  const std::vector<Sha256>& embedding_keys) override {
    return writer_.stage_version(source, external_id, origin, content, passages, embedding_keys);
  }

  Result<void> stage_removal(DocumentId document) override {
    return writer_.stage_removal(document);
  }

  Result<void> put_lexicon(std::string_view bytes) override { return writer_.put_lexicon(bytes); }

  Result<GenerationInfo> commit(std::string_view stats_json) override {
    return writer_.commit(stats_json);
  }

  Result<void> abandon() override { return writer_.abandon(); }
  Result<GenerationInfo> rollback(std::optional<Generation> target) override {
    return writer_.rollback(target);
  }

  Result<std::vector<GenerationTag>> tags() override { return read_tags(*database_); }
  Result<void> put_tag(std::string_view name, Generation generation) override {
    return write_tag(*database_, name, generation);
  }
  Result<void> remove_tag(std::string_view name) override { return delete_tag(*database_, name); }

  Result<void> put_receipt(std::string_view sha256_hex, std::string_view json) override {
    return write_receipt(*database_, sha256_hex, json);
  }
  Result<std::string> receipt(std::string_view sha256_hex) override {
    return read_receipt(*database_, sha256_hex);
  }
  Result<void> put_trace(std::string_view id, std::string_view json) override {
    return write_trace(*database_, id, json);
  }
  Result<std::string> trace(std::string_view id) override { return read_trace(*database_, id); }
  Result<std::vector<DeadLetter>> dead_letters() override { return read_dead_letters(*database_); }
  Result<std::uint64_t> dismiss_dead_letters(const std::vector<std::int64_t>& ids) override {
    auto transaction = TRY(SqliteTransaction::begin_write(*database_, Durability::kFull));
    const std::uint64_t dropped = TRY(drop_letters(*database_, ids));
    TRY(transaction.commit());
    return dropped;
  }
  IngestJobs& jobs() override { return jobs_; }

 private:
  /// One snapshot of the file for a whole call, in which `generation` is one that may be read: a
  /// committed one, or the one that this very object builds.
  Result<SqliteTransaction> begin_reading(Generation generation) {
    TRY(writer_.flush());
    auto snapshot = TRY(SqliteTransaction::begin_read(*database_));
    if (writer_.building() != generation) {
      if (auto readable = require_readable(*database_, generation); !readable) {
        return std::unexpected(readable.error().with_context(printable_path(folder_)));
      }
    }
    return snapshot;
  }

  std::filesystem::path folder_;
  std::unique_ptr<SqliteDatabase> database_;
  GenerationWriter writer_;  // After the database: it is abandoned while that is still open.
  IngestJobs jobs_;
};

}  // namespace

Result<std::unique_ptr<CorpusStore>> CorpusStore::open(const std::filesystem::path& folder) {
  std::error_code status;
  if (!std::filesystem::exists(folder / kTruthName, status)) {
    if (status == std::errc::permission_denied) {
      return fail(ErrorCode::kPermission, "cannot look into " + printable_path(folder),
                  "give this user read and write permission on the corpus folder");
    }
    return fail(ErrorCode::kNotFound, "no corpus at " + printable_path(folder),
                "check its name, or make it with `beleg ingest`");
  }
  auto database = TRY(open_truth(folder / kTruthName));
  return std::make_unique<SqliteCorpusStore>(folder, std::move(database));
}

Result<std::unique_ptr<CorpusStore>> CorpusStore::open_or_create(
    const std::filesystem::path& folder) {
  TRY(create_directories_durably(folder));
  std::error_code status;
  if (!std::filesystem::exists(folder / kTruthName, status)) {
    TRY(create_truth(folder / kTruthName));
  }
  return open(folder);
}

}  // namespace beleg

#include "store/ingest_job.h"

#include <array>
#include <utility>

#include "store/generation_cleanup.h"
#include "store/truth_reader.h"

namespace beleg {
namespace {

// Documents that one transaction takes back at most: it must let go of the write lock soon.
constexpr int kUnstageDocuments = 500;

std::unexpected<Error> no_job() {
  return fail(ErrorCode::kNotFound, "no ingest is unfinished", "nothing needs to be discarded");
}

}  // namespace

Result<std::optional<IngestJob>> read_ingest_job(SqliteDatabase& database) {
  auto row =
      TRY(database.prepare("SELECT generation, parent, started_at, updated_at, request, files_done,"
                           " files_total FROM ingest_job"));
  if (!TRY(row.step())) return std::nullopt;
  IngestJob job;
  job.generation = row.id<Generation>(0);
  job.parent = row.id<Generation>(1);
  job.started_at = row.integer(2);
  job.updated_at = row.integer(3);
  job.request = row.text(4);
  job.files_done = static_cast<std::uint64_t>(row.integer(5));
  job.files_total = static_cast<std::uint64_t>(row.integer(6));
  return job;
}

Result<void> clear_ingest_job(SqliteDatabase& database) {
  for (const std::string_view sql : {"DELETE FROM ingest_job", "DELETE FROM ingest_job_file",
                                     "DELETE FROM ingest_job_document"}) {
    auto clear = TRY(database.prepare(sql));
    TRY(clear.run());
  }
  return {};
}

Result<void> refuse_unfinished_job(SqliteDatabase& database) {
  const auto job = TRY(read_ingest_job(database));
  if (!job) return {};
  return fail(ErrorCode::kConflict,
              "the ingest interrupted at " + format_utc(job->updated_at) + " is unfinished (" +
                  std::to_string(job->files_done) + " of " + std::to_string(job->files_total) +
                  " files)",
              "run that ingest again, which resumes it, or discard it with `beleg ingest "
              "--restart`");
}

Result<Generation> IngestJobs::building() const {
  const auto generation = writer_.building();
  if (!generation)
    return fail(ErrorCode::kInternal, "the ingest job was neither begun nor resumed");
  return *generation;
}

Result<std::optional<IngestJob>> IngestJobs::unfinished() { return read_ingest_job(database_); }

Result<Generation> IngestJobs::begin(std::string_view request, std::uint64_t files_total) {
  return writer_.begin_job([&](Generation generation, Generation parent) -> Result<void> {
    auto add = TRY(database_.prepare(
        "INSERT INTO ingest_job(id, generation, parent, started_at, updated_at, request,"
        " files_done, files_total) VALUES(1, ?1, ?2, ?3, ?3, ?4, 0, ?5)"));
    add.bind(generation, parent, SystemClock().now(), request, files_total);
    return add.run();
  });
}

Result<IngestJob> IngestJobs::resume(std::uint64_t files_total) {
  IngestJob job;
  const auto find_job = [&]() -> Result<Generation> {
    auto found = TRY(read_ingest_job(database_));
    if (!found) return no_job();
    job = *std::move(found);
    if (TRY(read_current_generation(database_)).number != job.parent) {
      return fail(ErrorCode::kConflict, "the corpus is at another generation by now",
                  "discard the unfinished ingest with `beleg ingest --restart`");
    }
    // Removals are staged last, and again at the end of the resumed run.
    auto keep = TRY(database_.prepare(
        "UPDATE version SET to_generation = NULL WHERE to_generation = ?1 AND NOT EXISTS"
        " (SELECT 1 FROM version n WHERE n.document = version.document AND n.from_generation = "
        "?1)"));
    keep.bind(job.generation);
    TRY(keep.run());
    // The files may bring other words by now; the index comes last, and with it a lexicon.
    auto lexicon = TRY(database_.prepare("DELETE FROM lexicon WHERE generation = ?1"));
    lexicon.bind(job.generation);
    TRY(lexicon.run());
    auto total = TRY(database_.prepare("UPDATE ingest_job SET files_total = ?1"));
    total.bind(files_total);
    TRY(total.run());
    return job.generation;
  };
  TRY(writer_.resume_job(find_job));
  return job;
}

Result<IngestJob> IngestJobs::discard() {
  auto job = TRY(read_ingest_job(database_));
  if (!job) return no_job();
  TRY(writer_.discard());
  return *std::move(job);
}

Result<std::vector<JobFile>> IngestJobs::files() {
  auto row = TRY(database_.prepare(
      "SELECT id, root, source, path, sha256, record, done, progress FROM ingest_job_file"
      " ORDER BY id"));
  std::vector<JobFile> files;
  while (TRY(row.step())) {
    JobFile& file = files.emplace_back();
    file.id = row.integer(0);
    file.root = static_cast<std::uint32_t>(row.integer(1));
    file.source = row.text(2);
    file.path = row.text(3);
    file.sha256 = row.text(4);
    file.record = static_cast<std::uint64_t>(row.integer(5));
    file.done = row.integer(6) != 0;
    file.progress = row.text(7);
  }
  return files;
}

Result<std::vector<JobDocument>> IngestJobs::documents() {
  auto row = TRY(database_.prepare("SELECT file, external_id, staged FROM ingest_job_document"));
  std::vector<JobDocument> documents;
  while (TRY(row.step())) {
    documents.push_back({row.integer(0), std::string(row.text(1)), row.integer(2) != 0});
  }
  return documents;
}

Result<std::vector<DocumentId>> IngestJobs::staged_documents() {
  const Generation generation = TRY(building());
  TRY(writer_.flush());
  auto row = TRY(database_.prepare(
      "SELECT document FROM version INDEXED BY version_from WHERE from_generation = ?1"));
  row.bind(generation);
  std::vector<DocumentId> documents;
  while (TRY(row.step())) documents.push_back(row.id<DocumentId>(0));
  return documents;
}

Result<bool> IngestJobs::changed_anything() {
  const Generation generation = TRY(building());
  TRY(writer_.flush());
  auto row = TRY(database_.prepare(
      "SELECT EXISTS(SELECT 1 FROM version INDEXED BY version_from WHERE from_generation = ?1)"
      " OR EXISTS(SELECT 1 FROM version INDEXED BY version_to WHERE to_generation = ?1)"));
  row.bind(generation);
  return TRY(row.step()) && row.integer(0) != 0;
}

Result<void> IngestJobs::forget_file(const JobFile& file) {
  const Generation generation = TRY(building());
  TRY(writer_.flush());
  {
    // First of all it is one that must be read again, should this be interrupted.
    auto transaction = TRY(SqliteTransaction::begin_write(database_, Durability::kRelaxed));
    auto mark = TRY(database_.prepare("UPDATE ingest_job_file SET sha256 = '' WHERE id = ?1"));
    mark.bind(file.id);
    TRY(mark.run());
    TRY(transaction.commit());
  }
  while (TRY(unstage_some(file.id, generation))) {
  }
  auto transaction = TRY(SqliteTransaction::begin_write(database_, Durability::kRelaxed));
  {
    auto remove = TRY(database_.prepare("DELETE FROM ingest_job_file WHERE id = ?1"));
    remove.bind(file.id);
    TRY(remove.run());
  }
  return transaction.commit();
}

Result<bool> IngestJobs::unstage_some(std::int64_t file, Generation generation) {
  auto transaction = TRY(SqliteTransaction::begin_write(database_, Durability::kRelaxed));
  std::vector<std::pair<std::string, std::optional<DocumentId>>> some;
  {
    auto row = TRY(database_.prepare(
        "SELECT d.external_id, document.id FROM ingest_job_document d"
        " JOIN ingest_job_file f ON f.id = d.file LEFT JOIN document ON d.staged = 1"
        " AND document.source = f.source AND document.external_id = d.external_id"
        " WHERE d.file = ?1 LIMIT ?2"));
    row.bind(file, kUnstageDocuments);
    while (TRY(row.step())) {
      some.emplace_back(row.text(0),
                        row.is_null(1) ? std::nullopt : std::optional(row.id<DocumentId>(1)));
    }
  }
  auto remove = TRY(
      database_.prepare("DELETE FROM ingest_job_document WHERE file = ?1 AND external_id = ?2"));
  for (const auto& [external_id, document] : some) {
    if (document) TRY(unstage_document(database_, *document, generation));
    remove.bind(file, external_id);
    TRY(remove.run());
  }
  TRY(transaction.commit());
  return !some.empty();
}

Result<void> IngestJobs::write_file(const JobFile& file) {
  auto write = TRY(database_.prepare(
      "INSERT INTO ingest_job_file(id, root, source, path, sha256, record, done, progress)"
      " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT(root, path) DO UPDATE SET"
      " sha256 = excluded.sha256, record = excluded.record, done = excluded.done,"
      " progress = excluded.progress"));
  write.bind(file.id, file.root, file.source, file.path, file.sha256, file.record, file.done,
             file.progress);
  return write.run();
}

Result<void> IngestJobs::checkpoint(const JobCheckpoint& checkpoint) {
  const Generation generation = TRY(building());
  return writer_.flush_with([&]() -> Result<void> {
    const UnixSeconds now = SystemClock().now();
    for (const JobFile& file : checkpoint.files) TRY(write_file(file));
    {
      auto add = TRY(database_.prepare(
          "INSERT INTO ingest_job_document(file, external_id, staged) VALUES(?1, ?2, ?3)"
          " ON CONFLICT(file, external_id) DO UPDATE SET staged = excluded.staged"));
      for (const JobDocument& document : checkpoint.documents) {
        add.bind(document.file, document.external_id, document.staged);
        TRY(add.run());
      }
    }
    for (const InputFailures& input : checkpoint.failures) {
      TRY(note_failures(database_, generation, now, input));
    }
    auto note = TRY(database_.prepare("UPDATE ingest_job SET updated_at = ?1, files_done = ?2"));
    note.bind(now, checkpoint.files_done);
    return note.run();
  });
}

Result<void> IngestJobs::settle(Generation generation, const std::vector<std::int64_t>& gone) {
  TRY(drop_succeeded(database_, generation));
  TRY(drop_letters(database_, gone));
  return clear_ingest_job(database_);
}

Result<GenerationInfo> IngestJobs::commit(std::string_view stats_json,
                                          const std::vector<std::int64_t>& gone) {
  const Generation generation = TRY(building());
  return writer_.commit(stats_json, [&] { return settle(generation, gone); });
}

Result<void> IngestJobs::finish_unchanged(const std::vector<std::int64_t>& gone) {
  const Generation generation = TRY(building());
  {
    auto transaction = TRY(SqliteTransaction::begin_write(database_, Durability::kFull));
    TRY(settle(generation, gone));
    TRY(transaction.commit());
  }
  return writer_.abandon();
}

}  // namespace beleg

#include "ingest/ingest_run.h"

#include <map>
#include <utility>

#include "base/file.h"
#include "base/hash.h"
#include "document/reader.h"
#include "ingest/index_build.h"

namespace beleg {
namespace {

/// Errors that concern the run as a whole: the disk is full, the model broke.
bool is_fatal(ErrorCode code) {
  return code == ErrorCode::kIo || code == ErrorCode::kInternal || code == ErrorCode::kUnavailable;
}

}  // namespace

IngestRun::IngestRun(const IngestContext& context, bool recut_all)
    : context_(context),
      recut_all_(recut_all),
      embedder_(context.encoder, context.pack, context.settings.ingest.batch_passages),
      count_tokens_([encoder = &context.encoder](std::string_view text) {
        return static_cast<std::uint32_t>(encoder->tokenizer().tokenize(text).size());
      }),
      checkpointer_(context.store.jobs()),
      space_(context.store.folder()) {
  for (std::size_t i = 0; i < context_.roots.size(); ++i) {
    for (const FoundFile& file : context_.roots[i].listing.files) {
      places_.push_back({&context_.roots[i], static_cast<std::uint32_t>(i), &file});
    }
  }
}

Result<void> IngestRun::load_parent(Generation parent, std::uint64_t passages) {
  ledger_.load(TRY(context_.store.heads(parent)));
  passages_ = passages;
  return space_.require(passages_, context_.settings.ingest.batch_passages);
}

Result<void> IngestRun::adopt(Resumption resumption) {
  resumption_ = std::move(resumption);
  resumed_ = true;
  next_file_id_ = resumption_.next_file_id;
  std::map<std::int64_t, std::size_t> place_of;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const auto found =
        resumption_.files.find({places_[i].root_number, places_[i].file->path.native()});
    if (found == resumption_.files.end()) continue;
    place_of[found->second.file.id] = i;
    passages_ += found->second.progress.report.passages;
  }
  for (const JobDocument& document : resumption_.documents) {
    const auto place = place_of.find(document.file);
    if (place == place_of.end()) continue;
    const std::string& source = places_[place->second].root->source;
    ledger_.take(source, document.external_id, place->second);
    if (const auto head = ledger_.find(source, document.external_id)) {
      ledger_.set_state(*head, document.staged ? HeadState::kStaged : HeadState::kSeen);
    }
  }
  resumption_.documents = {};
  if (recut_all_) {
    for (const DocumentId id : TRY(context_.store.jobs().staged_documents())) {
      staged_before_.insert(static_cast<std::int64_t>(id));
    }
  }
  return {};
}

Result<bool> IngestRun::restore_vectors(Generation parent, Generation present) {
  if (present == Generation{0} || (recut_all_ && !resumed_)) return false;
  bool moved = false;
  Result<void> added;
  TRY(context_.store.for_each_passage(
      present, [&](const StoredPassage& passage, const StoredVersion& version) {
        const bool of_parent = version.from <= parent;
        // Vectors of another encoder are not ours to make; those passages are cut anew.
        if (recut_all_ && of_parent) return true;
        if (embedder_.has(passage.embedding_key)) return true;
        if (of_parent && !std::exchange(moved, true)) {
          // Before the first one is written: should this run be killed, nobody must take up an
          // index that looks for it where it was.
          remove_indexes(context_.store.folder());
        }
        const ByteSpan bytes = passage.passage.bytes;
        added = embedder_.add(passage.embedding_key,
                              retrieval_context(version.content.meta, passage.passage),
                              version.content.text.substr(bytes.start, bytes.size()));
        return added.has_value();
      }));
  if (!added) return std::unexpected(added.error());
  TRY(embedder_.finish());
  return moved;
}

bool IngestRun::must_stop() const {
  return context_.observer.stop_requested && context_.observer.stop_requested();
}

IngestSummary& IngestRun::summary() {
  summary_.encoded = embedder_.encoded();
  summary_.reused = embedder_.reused();
  return summary_;
}

void IngestRun::report(const FileReport& file) {
  if (file.outcome == FileOutcome::kFailed) ++summary_.failed_files;
  if (file.outcome == FileOutcome::kPartial) ++summary_.partial_files;
  if (context_.observer.on_file) context_.observer.on_file(file);
}

void IngestRun::count(const FileProgress& progress) {
  ++summary_.files;
  summary_.added += progress.added;
  summary_.changed += progress.changed;
  summary_.unchanged += progress.unchanged;
  summary_.passages += progress.report.passages;
  summary_.warnings += progress.warnings;
}

Result<bool> IngestRun::read_files() {
  TRY(report_problems());
  const Stopwatch watch;
  for (std::size_t place = 0; place < places_.size(); ++place) {
    if (must_stop() || !TRY(read_file(place))) {
      // The vectors of the staged passages, but those still waiting, stay with them.
      TRY(write_checkpoint());
      TRY(context_.pack.sync());
      return false;
    }
    if (checkpointer_.is_due()) TRY(write_checkpoint());
    if (context_.observer.on_progress) {
      context_.observer.on_progress({.files_done = files_done_,
                                     .files_total = places_.size(),
                                     .passages = summary_.passages,
                                     .wall_ms = watch.wall_ms()});
    }
  }
  TRY(write_checkpoint());
  return true;
}

Result<void> IngestRun::report_problems() {
  for (const IngestRoot& root : context_.roots) {
    for (const auto& [path, error] : root.listing.problems) {
      kept_origins_.insert(printable_path(path));
      FileProgress progress;
      progress.report.path = path;
      progress.note_failure(0, {}, error);
      progress.conclude();
      checkpointer_.add_failures(
          {root.source, root.path.native(), path.native(), std::move(progress.failures)});
      report(progress.report);
    }
    summary_.ignored_files += root.listing.ignored;
  }
  return {};
}

IngestRun::Reading IngestRun::begin_reading(std::size_t place) {
  const Place& where = places_[place];
  Reading reading;
  reading.place = place;
  const auto resumed = resumption_.files.find({where.root_number, where.file->path.native()});
  if (resumed != resumption_.files.end()) {
    reading.file = std::move(resumed->second.file);
    reading.progress = std::move(resumed->second.progress);
    resumption_.files.erase(resumed);
    reading.progress.report.resumed = reading.file.done;
    return reading;
  }
  reading.file.id = next_file_id_++;
  reading.file.root = where.root_number;
  reading.file.source = where.root->source;
  reading.file.path = where.file->path.native();
  reading.progress.report.path = where.file->path;
  // Before it is read: should it change meanwhile, a resumed run will see that it did. One that
  // cannot be read has no hash and is tried again.
  if (const auto hash = sha256_file(where.file->path)) reading.file.sha256 = hash->hex();
  return reading;
}

Result<bool> IngestRun::read_file(std::size_t place) {
  Reading reading = begin_reading(place);
  if (!reading.file.done) {
    const auto sink = [&](std::uint64_t record, Result<ParsedDocument> document) {
      return take_record(reading, record, std::move(document));
    };
    const auto read = read_documents(places_[place].file->path, places_[place].file->default_id,
                                     context_.settings.read, sink, reading.file.record);
    TRY(std::move(reading.fatal));
    if (reading.stopped) {
      reading.file.progress = progress_to_json(reading.progress);
      checkpointer_.add_file(std::move(reading.file));
      return false;
    }
    if (!read) reading.progress.note_failure(0, {}, read.error());
    conclude(reading);
  }
  if (reading.progress.incomplete) {
    kept_origins_.insert(printable_path(places_[place].file->path));
  }
  count(reading.progress);
  ++files_done_;
  report(reading.progress.report);
  return true;
}

void IngestRun::conclude(Reading& reading) {
  const Place& where = places_[reading.place];
  FileProgress& progress = reading.progress;
  progress.conclude();
  InputFailures failed{where.root->source, where.root->path.native(), where.file->path.native(),
                       std::move(progress.failures)};
  progress.failures.clear();
  if (failed.letters.empty() && (progress.report.outcome == FileOutcome::kPartial ||
                                 progress.report.outcome == FileOutcome::kFailed)) {
    DeadLetter& letter = failed.letters.emplace_back();
    letter.code = error_code_name(ErrorCode::kCorrupt);
    letter.reason = progress.report.reason;
    letter.remedy = "save the file as UTF-8";
  }
  if (!failed.letters.empty()) {
    if (progress.failed_records > failed.letters.size()) {
      failed.letters.back().more = progress.failed_records - failed.letters.size();
    }
    checkpointer_.add_failures(std::move(failed));
  }
  reading.file.done = true;
  reading.file.progress = progress_to_json(progress);
  checkpointer_.add_file(reading.file);
}

bool IngestRun::take_record(Reading& reading, std::uint64_t record,
                            Result<ParsedDocument> document) {
  FileProgress& progress = reading.progress;
  if (!document) {
    progress.note_failure(record, {}, document.error());  // The reader has named the line.
  } else if (auto taken = take_document(reading, *document); taken) {
    ++progress.report.documents;
    progress.report.encoding = document->encoding;
    progress.replacements += document->replacements;
    progress.note_warnings(document->warnings);
  } else if (is_fatal(taken.error().code)) {
    reading.fatal = std::move(taken);
    return false;
  } else {
    progress.note_failure(
        record, document->meta.id,
        record > 0 ? taken.error().with_context("line " + std::to_string(record)) : taken.error());
  }
  if (record == 0) return true;  // The file is one document, and done.
  reading.file.record = record;
  if (must_stop()) {
    reading.stopped = true;
    return false;
  }
  if (checkpointer_.is_due()) reading.fatal = checkpoint_within(reading);
  return reading.fatal.has_value();
}

Result<void> IngestRun::checkpoint_within(const Reading& reading) {
  JobFile file = reading.file;
  file.progress = progress_to_json(reading.progress);
  checkpointer_.add_file(std::move(file));
  return write_checkpoint();
}

Result<void> IngestRun::write_checkpoint() {
  TRY(space_.require(passages_, context_.settings.ingest.batch_passages));
  return checkpointer_.write(files_done_);
}

Result<void> IngestRun::take_document(Reading& reading, const ParsedDocument& document) {
  const Place& where = places_[reading.place];
  const std::string& id = document.meta.id;
  const std::string& source = where.root->source;
  const std::string origin = printable_path(where.file->path);
  if (const auto owner = ledger_.owner(source, id)) {
    if (*owner <= reading.place) {
      reading.progress.conflict |= *owner != reading.place;
      return fail(
          ErrorCode::kConflict,
          "id '" + id + "' is already that of " + printable_path(places_[*owner].file->path),
          "give each document an id of its own");
    }
    TRY(forget_later_file(*owner));
  }
  const auto known = ledger_.find(source, id);
  if (known && is_of_unread_file(ledger_.head(*known).origin, origin)) {
    reading.progress.conflict = true;
    return fail(ErrorCode::kConflict,
                "id '" + id + "' is already that of " + ledger_.head(*known).origin,
                "give each document an id of its own");
  }
  ledger_.take(source, id, reading.place);
  if (known) ledger_.set_state(*known, HeadState::kSeen);
  const bool unchanged = known && !recut_all_ &&
                         ledger_.head(*known).content_hash == content_hash(document) &&
                         ledger_.head(*known).origin == origin;
  JobDocument met{reading.file.id, id, false};
  if (unchanged) {
    ++reading.progress.unchanged;
  } else {
    const auto passages = stage(source, id, origin, document);
    if (!passages) {
      checkpointer_.add_document(std::move(met));  // The id is taken all the same.
      return std::unexpected(passages.error());
    }
    met.staged = true;
    reading.progress.report.passages += *passages;
    if (known) ledger_.set_state(*known, HeadState::kStaged);
    ++(known ? reading.progress.changed : reading.progress.added);
  }
  checkpointer_.add_document(std::move(met));
  return {};
}

bool IngestRun::is_of_unread_file(const std::string& known, const std::string& origin) const {
  if (context_.mode != IngestMode::kRetryFailed || known == origin) return false;
  std::error_code status;
  return std::filesystem::exists(known, status);
}

Result<void> IngestRun::forget_later_file(std::size_t place) {
  const Place& later = places_[place];
  const auto resumed = resumption_.files.find({later.root_number, later.file->path.native()});
  if (resumed == resumption_.files.end()) return {};
  // What waits is written first: forgetting writes, too.
  TRY(write_checkpoint());
  TRY(context_.store.jobs().forget_file(resumed->second.file));
  ledger_.release(later.root->source, place);
  resumption_.files.erase(resumed);
  return {};
}

Result<std::size_t> IngestRun::stage(std::string_view source, std::string_view id,
                                     std::string_view origin, const ParsedDocument& document) {
  const std::vector<Passage> passages =
      TRY(cut_passages(document, context_.settings.chunk, count_tokens_));
  std::vector<Sha256> keys;
  keys.reserve(passages.size());
  for (const Passage& passage : passages) {
    std::string context = retrieval_context(document.meta, passage);
    std::string text = document.text.substr(passage.bytes.start, passage.bytes.size());
    keys.push_back(embedding_key(context_.encoder.model_hash(), context, text));
    TRY(embedder_.add(keys.back(), std::move(context), std::move(text)));
  }
  TRY(context_.store.stage_version(source, id, origin, document, passages, keys));
  passages_ += passages.size();
  return passages.size();
}

Result<void> IngestRun::remove_missing() {
  if (!context_.settings.ingest.remove_missing) return {};
  const auto kept = [this](const std::string& origin) {
    for (const std::string& path : kept_origins_) {
      if (is_at_or_below(origin, path)) return true;
    }
    return false;
  };
  for (const IngestRoot& root : context_.roots) {
    if (!root.is_folder) continue;
    std::map<std::string, std::size_t> removed;  // Documents by the file they came from.
    for (std::size_t i = 0; i < ledger_.heads(); ++i) {
      const DocumentHead& head = ledger_.head(i);
      if (ledger_.state(i) != HeadState::kUnseen || head.source != root.source) continue;
      if (kept(head.origin)) continue;
      TRY(context_.store.stage_removal(head.document));
      ledger_.set_state(i, HeadState::kRemoved);
      ++summary_.removed;
      ++removed[head.origin];
    }
    for (const auto& [origin, documents] : removed) {
      report({.path = origin, .outcome = FileOutcome::kRemoved, .documents = documents});
    }
  }
  return {};
}

Result<void> IngestRun::recut_unseen() {
  if (!recut_all_) return {};
  for (std::size_t i = 0; i < ledger_.heads(); ++i) {
    const HeadState state = ledger_.state(i);
    if (state == HeadState::kStaged || state == HeadState::kRemoved) continue;
    const DocumentHead& head = ledger_.head(i);
    if (staged_before_.contains(static_cast<std::int64_t>(head.document))) continue;
    const StoredVersion version = TRY(context_.store.version(head.version));
    summary_.passages +=
        TRY(stage(version.source, version.external_id, version.origin, version.content));
    if (checkpointer_.is_due()) TRY(write_checkpoint());
  }
  return {};
}

Result<void> IngestRun::finish() {
  TRY(embedder_.finish());
  return write_checkpoint();
}

}  // namespace beleg

#include "store/generation_writer.h"

#include <limits>
#include <utility>

#include "base/clock.h"
#include "document/release_date.h"
#include "store/generation_cleanup.h"
#include "store/ingest_job.h"
#include "store/lexicon_records.h"
#include "store/string_list.h"
#include "store/truth_reader.h"
#include "text/utf8.h"

namespace beleg {
namespace {

// SQLite refuses longer values anyway (SQLITE_MAX_LENGTH, 10^9 bytes); spans need 32 bits.
constexpr std::size_t kMaxTextBytes = 1'000'000'000;

std::string document_name(std::string_view source, std::string_view external_id) {
  return "document " + printable_path(std::filesystem::path(external_id)) + " of source " +
         printable_path(std::filesystem::path(source));
}

/// Refuses what could not be cited later: the truth holds no span that is not exact.
Result<void> check_spans(const ParsedDocument& content, const std::vector<Passage>& passages,
                         const std::string& name) {
  constexpr std::string_view kRemedy = "report it as a defect of the reader or the chunker";
  if (content.text.size() > kMaxTextBytes) {
    return fail(ErrorCode::kLimit,
                name + ": the text has " + std::to_string(content.text.size()) +
                    " bytes; the limit is " + std::to_string(kMaxTextBytes),
                "split the document");
  }
  if (!is_valid_utf8(content.text)) {
    return fail(ErrorCode::kInvalidArgument, name + ": the text is not valid UTF-8",
                std::string(kRemedy));
  }
  const CodePointIndex index(content.text);
  for (const Block& block : content.blocks) {
    if (block.span.start > block.span.end || block.span.end > index.size()) {
      return fail(ErrorCode::kInvalidArgument, name + ": a block reaches beyond the text",
                  std::string(kRemedy));
    }
  }
  for (std::size_t i = 0; i < passages.size(); ++i) {
    const Passage& passage = passages[i];
    std::string_view wrong;
    if (passage.ordinal != i) wrong = "is out of order";
    if (passage.span.start > passage.span.end || passage.span.end > index.size()) {
      wrong = "reaches beyond the text";
    } else if (index.to_bytes(passage.span) != passage.bytes) {
      wrong = "has bytes that differ from its code points";
    }
    for (const std::string& heading : passage.heading_path) {
      if (!is_valid_utf8(heading)) wrong = "has a heading that is not valid UTF-8";
    }
    if (!wrong.empty()) {
      return fail(ErrorCode::kInvalidArgument,
                  name + ": passage " + std::to_string(i) + " " + std::string(wrong),
                  std::string(kRemedy));
    }
  }
  return {};
}

}  // namespace

std::size_t GenerationWriter::StagedVersion::bytes() const {
  std::size_t total = source.size() + external_id.size() + origin.size() + meta.size() +
                      warnings.size() + blocks.size() + text.size() + 512;
  for (const StagedPassage& staged : passages) total += staged.heading_path.size() + 128;
  return total;
}

GenerationWriter::~GenerationWriter() {
  // What cannot be removed now, the next begin() removes.
  if (building_) static_cast<void>(building_->is_job ? suspend() : abandon());
}

std::optional<Generation> GenerationWriter::building() const {
  if (!building_) return std::nullopt;
  return building_->number;
}

Result<GenerationWriter::Building*> GenerationWriter::require_building() {
  if (building_) return &*building_;
  return fail(ErrorCode::kInternal, "staging without a generation: begin() was not called");
}

Result<FileLock> GenerationWriter::lock_corpus() const {
  if (building_) {
    return fail(ErrorCode::kConflict,
                "generation " + std::to_string(static_cast<std::int64_t>(building_->number)) +
                    " is still being built",
                "commit or abandon it first");
  }
  TRY(database_.require_writable());
  return FileLock::try_acquire(folder_ / "writer.lock");
}

Result<Generation> GenerationWriter::begin() {
  FileLock lock = TRY(lock_corpus());
  TRY(refuse_unfinished_job(database_));
  return enter_generation(std::move(lock), {});
}

Result<Generation> GenerationWriter::begin_job(const JobStart& write_job) {
  return enter_generation(TRY(lock_corpus()), write_job);
}

Result<Generation> GenerationWriter::enter_generation(FileLock lock, const JobStart& write_job) {
  const GenerationInfo current = TRY(read_current_generation(database_));
  TRY(remove_generations_after(database_, current.number));

  auto transaction = TRY(SqliteTransaction::begin_write(database_, Durability::kRelaxed));
  const std::int64_t number = TRY(database_.query_integer("SELECT next_generation FROM corpus"));
  {
    auto add =
        TRY(database_.prepare("INSERT INTO generation(number, parent, created_at, state, stats)"
                              " VALUES(?1, ?2, ?3, 'building', '{}')"));
    add.bind(number, current.number, SystemClock().now());
    TRY(add.run());
  }
  {
    // A number is spent even if nothing comes of it: files of a killed build may bear it.
    auto spend = TRY(database_.prepare("UPDATE corpus SET next_generation = ?1"));
    spend.bind(number + 1);
    TRY(spend.run());
  }
  const bool is_job = write_job != nullptr;
  if (is_job) TRY(write_job(Generation{number}, current.number));
  const std::int64_t last_version = TRY(last_version_id());
  TRY(transaction.commit());
  building_.emplace(Building{std::move(lock), Generation{number}, last_version, is_job});
  return building_->number;
}

Result<void> GenerationWriter::resume_job(const std::function<Result<Generation>()>& find_job) {
  FileLock lock = TRY(lock_corpus());
  auto transaction = TRY(SqliteTransaction::begin_write(database_, Durability::kRelaxed));
  const Generation number = TRY(find_job());
  const std::int64_t last_version = TRY(last_version_id());
  TRY(transaction.commit());
  building_.emplace(Building{std::move(lock), number, last_version, true});
  return {};
}

Result<std::int64_t> GenerationWriter::last_version_id() {
  return database_.query_integer(
      "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'version'), 0)");
}

Result<VersionId> GenerationWriter::stage_version(std::string_view source,
                                                  std::string_view external_id,
                                                  std::string_view origin,
                                                  const ParsedDocument& content,
                                                  const std::vector<Passage>& passages,
                                                  const std::vector<Sha256>& embedding_keys) {
  Building& building = *TRY(require_building());
  const std::string name = document_name(source, external_id);
  if (external_id.empty()) {
    return fail(ErrorCode::kInvalidArgument, name + ": the id is empty",
                "give every document an id");
  }
  if (passages.size() != embedding_keys.size()) {
    return fail(ErrorCode::kInternal,
                name + ": " + std::to_string(passages.size()) + " passages, but " +
                    std::to_string(embedding_keys.size()) + " embedding keys");
  }
  TRY(check_spans(content, passages, name));
  // Before the new one is taken in: if this fails, the new one is not staged.
  if (staged_bytes_ >= kBatchBytes) TRY(flush());

  StagedVersion staged;
  staged.id = VersionId{++building.last_version};
  staged.source = source;
  staged.external_id = external_id;
  staged.origin = origin;
  staged.content_hash = content_hash(content);
  staged.story = content.meta.story.empty() ? std::string(external_id) : content.meta.story;
  if (const auto date = release_date(content.meta)) staged.published = date->time;
  staged.language = content.meta.language;
  staged.meta = metadata_to_json(content.meta);
  staged.encoding = content.encoding;
  staged.replacements = content.replacements;
  staged.warnings = string_list_to_json(content.warnings);
  staged.blocks = blocks_to_json(content.blocks);
  staged.text = content.text;
  staged.passages.reserve(passages.size());
  for (std::size_t i = 0; i < passages.size(); ++i) {
    const Passage& passage = passages[i];
    StagedPassage& out = staged.passages.emplace_back();
    out.passage.span = passage.span;
    out.passage.bytes = passage.bytes;
    out.passage.ordinal = passage.ordinal;
    out.passage.page = passage.page;
    out.heading_path = i > 0 && passage.heading_path == passages[i - 1].heading_path
                           ? staged.passages[i - 1].heading_path
                           : string_list_to_json(passage.heading_path);
    out.embedding_key = embedding_keys[i];
  }
  staged_bytes_ += staged.bytes();
  staged_.push_back(std::move(staged));
  return staged_.back().id;
}

Result<void> GenerationWriter::stage_removal(DocumentId document) {
  const Generation generation = TRY(require_building())->number;
  TRY(flush());
  auto transaction = TRY(SqliteTransaction::begin_write(database_, Durability::kRelaxed));
  if (!TRY(end_head(document, generation))) {
    return fail(
        ErrorCode::kNotFound,
        "document " + std::to_string(static_cast<std::int64_t>(document)) + " is not in the corpus",
        "list the documents again; it may have been removed already");
  }
  TRY(delete_unborn(database_, document));
  return transaction.commit();
}

Result<void> GenerationWriter::put_lexicon(std::string_view bytes) {
  return write_lexicon(database_, TRY(require_building())->number, bytes);
}

Result<void> GenerationWriter::flush() { return staged_.empty() ? Result<void>() : flush_with({}); }

Result<void> GenerationWriter::flush_with(const Statements& also) {
  const Generation generation = TRY(require_building())->number;
  auto transaction = TRY(SqliteTransaction::begin_write(database_, Durability::kRelaxed));
  for (const StagedVersion& staged : staged_) TRY(write(staged, generation));
  if (also) TRY(also());
  TRY(transaction.commit());
  staged_.clear();
  staged_bytes_ = 0;
  return {};
}

Result<void> GenerationWriter::write(const StagedVersion& staged, Generation generation) {
  const DocumentId document = TRY(find_or_add_document(staged, generation));
  TRY(end_head(document, generation));
  {
    auto add = TRY(database_.prepare(
        "INSERT INTO version(id, document, from_generation, to_generation, content_hash, origin,"
        " story, published, language) VALUES(?1, ?2, ?3, NULL, ?4, ?5, ?6, ?7, ?8)"));
    add.bind(staged.id, document, generation, staged.content_hash, staged.origin, staged.story,
             staged.published, staged.language);
    TRY(add.run());
  }
  {
    auto add = TRY(database_.prepare(
        "INSERT INTO content(version, meta, encoding, replacements, warnings, blocks, text)"
        " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)"));
    add.bind(staged.id, staged.meta, staged.encoding, staged.replacements, staged.warnings,
             staged.blocks, staged.text);
    TRY(add.run());
  }
  return write_passages(staged);
}

Result<void> GenerationWriter::write_passages(const StagedVersion& staged) {
  auto add = TRY(database_.prepare(
      "INSERT INTO passage(version, ordinal, start_code_point, end_code_point, start_byte,"
      " end_byte, page, heading_path, embedding_key)"
      " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"));
  for (const StagedPassage& one : staged.passages) {
    const Passage& passage = one.passage;
    add.bind(staged.id, passage.ordinal, passage.span.start, passage.span.end, passage.bytes.start,
             passage.bytes.end, passage.page, one.heading_path, one.embedding_key);
    TRY(add.run());
  }
  return {};
}

Result<DocumentId> GenerationWriter::find_or_add_document(const StagedVersion& staged,
                                                          Generation generation) {
  auto find =
      TRY(database_.prepare("SELECT id FROM document WHERE source = ?1 AND external_id = ?2"));
  find.bind(staged.source, staged.external_id);
  if (TRY(find.step())) return find.id<DocumentId>(0);
  auto add = TRY(database_.prepare(
      "INSERT INTO document(source, external_id, from_generation) VALUES(?1, ?2, ?3)"));
  add.bind(staged.source, staged.external_id, generation);
  TRY(add.run());
  return DocumentId{database_.last_insert_id()};
}

/// Ends the visible head of a document with `generation`, the one being built, or deletes it if it
/// was staged in it. False when there is none.
Result<bool> GenerationWriter::end_head(DocumentId document, Generation generation) {
  VersionId head{};
  Generation from{};
  {
    auto find =
        TRY(database_.prepare("SELECT id, from_generation FROM version INDEXED BY version_head"
                              " WHERE document = ?1 AND to_generation IS NULL"));
    find.bind(document);
    if (!TRY(find.step())) return false;
    head = find.id<VersionId>(0);
    from = find.id<Generation>(1);
  }
  if (from == generation) {
    TRY(delete_version(database_, head));
    return true;
  }
  auto end = TRY(database_.prepare("UPDATE version SET to_generation = ?2 WHERE id = ?1"));
  end.bind(head, generation);
  TRY(end.run());
  return true;
}

Result<GenerationInfo> GenerationWriter::commit(std::string_view stats_json,
                                                const Statements& also) {
  const Generation generation = TRY(require_building())->number;
  TRY(flush());
  auto transaction = TRY(SqliteTransaction::begin_write(database_, Durability::kFull));
  {
    auto finish = TRY(
        database_.prepare("UPDATE generation SET state = 'committed', created_at = ?2, stats = ?3"
                          " WHERE number = ?1"));
    finish.bind(generation, SystemClock().now(),
                stats_json.empty() ? std::string_view("{}") : stats_json);
    TRY(finish.run());
  }
  {
    auto flip = TRY(database_.prepare("UPDATE corpus SET current_generation = ?1"));
    flip.bind(generation);
    TRY(flip.run());
  }
  if (also) TRY(also());
  GenerationInfo committed = TRY(read_current_generation(database_));
  TRY(transaction.commit());
  building_.reset();
  return committed;
}

Result<void> GenerationWriter::abandon() {
  if (!building_) return {};
  staged_.clear();
  staged_bytes_ = 0;
  const Building ending = std::move(*building_);  // The lock goes when this function ends.
  building_.reset();
  const GenerationInfo current = TRY(read_current_generation(database_));
  return remove_generations_after(database_, current.number);
}

Result<void> GenerationWriter::suspend() {
  staged_.clear();
  staged_bytes_ = 0;
  building_.reset();
  return {};
}

Result<void> GenerationWriter::discard() {
  const FileLock lock = TRY(lock_corpus());
  return remove_generations_after(database_, TRY(read_current_generation(database_)).number);
}

Result<void> GenerationWriter::check_rollback(Generation newest, Generation target) {
  const auto name = [](Generation generation) {
    return "generation " + std::to_string(static_cast<std::int64_t>(generation));
  };
  if (target >= newest) {
    return fail(ErrorCode::kInvalidArgument,
                name(target) + " is not before the current one, " +
                    std::to_string(static_cast<std::int64_t>(newest)),
                "`beleg corpus log` lists them");
  }
  TRY(require_readable(database_, target));
  auto tagged = TRY(database_.prepare(
      "SELECT name, generation FROM tag WHERE generation > ?1 ORDER BY generation DESC, name"));
  tagged.bind(target);
  if (!TRY(tagged.step())) return {};
  return fail(
      ErrorCode::kConflict,
      name(tagged.id<Generation>(1)) + " has the tag '" + std::string(tagged.text(0)) +
          "' and would be undone",
      "delete the tag first: `beleg corpus tag --delete " + std::string(tagged.text(0)) + "`");
}

Result<GenerationInfo> GenerationWriter::rollback(std::optional<Generation> target) {
  const FileLock lock = TRY(lock_corpus());
  GenerationInfo reached;
  {
    auto transaction = TRY(SqliteTransaction::begin_write(database_, Durability::kFull));
    const GenerationInfo newest = TRY(read_current_generation(database_));
    if (newest.number == Generation{0}) {
      return fail(ErrorCode::kConflict,
                  "nothing to roll back: the corpus is at generation 0, which is empty",
                  "ingest documents first");
    }
    const Generation wanted = target.value_or(newest.parent);
    TRY(check_rollback(newest.number, wanted));
    {
      auto mark =
          TRY(database_.prepare("UPDATE generation SET state = 'rolled_back'"
                                " WHERE number > ?1 AND state = 'committed'"));
      mark.bind(wanted);
      TRY(mark.run());
    }
    {
      auto flip = TRY(database_.prepare("UPDATE corpus SET current_generation = ?1"));
      flip.bind(wanted);
      TRY(flip.run());
    }
    reached = TRY(read_current_generation(database_));
    TRY(transaction.commit());
  }
  // The corpus is back from here on. What is left of the undone generations is invisible; should
  // its removal fail, the next begin() does it.
  static_cast<void>(remove_generations_after(database_, reached.number));
  return reached;
}

}  // namespace beleg

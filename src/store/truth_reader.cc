#include "store/truth_reader.h"

#include <algorithm>
#include <limits>

#include "base/file.h"
#include "store/string_list.h"

namespace beleg {
namespace {

GenerationInfo generation_from(const SqliteStatement& row) {
  return {.number = row.id<Generation>(0),
          .parent = row.id<Generation>(1),
          .created_at = row.integer(2),
          .stats_json = std::string(row.text(3))};
}

std::uint32_t unsigned_column(const SqliteStatement& row, int column) {
  return static_cast<std::uint32_t>(row.integer(column));
}

/// Adds which row could not be decoded to what is wrong with it.
template <class Value>
Result<Value> in_version(Result<Value> decoded, VersionId id) {
  if (decoded) return decoded;
  return std::unexpected(
      decoded.error().with_context("version " + std::to_string(static_cast<std::int64_t>(id))));
}

std::unexpected<Error> missing(const SqliteDatabase& database, std::string_view what,
                               std::int64_t id) {
  return fail(
      ErrorCode::kNotFound,
      printable_path(database.file()) + ": no " + std::string(what) + " " + std::to_string(id),
      "it may belong to a generation that was rolled back; ask again");
}

Result<ParsedDocument> content_from(const SqliteStatement& row, int first) {
  ParsedDocument content;
  content.meta = TRY(metadata_from_json(row.text(first)));
  content.encoding = row.text(first + 1);
  content.replacements = unsigned_column(row, first + 2);
  content.warnings = TRY(string_list_from_json(row.text(first + 3)));
  content.blocks = TRY(blocks_from_json(row.text(first + 4)));
  content.text = row.text(first + 5);
  return content;
}

constexpr std::string_view kPassageById =
    "SELECT p.id, p.version, v.document, p.ordinal, p.start_code_point, p.end_code_point,"
    " p.start_byte, p.end_byte, p.page, p.embedding_key, p.heading_path"
    " FROM passage p JOIN version v ON v.id = p.version WHERE p.id = ?1";
constexpr std::string_view kPassagesOfVersion =
    "SELECT p.id, p.version, v.document, p.ordinal, p.start_code_point, p.end_code_point,"
    " p.start_byte, p.end_byte, p.page, p.embedding_key, p.heading_path"
    " FROM version v CROSS JOIN passage p ON p.version = v.id WHERE v.id = ?1 ORDER BY p.ordinal";

/// Overwrites `out` by the row. Neighbours mostly stand under the same headings, so the path is
/// decoded only when its bytes differ from `last_path`.
Result<void> read_passage_row(const SqliteStatement& row, std::string& last_path,
                              StoredPassage& out) {
  out.id = row.id<PassageId>(0);
  out.version = row.id<VersionId>(1);
  out.document = row.id<DocumentId>(2);
  out.passage.ordinal = unsigned_column(row, 3);
  out.passage.span = {unsigned_column(row, 4), unsigned_column(row, 5)};
  out.passage.bytes = {unsigned_column(row, 6), unsigned_column(row, 7)};
  out.passage.page = unsigned_column(row, 8);
  out.embedding_key = TRY(row.sha256(9));
  const std::string_view path = row.text(10);
  if (path != last_path) {
    out.passage.heading_path = TRY(in_version(string_list_from_json(path), out.version));
    last_path = path;
  }
  return {};
}

}  // namespace

Result<GenerationInfo> read_current_generation(SqliteDatabase& database) {
  auto row =
      TRY(database.prepare("SELECT g.number, coalesce(g.parent, 0), g.created_at, g.stats"
                           " FROM corpus c JOIN generation g ON g.number = c.current_generation"));
  if (!TRY(row.step())) {
    return fail(ErrorCode::kCorrupt,
                printable_path(database.file()) + ": the current generation is missing",
                "restore the corpus folder from a backup");
  }
  return generation_from(row);
}

Result<std::vector<GenerationInfo>> read_generations(SqliteDatabase& database) {
  const Generation purged_before = TRY(read_purged_before(database));
  auto row =
      TRY(database.prepare("SELECT number, coalesce(parent, 0), created_at, stats FROM generation"
                           " WHERE state = 'committed' AND number > 0 ORDER BY number DESC"));
  std::vector<GenerationInfo> log;
  while (TRY(row.step())) {
    log.push_back(generation_from(row));
    log.back().purged = log.back().number < purged_before;
  }
  return log;
}

Result<Generation> read_purged_before(SqliteDatabase& database) {
  return Generation{TRY(database.query_integer("SELECT coalesce(max(generation), 0) FROM purge"))};
}

Result<void> require_readable(SqliteDatabase& database, Generation generation) {
  const std::string name = "generation " + std::to_string(static_cast<std::int64_t>(generation));
  std::string state = "missing";
  {
    auto row = TRY(database.prepare("SELECT state FROM generation WHERE number = ?1"));
    row.bind(generation);
    if (TRY(row.step())) state = row.text(0);
  }
  if (state == "rolled_back") {
    return fail(ErrorCode::kNotFound, name + " was rolled back",
                "`beleg corpus log` lists those that can be read");
  }
  if (state != "committed") {
    return fail(ErrorCode::kNotFound, "there is no " + name,
                "`beleg corpus log` lists those that can be read");
  }
  if (generation != Generation{0} && generation < TRY(read_purged_before(database))) {
    return fail(ErrorCode::kNotFound, name + " was purged: what was in it is gone for good",
                "`beleg corpus log` lists those that can be read");
  }
  return {};
}

Result<bool> is_purged_version(SqliteDatabase& database, VersionId id) {
  const std::int64_t last =
      TRY(database.query_integer("SELECT coalesce(max(last_version), 0) FROM purge"));
  if (static_cast<std::int64_t>(id) < 1 || static_cast<std::int64_t>(id) > last) return false;
  auto row = TRY(database.prepare("SELECT 1 FROM version WHERE id = ?1"));
  row.bind(id);
  return !TRY(row.step());
}

Result<std::vector<DocumentHead>> read_heads(SqliteDatabase& database, Generation generation) {
  // The second part finds what is superseded or removed only after `generation`.
  auto row = TRY(database.prepare(
      "SELECT v.document, v.id, d.source, d.external_id, v.origin, v.content_hash"
      " FROM version v INDEXED BY version_head CROSS JOIN document d ON d.id = v.document"
      " WHERE v.to_generation IS NULL AND v.from_generation <= ?1 "
      "UNION ALL "
      "SELECT v.document, v.id, d.source, d.external_id, v.origin, v.content_hash"
      " FROM version v INDEXED BY version_to CROSS JOIN document d ON d.id = v.document"
      " WHERE v.to_generation > ?1 AND v.from_generation <= ?1"));
  row.bind(generation);
  std::vector<DocumentHead> heads;
  while (TRY(row.step())) {
    heads.push_back({row.id<DocumentId>(0), row.id<VersionId>(1), std::string(row.text(2)),
                     std::string(row.text(3)), std::string(row.text(4)), TRY(row.sha256(5))});
  }
  // The first part comes in this order already; only the few of the second are moved.
  std::ranges::stable_sort(heads, {}, &DocumentHead::document);
  return heads;
}

Result<std::vector<VersionId>> read_visible_versions(SqliteDatabase& database,
                                                     Generation generation) {
  auto row =
      TRY(database.prepare("SELECT id FROM version INDEXED BY version_head"
                           " WHERE to_generation IS NULL AND from_generation <= ?1 "
                           "UNION ALL "
                           "SELECT id FROM version INDEXED BY version_to"
                           " WHERE to_generation > ?1 AND from_generation <= ?1"));
  row.bind(generation);
  std::vector<VersionId> versions;
  while (TRY(row.step())) versions.push_back(row.id<VersionId>(0));
  std::ranges::sort(versions);
  return versions;
}

Result<std::vector<PassageId>> read_visible_passages(SqliteDatabase& database,
                                                     Generation generation) {
  const std::vector<VersionId> versions = TRY(read_visible_versions(database, generation));
  auto row =
      TRY(database.prepare("SELECT id FROM passage WHERE version BETWEEN ?1 AND ?2"
                           " ORDER BY version, ordinal"));
  std::vector<PassageId> passages;
  for (std::size_t first = 0; first < versions.size();) {
    std::size_t last = first;
    const auto number = [&](std::size_t i) { return static_cast<std::int64_t>(versions[i]); };
    while (last + 1 < versions.size() && number(last + 1) == number(last) + 1) ++last;
    row.bind(versions[first], versions[last]);
    while (TRY(row.step())) passages.push_back(row.id<PassageId>(0));
    first = last + 1;
  }
  return passages;
}

Result<void> visit_embedding_keys(SqliteDatabase& database, Generation generation,
                                  const std::function<void(const Sha256&)>& visit) {
  auto row = TRY(database.prepare("SELECT embedding_key FROM passage WHERE version = ?1"));
  for (const VersionId version : TRY(read_visible_versions(database, generation))) {
    row.bind(version);
    while (TRY(row.step())) {
      if (const auto key = row.sha256(0)) visit(*key);
    }
  }
  return {};
}

Result<VersionId> read_version_with_passage(SqliteDatabase& database, PassageId first) {
  auto row =
      TRY(database.prepare("SELECT version FROM passage WHERE id >= ?1 ORDER BY id LIMIT 1"));
  row.bind(first);
  if (TRY(row.step())) return row.id<VersionId>(0);
  return VersionId{std::numeric_limits<std::int64_t>::max()};
}

Result<StoredVersion> read_version(SqliteDatabase& database, VersionId id) {
  auto row = TRY(database.prepare(
      "SELECT v.document, v.from_generation, v.content_hash, v.origin, d.source, d.external_id,"
      " c.meta, c.encoding, c.replacements, c.warnings, c.blocks, c.text"
      " FROM version v JOIN document d ON d.id = v.document JOIN content c ON c.version = v.id"
      " WHERE v.id = ?1"));
  row.bind(id);
  if (!TRY(row.step())) return missing(database, "version", static_cast<std::int64_t>(id));
  StoredVersion version;
  version.document = row.id<DocumentId>(0);
  version.version = id;
  version.from = row.id<Generation>(1);
  version.content_hash = TRY(row.sha256(2));
  version.origin = row.text(3);
  version.source = row.text(4);
  version.external_id = row.text(5);
  version.content = TRY(in_version(content_from(row, 6), id));
  return version;
}

Result<StoredPassage> read_passage(SqliteDatabase& database, PassageId id) {
  auto row = TRY(database.prepare(kPassageById));
  row.bind(id);
  if (!TRY(row.step())) return missing(database, "passage", static_cast<std::int64_t>(id));
  StoredPassage passage;
  std::string last_path = "[]";
  TRY(read_passage_row(row, last_path, passage));
  return passage;
}

Result<bool> visit_passages(SqliteDatabase& database, VersionId version,
                            const std::function<bool(const StoredPassage&)>& visit) {
  auto row = TRY(database.prepare(kPassagesOfVersion));
  row.bind(version);
  StoredPassage passage;
  std::string last_path = "[]";
  while (TRY(row.step())) {
    TRY(read_passage_row(row, last_path, passage));
    if (!visit(passage)) return false;
  }
  return true;
}

Result<std::vector<StoredPassage>> read_passages(SqliteDatabase& database, VersionId version) {
  std::vector<StoredPassage> passages;
  TRY(visit_passages(database, version, [&](const StoredPassage& passage) {
    passages.push_back(passage);
    return true;
  }));
  return passages;
}

Result<std::vector<VersionId>> read_versions_of_story(SqliteDatabase& database,
                                                      std::string_view story,
                                                      Generation generation) {
  auto row = TRY(database.prepare(
      "SELECT id FROM version INDEXED BY version_story WHERE story = ?1 AND from_generation <= ?2"
      " AND (to_generation IS NULL OR to_generation > ?2)"
      " ORDER BY published DESC NULLS LAST, id DESC"));
  row.bind(story, generation);
  std::vector<VersionId> versions;
  while (TRY(row.step())) versions.push_back(row.id<VersionId>(0));
  return versions;
}

}  // namespace beleg

#include "store/version_audit.h"

#include <optional>
#include <string_view>
#include <utility>

#include "document/document.h"
#include "document/release_date.h"
#include "store/string_list.h"
#include "text/utf8.h"

namespace beleg {
namespace {

std::string number(auto id) { return std::to_string(static_cast<std::int64_t>(id)); }

/// Adds lines that begin with the name of what they are about.
class FindingsOf {
 public:
  FindingsOf(std::string name, std::vector<std::string>& findings)
      : name_(std::move(name)), findings_(findings) {}

  void add(std::string_view fault) { findings_.push_back(name_ + ": " + std::string(fault)); }

  /// The value, or a line that says what is wrong with it.
  template <class Value>
  std::optional<Value> take(std::string_view what, Result<Value> decoded) {
    if (decoded) return std::move(*decoded);
    add(std::string(what) + ": " + decoded.error().message);
    return std::nullopt;
  }

 private:
  std::string name_;
  std::vector<std::string>& findings_;
};

/// Columns of kContent.
enum ContentColumn : int {
  kHash,
  kHasContent,
  kMeta,
  kWarnings,
  kBlocks,
  kText,
  kExternalId,
  kStory,
  kPublished,
  kLanguage,
};
constexpr std::string_view kContent =
    "SELECT v.content_hash, c.version, c.meta, c.warnings, c.blocks, c.text, d.external_id, "
    "v.story,"
    " v.published, v.language FROM version v LEFT JOIN content c ON c.version = v.id"
    " LEFT JOIN document d ON d.id = v.document WHERE v.id = ?1";

/// Columns of kPassages.
enum PassageColumn : int {
  kId,
  kOrdinal,
  kStartCodePoint,
  kEndCodePoint,
  kStartByte,
  kEndByte,
  kEmbeddingKey,
  kHeadingPath,
};
constexpr std::string_view kPassages =
    "SELECT id, ordinal, start_code_point, end_code_point, start_byte, end_byte, embedding_key,"
    " heading_path FROM passage WHERE version = ?1 ORDER BY ordinal";

/// What stands beside the metadata, so that it can be looked up, must say the same.
void compare_copies(const SqliteStatement& row, const DocumentMetadata& meta,
                    FindingsOf& findings) {
  const std::string_view story = meta.story.empty() ? row.text(kExternalId) : meta.story;
  if (row.text(kStory) != story) findings.add("its story is not that of its metadata");
  if (row.text(kLanguage) != meta.language) {
    findings.add("its language is not that of its metadata");
  }
  const std::optional<Date> date = release_date(meta);
  const bool same = date ? !row.is_null(kPublished) && row.integer(kPublished) == date->time
                         : row.is_null(kPublished);
  if (!same) findings.add("its release date is not that of its metadata");
}

/// Checks what is stored beside the passages. True when passages can be compared with the text: it
/// is there and valid; `text` is then it.
Result<bool> check_content(SqliteDatabase& database, VersionId id, FindingsOf& findings,
                           std::string& text) {
  auto row = TRY(database.prepare(kContent));
  row.bind(id);
  if (!TRY(row.step())) {
    return fail(ErrorCode::kCorrupt,
                "version " + number(id) + " is in an index of the database only",
                "restore the corpus folder from a backup");
  }
  const auto hash = findings.take("hash", row.sha256(kHash));
  if (row.is_null(kHasContent)) {
    findings.add("its content is missing");
    return false;
  }
  const auto meta = findings.take("metadata", metadata_from_json(row.text(kMeta)));
  findings.take("warnings", string_list_from_json(row.text(kWarnings)));
  const auto blocks = findings.take("blocks", blocks_from_json(row.text(kBlocks)));
  ParsedDocument content;
  content.text = row.text(kText);
  const bool is_text = is_valid_utf8(content.text);
  if (!is_text) findings.add("the text is not valid UTF-8");
  if (blocks && is_text) {
    const CodePointIndex index(content.text);
    for (const Block& block : *blocks) {
      if (block.span.end > index.size()) findings.add("a block reaches beyond its text");
    }
  }
  if (meta) compare_copies(row, *meta, findings);
  if (meta && blocks && hash) {
    content.meta = *meta;
    content.blocks = *blocks;
    if (content_hash(content) != *hash) {
      findings.add("the content does not have the hash it was stored with");
    }
  }
  text = std::move(content.text);
  return is_text;
}

/// What is wrong with the place of a passage, or empty.
std::string_view place_fault(const SqliteStatement& row, const CodePointIndex& index) {
  const std::int64_t start = row.integer(kStartCodePoint);
  const std::int64_t end = row.integer(kEndCodePoint);
  if (start < 0 || start > end || end > std::int64_t{index.size()})
    return "reaches beyond its text";
  const ByteSpan bytes =
      index.to_bytes({static_cast<std::uint32_t>(start), static_cast<std::uint32_t>(end)});
  if (row.integer(kStartByte) != std::int64_t{bytes.start} ||
      row.integer(kEndByte) != std::int64_t{bytes.end}) {
    return "has bytes that differ from its code points";
  }
  return {};
}

/// `index` is null where there is no text to compare with.
Result<void> check_passages(SqliteDatabase& database, VersionId version,
                            const CodePointIndex* index, PassageId& last_passage,
                            FindingsOf& findings) {
  auto row = TRY(database.prepare(kPassages));
  row.bind(version);
  std::int64_t expected_ordinal = 0;
  while (TRY(row.step())) {
    const auto id = row.id<PassageId>(kId);
    const std::string name = "passage " + number(id);
    if (row.integer(kOrdinal) != expected_ordinal) {
      findings.add(name + " does not follow the one before it");
    }
    if (const auto fault = index == nullptr ? "" : place_fault(row, *index); !fault.empty()) {
      findings.add(name + " " + std::string(fault));
    }
    if (id <= last_passage) findings.add(name + " is older than one of an earlier version");
    findings.take(name, row.sha256(kEmbeddingKey));
    findings.take(name + ": heading path", string_list_from_json(row.text(kHeadingPath)));
    last_passage = id;
    expected_ordinal = row.integer(kOrdinal) + 1;
  }
  return {};
}

Result<void> check_version(SqliteDatabase& database, VersionId id, PassageId& last_passage,
                           std::vector<std::string>& findings) {
  FindingsOf of_version("version " + number(id), findings);
  // Of damaged pages the passages may still be readable.
  std::string text;
  const auto is_text = check_content(database, id, of_version, text);
  if (!is_text) TRY(damage_as_finding(std::unexpected(is_text.error()), findings));
  std::optional<CodePointIndex> index;
  if (is_text.value_or(false)) index.emplace(text);
  return check_passages(database, id, index ? &*index : nullptr, last_passage, of_version);
}

/// Versions of the generations that can be read. What a purge has erased, or is about to, is left
/// out: that it is gone is for another check.
Result<std::vector<VersionId>> readable_versions(SqliteDatabase& database, Generation generation) {
  auto row =
      TRY(database.prepare("SELECT id FROM version WHERE from_generation <= ?1"
                           " AND (to_generation IS NULL OR to_generation >"
                           " (SELECT coalesce(max(generation), 0) FROM purge)) ORDER BY id"));
  row.bind(generation);
  std::vector<VersionId> versions;
  while (TRY(row.step())) versions.push_back(row.id<VersionId>(0));
  return versions;
}

}  // namespace

Result<void> damage_as_finding(Result<void> step, std::vector<std::string>& findings) {
  if (step) return {};
  const ErrorCode code = step.error().code;
  if (code != ErrorCode::kCorrupt && code != ErrorCode::kNotFound) return step;
  findings.push_back(step.error().message);
  return {};
}

Result<void> audit_versions(SqliteDatabase& database, Generation generation,
                            std::vector<std::string>& findings) {
  PassageId last_passage{0};
  for (const VersionId id : TRY(readable_versions(database, generation))) {
    TRY(damage_as_finding(check_version(database, id, last_passage, findings), findings));
  }
  return {};
}

}  // namespace beleg

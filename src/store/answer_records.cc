#include "store/answer_records.h"

#include "base/clock.h"
#include "base/hash.h"
#include "store/answer_format.h"

namespace beleg {
namespace {

constexpr std::size_t kShortestReceiptPrefix = 8;

/// Reads and writes in one transaction, so that no purge comes between: what an answer from an
/// erased generation quotes must not come back with its receipt. `generation_path` is where the
/// JSON names the generation; records that name none pass.
Result<void> refuse_purged(SqliteDatabase& database, std::string_view json,
                           std::string_view generation_path) {
  auto row =
      TRY(database.prepare("SELECT CASE WHEN json_valid(?1) THEN json_extract(?1, ?2)"
                           " < (SELECT max(generation) FROM purge) END"));
  row.bind(json, generation_path);
  if (!TRY(row.step()) || row.integer(0) == 0) return {};
  return fail(ErrorCode::kConflict, "the corpus was purged while the question was answered",
              "ask again");
}

/// A stored receipt of that hash does not have it any more: the answer, given anew, proves itself.
Result<bool> has_damaged_receipt(SqliteDatabase& database, std::string_view key) {
  auto row = TRY(database.prepare("SELECT json FROM receipt WHERE sha256 = ?1"));
  row.bind(key);
  if (!TRY(row.step())) return false;
  const auto stored = parse_answer_record(row.text(0));
  return !stored || receipt_hash(*stored) != key;
}

std::unexpected<Error> no_trace(std::string_view id) {
  if (id == "last") {
    return fail(ErrorCode::kNotFound, "the corpus has no trace yet", "ask a question first");
  }
  return fail(ErrorCode::kNotFound, "no trace \"" + std::string(id) + "\"",
              "use \"last\", or the id that an answer names; the newest " +
                  std::to_string(kKeptTraces) + " are kept");
}

}  // namespace

Result<void> write_receipt(SqliteDatabase& database, std::string_view sha256_hex,
                           std::string_view json) {
  const std::string key = TRY(Sha256::from_hex(sha256_hex)).hex();
  auto transaction = TRY(SqliteTransaction::begin_write(database, Durability::kFull));
  TRY(refuse_purged(database, json, "$.generation"));
  {
    const bool damaged = TRY(has_damaged_receipt(database, key));
    auto add = TRY(database.prepare(
        damaged ? "INSERT OR REPLACE INTO receipt(sha256, created_at, json) VALUES(?1, ?2, ?3)"
                : "INSERT INTO receipt(sha256, created_at, json) VALUES(?1, ?2, ?3)"
                  " ON CONFLICT(sha256) DO NOTHING"));
    add.bind(key, SystemClock().now(), json);
    TRY(add.run());
  }
  return transaction.commit();
}

Result<std::string> read_receipt(SqliteDatabase& database, std::string_view sha256_hex) {
  const std::string prefix(sha256_hex);
  const bool is_hex = prefix.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (prefix.size() < kShortestReceiptPrefix || prefix.size() > 64 || !is_hex) {
    return fail(ErrorCode::kInvalidArgument, "\"" + prefix.substr(0, 80) + "\" is no receipt hash",
                "give at least the first 8 of its 64 hexadecimal digits, or a file");
  }
  // In byte order the hashes that begin with a prefix follow it directly.
  auto row = TRY(database.prepare(
      "SELECT sha256, json FROM receipt WHERE sha256 >= ?1 ORDER BY sha256 LIMIT 2"));
  row.bind(prefix);
  if (!TRY(row.step()) || !row.text(0).starts_with(prefix)) {
    return fail(ErrorCode::kNotFound, "no receipt " + prefix,
                "check the hash and the corpus; a purge erases receipts that quote what it erases");
  }
  std::string json(row.text(1));
  if (TRY(row.step()) && row.text(0).starts_with(prefix)) {
    return fail(ErrorCode::kInvalidArgument, "several receipts begin with " + prefix,
                "give more digits");
  }
  return json;
}

Result<void> write_trace(SqliteDatabase& database, std::string_view id, std::string_view json) {
  if (id.empty() || id == "last") {
    return fail(ErrorCode::kInvalidArgument, "\"" + std::string(id) + "\" cannot name a trace",
                "give the trace an id of its own");
  }
  auto transaction = TRY(SqliteTransaction::begin_write(database, Durability::kFull));
  TRY(refuse_purged(database, json, "$.receipt.generation"));
  {
    auto remove = TRY(database.prepare("DELETE FROM trace WHERE id = ?1"));
    remove.bind(id);
    TRY(remove.run());
  }
  {
    auto add = TRY(database.prepare("INSERT INTO trace(id, created_at, json) VALUES(?1, ?2, ?3)"));
    add.bind(id, SystemClock().now(), json);
    TRY(add.run());
  }
  {
    auto trim = TRY(
        database.prepare("DELETE FROM trace WHERE sequence <="
                         " (SELECT sequence FROM trace ORDER BY sequence DESC LIMIT 1 OFFSET ?1)"));
    trim.bind(kKeptTraces);
    TRY(trim.run());
  }
  return transaction.commit();
}

Result<std::string> read_trace(SqliteDatabase& database, std::string_view id) {
  if (id == "last") {
    auto row = TRY(database.prepare("SELECT json FROM trace ORDER BY sequence DESC LIMIT 1"));
    if (!TRY(row.step())) return no_trace(id);
    return std::string(row.text(0));
  }
  if (id.empty()) return no_trace(id);
  // In byte order the ids that begin with a prefix follow it directly, the prefix itself first.
  auto row = TRY(database.prepare("SELECT id, json FROM trace WHERE id >= ?1 ORDER BY id LIMIT 2"));
  row.bind(id);
  if (!TRY(row.step()) || !row.text(0).starts_with(id)) return no_trace(id);
  std::string json(row.text(1));
  const bool exact = row.text(0) == id;
  if (!exact && TRY(row.step()) && row.text(0).starts_with(id)) {
    return fail(ErrorCode::kInvalidArgument,
                "more than one trace begins with \"" + std::string(id) + "\"",
                "give more of its id");
  }
  return json;
}

}  // namespace beleg

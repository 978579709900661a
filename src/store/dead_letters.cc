#include "store/dead_letters.h"

#include <algorithm>

namespace beleg {
namespace {

constexpr std::string_view kColumns =
    "SELECT id, source, root, path, record, external_id, code, reason, remedy, attempts, first_at,"
    " last_at, more FROM dead_letter ";

DeadLetter letter_of(const SqliteStatement& row) {
  DeadLetter letter;
  letter.id = row.integer(0);
  letter.source = row.text(1);
  letter.root = row.text(2);
  letter.path = row.text(3);
  letter.record = static_cast<std::uint64_t>(row.integer(4));
  letter.external_id = row.text(5);
  letter.code = row.text(6);
  letter.reason = row.text(7);
  letter.remedy = row.text(8);
  letter.attempts = static_cast<std::uint64_t>(row.integer(9));
  letter.first_at = row.integer(10);
  letter.last_at = row.integer(11);
  letter.more = static_cast<std::uint64_t>(row.integer(12));
  return letter;
}

/// For each of the letters that are met, the id of the one of `known` that it is again, or 0. A
/// known document id says more than a line, before which records may have come or gone: those match
/// first.
std::vector<std::int64_t> match_letters(std::vector<DeadLetter> known,
                                        const std::vector<DeadLetter>& met) {
  std::vector<std::int64_t> ids(met.size(), 0);
  const auto match = [&](std::size_t number, const auto& is_same) {
    if (ids[number] != 0) return;
    const auto found = std::ranges::find_if(known, is_same);
    if (found == known.end()) return;
    ids[number] = found->id;
    known.erase(found);
  };
  for (std::size_t i = 0; i < met.size(); ++i) {
    if (met[i].external_id.empty()) continue;
    match(i, [&](const DeadLetter& letter) { return letter.external_id == met[i].external_id; });
  }
  for (std::size_t i = 0; i < met.size(); ++i) {
    match(i, [&](const DeadLetter& letter) {
      return letter.record == met[i].record &&
             (letter.external_id.empty() || met[i].external_id.empty());
    });
  }
  return ids;
}

Result<std::vector<DeadLetter>> letters_of(SqliteDatabase& database, const InputFailures& input) {
  auto row = TRY(database.prepare(
      std::string(kColumns) +
      "INDEXED BY dead_letter_input WHERE source = ?1 AND path = ?2 ORDER BY record, id"));
  row.bind(input.source, input.path);
  std::vector<DeadLetter> letters;
  while (TRY(row.step())) letters.push_back(letter_of(row));
  return letters;
}

}  // namespace

Result<void> note_failures(SqliteDatabase& database, Generation generation, UnixSeconds now,
                           const InputFailures& failures) {
  const std::vector<std::int64_t> ids =
      match_letters(TRY(letters_of(database, failures)), failures.letters);
  auto again = TRY(database.prepare(
      "UPDATE dead_letter SET root = ?2, record = ?3, external_id = ?4, code = ?5, reason = ?6,"
      " remedy = ?7, attempts = attempts + 1, last_at = ?8, generation = ?9, more = ?10"
      " WHERE id = ?1"));
  auto add = TRY(database.prepare(
      "INSERT INTO dead_letter(source, path, root, record, external_id, code, reason, remedy,"
      " attempts, first_at, last_at, generation, more)"
      " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 1, ?9, ?9, ?10, ?11)"));
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const DeadLetter& met = failures.letters[i];
    if (ids[i] != 0) {
      again.bind(ids[i], failures.root, met.record, met.external_id, met.code, met.reason,
                 met.remedy, now, generation, met.more);
      TRY(again.run());
    } else {
      add.bind(failures.source, failures.path, failures.root, met.record, met.external_id, met.code,
               met.reason, met.remedy, now, generation, met.more);
      TRY(add.run());
    }
  }
  return {};
}

Result<void> drop_succeeded(SqliteDatabase& database, Generation generation) {
  auto drop = TRY(database.prepare(
      "DELETE FROM dead_letter WHERE generation <> ?1 AND EXISTS (SELECT 1 FROM ingest_job_file f"
      " WHERE f.done = 1 AND f.source = dead_letter.source AND f.path = dead_letter.path)"));
  drop.bind(generation);
  return drop.run();
}

Result<std::uint64_t> drop_letters(SqliteDatabase& database, const std::vector<std::int64_t>& ids) {
  auto drop = TRY(database.prepare("DELETE FROM dead_letter WHERE id = ?1"));
  std::uint64_t dropped = 0;
  for (const std::int64_t id : ids) {
    drop.bind(id);
    TRY(drop.run());
    dropped += static_cast<std::uint64_t>(database.changes());
  }
  return dropped;
}

Result<std::vector<DeadLetter>> read_dead_letters(SqliteDatabase& database) {
  std::vector<DeadLetter> letters;
  auto row = TRY(database.prepare(std::string(kColumns) + "ORDER BY path, source, record, id"));
  while (TRY(row.step())) letters.push_back(letter_of(row));
  return letters;
}

}  // namespace beleg

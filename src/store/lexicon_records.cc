#include "store/lexicon_records.h"

#include <cstddef>
#include <cstdint>

namespace beleg {
namespace {

// SQLite refuses longer values anyway (SQLITE_MAX_LENGTH).
constexpr std::size_t kMaxLexiconBytes = 1'000'000'000;

}  // namespace

Result<void> write_lexicon(SqliteDatabase& database, Generation generation,
                           std::string_view bytes) {
  if (bytes.size() > kMaxLexiconBytes) {
    return fail(ErrorCode::kLimit,
                "a lexicon of " + std::to_string(bytes.size()) + " bytes; the limit is " +
                    std::to_string(kMaxLexiconBytes),
                "keep fewer words in it");
  }
  auto transaction = TRY(SqliteTransaction::begin_write(database, Durability::kRelaxed));
  {
    auto put =
        TRY(database.prepare("INSERT INTO lexicon(generation, bytes) VALUES(?1, ?2)"
                             " ON CONFLICT(generation) DO UPDATE SET bytes = excluded.bytes"));
    put.bind(generation, SqliteBlob{bytes});
    TRY(put.run());
  }
  return transaction.commit();
}

Result<std::optional<std::pair<Generation, std::string>>> read_lexicon(
    SqliteDatabase& database, Generation generation, std::optional<Generation> building) {
  auto row = TRY(database.prepare(
      "SELECT l.generation, l.bytes FROM lexicon l JOIN generation g ON g.number = l.generation"
      " WHERE l.generation <= ?1 AND (g.state = 'committed' OR g.number = ?2)"
      " ORDER BY l.generation DESC LIMIT 1"));
  std::optional<std::int64_t> own;
  if (building) own = static_cast<std::int64_t>(*building);
  row.bind(generation, own);
  std::optional<std::pair<Generation, std::string>> found;
  if (TRY(row.step())) found.emplace(row.id<Generation>(0), std::string(row.blob(1)));
  return found;
}

}  // namespace beleg

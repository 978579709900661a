#include "store/generation_tags.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>

#include "base/clock.h"
#include "base/file.h"
#include "store/truth_reader.h"

namespace beleg {
namespace {

constexpr std::size_t kMaxNameBytes = 64;
constexpr std::string_view kCurrent = "current";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c);
}

/// A name that cannot be taken for a number, an option or the current generation.
bool is_tag_name(std::string_view name) {
  return !name.empty() && name.size() <= kMaxNameBytes && is_letter_or_digit(name.front()) &&
         name != kCurrent && !std::ranges::all_of(name, is_digit) &&
         std::ranges::all_of(name, [](char c) {
           return is_letter_or_digit(c) || c == '.' || c == '_' || c == '-';
         });
}

std::string quoted(std::string_view name) {
  return "'" + printable_path(std::filesystem::path(name)) + "'";
}

std::unexpected<Error> no_tag(std::string_view name) {
  return fail(ErrorCode::kNotFound, "no generation has the tag " + quoted(name),
              "`beleg corpus tag` lists them");
}

}  // namespace

Result<std::vector<GenerationTag>> read_tags(SqliteDatabase& database) {
  auto row = TRY(database.prepare("SELECT name, generation, created_at FROM tag ORDER BY name"));
  std::vector<GenerationTag> tags;
  while (TRY(row.step())) {
    tags.push_back({std::string(row.text(0)), row.id<Generation>(1), row.integer(2)});
  }
  return tags;
}

Result<void> write_tag(SqliteDatabase& database, std::string_view name, Generation generation) {
  if (!is_tag_name(name)) {
    return fail(ErrorCode::kInvalidArgument, quoted(name) + " cannot name a generation",
                "use 1 to 64 letters, digits, '.', '_' and '-', beginning with a letter or digit, "
                "not digits alone and not 'current'");
  }
  auto transaction = TRY(SqliteTransaction::begin_write(database, Durability::kFull));
  TRY(require_readable(database, generation));
  {
    auto taken = TRY(database.prepare("SELECT generation FROM tag WHERE name = ?1"));
    taken.bind(name);
    if (TRY(taken.step())) {
      return fail(
          ErrorCode::kConflict,
          quoted(name) + " is already the tag of generation " + std::to_string(taken.integer(0)),
          "delete it first, or choose another name");
    }
  }
  {
    auto add =
        TRY(database.prepare("INSERT INTO tag(name, generation, created_at) VALUES(?1, ?2, ?3)"));
    add.bind(name, generation, SystemClock().now());
    TRY(add.run());
  }
  return transaction.commit();
}

Result<void> delete_tag(SqliteDatabase& database, std::string_view name) {
  auto transaction = TRY(SqliteTransaction::begin_write(database, Durability::kFull));
  {
    auto remove = TRY(database.prepare("DELETE FROM tag WHERE name = ?1"));
    remove.bind(name);
    TRY(remove.run());
  }
  if (database.changes() == 0) return no_tag(name);
  return transaction.commit();
}

Result<GenerationInfo> find_generation(CorpusStore& store, std::string_view name) {
  GenerationInfo current = TRY(store.current());
  if (name.empty() || name == kCurrent) return current;
  Generation wanted{};
  if (std::ranges::all_of(name, is_digit)) {
    std::int64_t number = 0;
    const auto parsed = std::from_chars(name.data(), name.data() + name.size(), number);
    if (parsed.ec != std::errc()) {
      return fail(ErrorCode::kNotFound, "there is no generation " + std::string(name),
                  "`beleg corpus log` lists them");
    }
    wanted = Generation{number};
  } else {
    const auto tags = TRY(store.tags());
    const auto tag = std::ranges::find(tags, name, &GenerationTag::name);
    if (tag == tags.end()) return no_tag(name);
    wanted = tag->generation;
  }
  TRY(store.check_readable(wanted));
  if (wanted == current.number) return current;
  for (const GenerationInfo& generation : TRY(store.log())) {
    if (generation.number == wanted) return generation;
  }
  return GenerationInfo{};  // Generation 0, which no log lists.
}

}  // namespace beleg

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/ids.h"
#include "base/result.h"
#include "store/sqlite_database.h"

namespace beleg {

// What is learned from the words of a generation, as opaque bytes. Most generations have none of
// their own and use that of an earlier one.

/// Replaces the lexicon of a generation. kLimit for more than 10^9 bytes.
Result<void> write_lexicon(SqliteDatabase& database, Generation generation, std::string_view bytes);
/// The newest one up to `generation` that is committed or `building`.
Result<std::optional<std::pair<Generation, std::string>>> read_lexicon(
    SqliteDatabase& database, Generation generation, std::optional<Generation> building);

}  // namespace beleg

#pragma once

#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "store/corpus_store.h"
#include "store/sqlite_database.h"

namespace beleg {

// Names of generations; CorpusStore says what each call promises.

Result<std::vector<GenerationTag>> read_tags(SqliteDatabase& database);
Result<void> write_tag(SqliteDatabase& database, std::string_view name, Generation generation);
Result<void> delete_tag(SqliteDatabase& database, std::string_view name);

}  // namespace beleg

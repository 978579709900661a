#pragma once

#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "store/corpus_store.h"
#include "store/sqlite_database.h"

namespace beleg {

/// Counts what is visible in `generation`, and rows of any generation that belong to nothing.
Result<StoreCounts> count_truth(SqliteDatabase& database, Generation generation);

/// Re-checks everything that the truth promises about `generation` and what can be read before it,
/// from the pages of the file to the hash of every text. One line per finding, and none
/// hides another; an error only when checking itself is impossible.
Result<std::vector<std::string>> audit_truth(SqliteDatabase& database, Generation generation);

}  // namespace beleg

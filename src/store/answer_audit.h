#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "store/sqlite_database.h"

namespace beleg {

/// Checks every stored receipt and trace: it is JSON, it is filed under its own hash or id, and its
/// receipt has the hash that it claims. Appends a line per damaged one that names its hash or id.
/// An error only when the tables cannot be read.
Result<void> audit_answers(SqliteDatabase& database, std::vector<std::string>& findings);

}  // namespace beleg

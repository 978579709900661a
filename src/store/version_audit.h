#pragma once

#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "store/sqlite_database.h"

namespace beleg {

/// Turns a step that failed because of damage into a line; other errors stay errors.
Result<void> damage_as_finding(Result<void> step, std::vector<std::string>& findings);

/// Checks every version that `generation` or an earlier one that can still be read shows: stored
/// metadata, warnings, blocks and heading paths, the hash of the content, blocks and passages
/// inside the text. Appends a line for each thing that is wrong; none keeps another from being
/// looked at, but for what cannot be said without it, such as a hash over what cannot be decoded.
/// An error only when the tables cannot be read.
Result<void> audit_versions(SqliteDatabase& database, Generation generation,
                            std::vector<std::string>& findings);

}  // namespace beleg

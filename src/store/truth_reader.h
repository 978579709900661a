#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "store/corpus_store.h"
#include "store/sqlite_database.h"

namespace beleg {

// Reading statements of the truth. Callers hold a read transaction where more than one must agree.

Result<GenerationInfo> read_current_generation(SqliteDatabase& database);
/// Committed generations, newest first, without the empty generation 0.
Result<std::vector<GenerationInfo>> read_generations(SqliteDatabase& database);
/// kNotFound unless `generation` is 0 or a committed one that was neither rolled back nor purged;
/// the message says which.
Result<void> require_readable(SqliteDatabase& database, Generation generation);
/// The newest generation that a purge kept; 0 without one. What is before it is gone.
Result<Generation> read_purged_before(SqliteDatabase& database);
/// True when the version existed and a purge may have erased it.
Result<bool> is_purged_version(SqliteDatabase& database, VersionId id);

/// Heads ordered by document. Costs what the answer costs: superseded versions of the past are not
/// visited unless they were superseded after `generation`.
Result<std::vector<DocumentHead>> read_heads(SqliteDatabase& database, Generation generation);
/// Ids of the visible versions, ascending; the same cost.
Result<std::vector<VersionId>> read_visible_versions(SqliteDatabase& database,
                                                     Generation generation);
/// Ids of the passages of the visible versions, ascending. Reads no row of a passage, only the
/// index of (version, ordinal), in one walk per run of consecutive visible versions.
Result<std::vector<PassageId>> read_visible_passages(SqliteDatabase& database,
                                                     Generation generation);
/// The embedding keys of those passages; a damaged one is left out.
Result<void> visit_embedding_keys(SqliteDatabase& database, Generation generation,
                                  const std::function<void(const Sha256&)>& visit);
/// The version of the first passage with an id of at least `first`; a number above all versions
/// when there is none.
Result<VersionId> read_version_with_passage(SqliteDatabase& database, PassageId first);
Result<StoredVersion> read_version(SqliteDatabase& database, VersionId id);
Result<StoredPassage> read_passage(SqliteDatabase& database, PassageId id);

/// Calls `visit` for the passages of a version in document order until it returns false, which
/// this then returns too. The passage is overwritten by the next one.
Result<bool> visit_passages(SqliteDatabase& database, VersionId version,
                            const std::function<bool(const StoredPassage&)>& visit);
Result<std::vector<StoredPassage>> read_passages(SqliteDatabase& database, VersionId version);
Result<std::vector<VersionId>> read_versions_of_story(SqliteDatabase& database,
                                                      std::string_view story,
                                                      Generation generation);

}  // namespace beleg

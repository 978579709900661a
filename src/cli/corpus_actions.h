#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/session.h"

namespace beleg {

// Actions of `beleg corpus` on generations. Each returns the exit code.

/// `log`: generations, newest first, with tags and what their ingests did.
Result<int> show_log(const Session& session);
/// `diff A [B]`: numbers or tags; B is the current generation unless given.
Result<int> show_difference(const Session& session, const std::vector<std::string>& names);
/// `tag [NAME [GENERATION]]`: lists, or names a generation; with `remove` it deletes the tag.
Result<int> change_tags(const Session& session, const std::vector<std::string>& names, bool remove);

// Actions that take documents away.

/// `remove ID...`: a new generation without them. `source` may be empty.
Result<int> remove_from_corpus(const Session& session, const std::vector<std::string>& ids,
                               const std::string& source);
/// `purge`: erases for good what the current generation does not show. Does it only when `agreed`.
Result<int> purge(const Session& session, bool dry_run, bool agreed);

}  // namespace beleg

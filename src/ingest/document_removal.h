#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/corpus_store.h"

namespace beleg {

/// What a removal did.
struct RemovalSummary {
  GenerationInfo generation;
  std::vector<DocumentHead> removed;
};

/// Removes documents by the ids that their sources gave them, as one new generation with its index.
/// All or none: kNotFound names the first id that no document has; kInvalidArgument names one that
/// several sources have, unless `source` says which is meant; kConflict when another process
/// writes or an ingest is unfinished. The texts stay readable in earlier generations until they are
/// purged.
Result<RemovalSummary> remove_documents(CorpusStore& store, const std::vector<std::string>& ids,
                                        const std::optional<std::string>& source);

}  // namespace beleg

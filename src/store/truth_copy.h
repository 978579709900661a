#pragma once

#include <filesystem>
#include <vector>

#include "base/hash.h"
#include "base/result.h"
#include "store/corpus_store.h"

namespace beleg {

/// Copies the truth of the corpus in `folder` to the new file `target`, while others read and
/// write: one snapshot, without the rows of a generation that is just being built, as one file that
/// needs no log. Returns its current generation. `target` is durable, and removed on errors.
Result<GenerationInfo> copy_truth(const std::filesystem::path& folder,
                                  const std::filesystem::path& target);

/// Makes a copy ready for use as `truth.db` of a corpus: write-ahead log as in every corpus.
Result<void> adopt_truth(const std::filesystem::path& file);

/// The keys of all embeddings that the versions in a truth name, ascending.
Result<std::vector<Sha256>> read_embedding_keys(const std::filesystem::path& file);

/// True when a purge was begun and did not come to its end.
Result<bool> has_unfinished_purge(const std::filesystem::path& file);

}  // namespace beleg

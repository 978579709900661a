#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "index/index_snapshot.h"
#include "store/corpus_store.h"

namespace beleg {

/// What `beleg audit` found. All is well when `findings` is empty.
struct CorpusAudit {
  Generation generation{};
  StoreCounts truth;
  bool counted = false;  ///< `truth` could be counted.
  IndexSnapshot::Counts index;
  std::size_t embeddings = 0;  ///< Records of the pack.
  std::vector<std::string> findings;
};

/// Checks the current generation of a corpus: documents = heads, passages = rows = lexical entries
/// = vectors = token entries, no orphans, texts at spans, hashes, checksums of every derived file
/// and of every embedding. Changes nothing.
Result<CorpusAudit> audit_corpus(CorpusStore& store);

}  // namespace beleg

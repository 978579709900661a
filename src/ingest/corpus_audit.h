#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "index/index_snapshot.h"
#include "store/corpus_store.h"

namespace beleg {

/// What `beleg audit` found. All is well when both lists are empty.
struct CorpusAudit {
  Generation generation{};
  StoreCounts truth;
  bool counted = false;  ///< `truth` could be counted.
  IndexSnapshot::Counts index;
  std::size_t embeddings = 0;                ///< Records of the pack.
  std::vector<std::string> findings;         ///< In what is searched and quoted.
  std::vector<std::string> answer_findings;  ///< In receipts and traces of the past.
};

/// Checks the current generation of a corpus: documents = heads, passages = rows = lexical entries
/// = vectors = token entries, no orphans, texts at spans, hashes, checksums of every derived file
/// and of every embedding, receipts and traces. Changes nothing.
Result<CorpusAudit> audit_corpus(CorpusStore& store);

}  // namespace beleg

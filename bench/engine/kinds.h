#pragma once

#include <span>

#include "base/result.h"
#include "options.h"

namespace beleg {

/// One thing that can be measured. `run` prints its JSON line itself.
struct BenchKind {
  const char* name;
  Result<void> (*run)(const BenchOptions&);
};
[[nodiscard]] std::span<const BenchKind> bench_kinds();

/// BM25 alone: build, memory, disk, latency, hit@10. With --cold: a saved index, one question.
Result<void> run_lexical(const BenchOptions& options);
/// Exact or approximate search over one saved set of vectors.
Result<void> run_ann(const BenchOptions& options);
/// The encoder alone: passages per second, latency of one question.
Result<void> run_embed(const BenchOptions& options);
/// Late interaction over given passages of an ingested corpus.
Result<void> run_rerank(const BenchOptions& options);
/// Brings the corpus of the next kinds up to date; prints what that took.
Result<void> run_prepare(const BenchOptions& options);
/// The product's search and its neighbours (--no-rerank), or the whole cascade.
Result<void> run_pipe(const BenchOptions& options);
/// A corpus from nothing, as the product ingests it.
Result<void> run_ingest(const BenchOptions& options);
/// Fresh processes to their first answer.
Result<void> run_cold(const BenchOptions& options);
/// Inside one of the processes of `cold`: how long until the engine is ready.
Result<void> run_ready(const BenchOptions& options);
/// Latency while every core is busy with something else.
Result<void> run_contention(const BenchOptions& options);
/// Keeps one core and the memory busy until it is killed.
Result<void> run_burn(const BenchOptions& options);
/// A lexical index over `rows` made-up texts, and a dense one over made-up vectors.
Result<void> run_growth_lexical(const BenchOptions& options);
Result<void> run_growth_dense(const BenchOptions& options);

}  // namespace beleg

#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "dataset.h"
#include "measure.h"
#include "options.h"
#include "pipeline/engine.h"

namespace beleg {

/// A corpus that the product itself made of the measured passages: those of one document are
/// written as the paragraphs of one text, which ingest reads and cuts by its own rules.
struct ProductCorpus {
  std::filesystem::path home;  ///< Below `--work`; its models are those of `--home`.
  std::string name;            ///< Tells limit, model and where the vectors come from.
  BenchJson ingest;            ///< What the ingest did and took.
};

/// Brings the corpus up to date; what was encoded in earlier runs is not encoded again.
/// `fresh` removes it first, so that the ingest can be timed.
Result<ProductCorpus> prepare_corpus(const BenchOptions& options,
                                     const std::vector<BenchPassage>& passages, bool fresh);

/// The same in a process of its own (`--kind prepare`), so that what an ingest needs does not count
/// as memory of the run.
Result<ProductCorpus> prepare_apart(const BenchOptions& options);

/// The command that runs another kind of this program over the same corpus with the same settings.
[[nodiscard]] std::vector<std::string> own_command(const BenchOptions& options,
                                                   const std::string& kind);

/// The same corpus as an earlier prepare_corpus() left it, for processes that must not ingest.
ProductCorpus existing_corpus(const BenchOptions& options);

/// The settings of a run without the retriever that compares all tokens of all passages, unless
/// `--set retrieve.late=…` says otherwise: the peers' pipelines search twice, not three times.
Result<Settings> two_list_settings(const BenchOptions& options);

Result<std::unique_ptr<Engine>> open_engine(const ProductCorpus& corpus, const Settings& settings);

/// For each row of the engine's index, the id of the measured passage that it shares most bytes
/// with.
Result<std::vector<std::string>> ids_of_rows(const Engine& engine,
                                             const std::vector<BenchPassage>& passages);

}  // namespace beleg

#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "index/index_snapshot.h"
#include "model/cross_encoder.h"
#include "model/encoder.h"
#include "model/manifest.h"
#include "rank/combiner.h"
#include "settings/settings.h"
#include "store/corpus_store.h"

namespace beleg {

/// Where things are, and what is asked of them.
struct EngineOptions {
  std::filesystem::path home;
  std::string corpus = "default";
  Settings settings;
  std::string generation;  ///< Number or tag of the one to answer from; empty: the current one.
};

/// One opened corpus with its models: what the cascade runs on. Sees one generation for its whole
/// life. Used by one thread at a time; the models inside may be shared.
class Engine {
 public:
  /// Opens the corpus (kNotFound when there is none, or the generation cannot be read), its index
  /// (built again when damaged; that of an earlier generation when it is needed) and the encoder
  /// (kUnavailable with the command to run when the model is absent, kConflict when the corpus was
  /// encoded by another one).
  static Result<std::unique_ptr<Engine>> open(EngineOptions options);

  [[nodiscard]] const Settings& settings() const { return options_.settings; }
  [[nodiscard]] const std::string& corpus() const { return options_.corpus; }
  [[nodiscard]] const GenerationInfo& generation() const { return generation_; }
  [[nodiscard]] CorpusStore& store() const { return *store_; }
  [[nodiscard]] const IndexSnapshot& index() const { return *index_; }
  [[nodiscard]] const Encoder& encoder() const { return *encoder_; }
  [[nodiscard]] const RelevanceModel& relevance_model() const { return relevance_model_; }
  /// The middle release date of the corpus; empty without dates.
  [[nodiscard]] std::optional<UnixSeconds> median_date() const { return median_date_; }
  /// True when the index had to be built again on opening: worth a line to the user.
  [[nodiscard]] bool index_was_rebuilt() const { return index_was_rebuilt_; }
  /// The language most passages are in: what a question that does not tell is taken for.
  [[nodiscard]] const std::string& main_language() const { return main_language_; }

  /// Opens the cross-encoder that the settings name, once. kUnavailable when it is absent.
  Result<const CrossEncoder*> cross_encoder();

  /// Encodes questions in one batch.
  Result<std::vector<QueryVectors>> encode_questions(
      const std::vector<std::string>& questions) const;

  /// Runs with other settings on the same corpus (they must not change how passages are made).
  void set_settings(const Settings& settings) { options_.settings = settings; }

 private:
  explicit Engine(EngineOptions options) : options_(std::move(options)) {}
  Result<void> open_index();

  EngineOptions options_;
  GenerationInfo generation_;
  std::unique_ptr<CorpusStore> store_;
  std::unique_ptr<Encoder> encoder_;
  std::unique_ptr<CrossEncoder> cross_encoder_;
  std::shared_ptr<const IndexSnapshot> index_;  // Shared: the index hands out no other kind.
  RelevanceModel relevance_model_;
  std::optional<UnixSeconds> median_date_;
  std::string main_language_;
  bool index_was_rebuilt_ = false;
};

/// Opens the encoder that the settings name, from the models folder of `home`.
Result<std::unique_ptr<Encoder>> open_encoder(const std::filesystem::path& home,
                                              const Settings& settings);

/// Where a fitted relevance model of an encoder is kept: beside the model, with its manifest.
[[nodiscard]] std::filesystem::path relevance_model_path(const std::filesystem::path& home,
                                                         const std::string& encoder);

/// The relevance model stored there, or the one that is shipped when there is no such file. Errors
/// name the file.
Result<RelevanceModel> load_relevance_model(const std::filesystem::path& path);

}  // namespace beleg

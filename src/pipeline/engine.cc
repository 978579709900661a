#include "pipeline/engine.h"

#include "base/file.h"
#include "ingest/index_build.h"
#include "ingest/ingest.h"

namespace beleg {
namespace {

constexpr std::uint64_t kMaxModelFileBytes = 1U << 20U;

}  // namespace

std::filesystem::path relevance_model_path(const std::filesystem::path& home,
                                           const std::string& encoder) {
  return home / "models" / encoder / "relevance.json";
}

Result<RelevanceModel> load_relevance_model(const std::filesystem::path& path) {
  auto json = read_file(path, kMaxModelFileBytes);
  if (!json) {
    if (json.error().code == ErrorCode::kNotFound) return default_relevance_model();
    return std::unexpected(json.error());
  }
  auto model = relevance_model_from_json(*json);
  if (!model) return std::unexpected(model.error().with_context(printable_path(path)));
  return model;
}

Result<std::unique_ptr<Encoder>> open_encoder(const std::filesystem::path& home,
                                              const Settings& settings) {
  const ModelStore models(home / "models");
  return open_installed_encoder(models, settings.encoder, {.threads = settings.threads});
}

Result<std::unique_ptr<Engine>> Engine::open(EngineOptions options) {
  std::unique_ptr<Engine> engine(new Engine(std::move(options)));
  const EngineOptions& o = engine->options_;
  const std::filesystem::path folder = TRY(corpus_folder(o.home, o.corpus));
  engine->store_ = TRY(CorpusStore::open(folder));
  engine->generation_ = TRY(find_generation(*engine->store_, o.generation));
  if (engine->generation_.number == Generation{0}) {
    return fail(ErrorCode::kNotFound, "the corpus '" + o.corpus + "' is empty",
                "run `beleg ingest PATH` first");
  }
  engine->encoder_ = TRY(open_encoder(o.home, o.settings));
  TRY(check_encoder(engine->generation_, *engine->encoder_));
  engine->relevance_model_ =
      TRY(load_relevance_model(relevance_model_path(o.home, o.settings.encoder)));
  TRY(engine->open_index());
  return engine;
}

Result<void> Engine::open_index() {
  index_ = TRY(
      open_or_rebuild_index(*store_, generation_.number, encoder_->dims(), &index_was_rebuilt_));
  // Indexes of earlier generations are not kept: to build one again is no damage.
  const GenerationInfo current = TRY(store_->current());
  if (generation_.number < current.number) index_was_rebuilt_ = false;
  median_date_ = index_->median_published();
  const auto languages = index_->languages();
  main_language_ = languages.empty() ? "und" : languages.front().first;
  return {};
}

Result<const CrossEncoder*> Engine::cross_encoder() {
  if (!cross_encoder_) {
    const ModelStore models(options_.home / "models");
    const InstalledModel model = TRY(models.find(options_.settings.rerank.cross_encoder, false));
    if (model.state != ModelState::kReady) {
      return fail(ErrorCode::kUnavailable,
                  "the cross-encoder '" + model.manifest.name + "' is not usable: " + model.detail,
                  "`beleg models add` installs one");
    }
    cross_encoder_ = TRY(open_onnx_cross_encoder(model.folder.string(), options_.settings.threads));
  }
  return cross_encoder_.get();
}

Result<std::vector<QueryVectors>> Engine::encode_questions(
    const std::vector<std::string>& questions) const {
  std::vector<EncoderInput> inputs;
  inputs.reserve(questions.size());
  for (const std::string& question : questions) {
    inputs.push_back({.role = InputRole::kQuery, .context = {}, .text = question});
  }
  std::vector<EncodedText> encoded = TRY(encoder_->encode(inputs));
  std::vector<QueryVectors> vectors;
  vectors.reserve(encoded.size());
  for (EncodedText& text : encoded) {
    QueryVectors query;
    query.dense = std::move(text.dense);
    query.token_vectors = std::move(text.token_vectors);
    query.tokens.reserve(text.tokens.size());
    for (const Token& token : text.tokens) query.tokens.push_back(token.id);
    vectors.push_back(std::move(query));
  }
  return vectors;
}

}  // namespace beleg

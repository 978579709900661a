#include <algorithm>
#include <array>

#include "model/encoder.h"
#include "model/manifest.h"

namespace beleg {
namespace {

constexpr const char* kE5File = "e5-small-q4.bin";

/// Sentence encoders whose own length differs from what their files say: the first 256 tokens are
/// what the authors of all-MiniLM-L6-v2 take (sentence_bert_config.json).
std::uint32_t published_length(std::string_view name) {
  return name == "all-minilm-l6-v2" ? 256 : 0;
}

bool has_file(const InstalledModel& model, std::string_view name) {
  return std::ranges::any_of(model.manifest.files,
                             [&](const ModelFile& file) { return file.name == name; });
}

}  // namespace

Result<std::unique_ptr<Encoder>> open_installed_encoder(const ModelStore& models,
                                                        std::string_view name,
                                                        const EncoderOptions& options) {
  const InstalledModel model = TRY(models.find(name, /*verify=*/false));
  if (model.manifest.role != "encoder") {
    return fail(ErrorCode::kInvalidArgument,
                "the model " + std::string(name) + " is of the role " + model.manifest.role +
                    ", not an encoder",
                "set models.encoder to an encoder of `beleg models list`");
  }
  if (has_file(model, kE5File)) {
    const auto file = TRY(models.file(name, kE5File));
    return open_e5_encoder(file.string(), options);
  }
  const auto file = TRY(models.file(name, "model.onnx"));
  return open_bert_encoder(model.manifest.name, file.parent_path().string(),
                           {.threads = options.threads,
                            .max_tokens = published_length(model.manifest.name),
                            .arithmetic = options.arithmetic});
}

}  // namespace beleg

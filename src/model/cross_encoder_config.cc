#include "model/cross_encoder_config.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>

#include "base/file.h"

namespace beleg {
namespace {

constexpr std::uint64_t kMaxFileBytes = 16ULL << 20U;
constexpr std::uint64_t kMaxLength = 65'536;  // Larger numbers mean "no limit" in these files.

/// The parsed file; null when there is none.
Result<nlohmann::json> read_json(const std::filesystem::path& path) {
  const auto text = read_file(path, kMaxFileBytes);
  if (!text) {
    if (text.error().code == ErrorCode::kNotFound) return nlohmann::json();
    return std::unexpected(text.error());
  }
  nlohmann::json json = nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) {
    return fail(ErrorCode::kCorrupt, printable_path(path) + " is not a JSON object",
                "get the file again, or remove it");
  }
  return json;
}

std::optional<std::uint64_t> count_in(const nlohmann::json& json, const char* name) {
  const auto field = json.find(name);
  if (field == json.end() || !field->is_number_unsigned()) return std::nullopt;
  return field->get<std::uint64_t>();
}

void lower_to(std::optional<std::uint32_t>& limit, std::uint64_t value) {
  if (value < 4 || value > kMaxLength) return;
  const auto length = static_cast<std::uint32_t>(value);
  limit = limit ? std::min(*limit, length) : length;
}

std::optional<std::size_t> find_relevant_label(const nlohmann::json& labels) {
  constexpr std::array<std::string_view, 4> kNames = {"entailment", "relevant", "entails", "yes"};
  for (auto entry = labels.begin(); entry != labels.end(); ++entry) {
    if (!entry.value().is_string()) continue;
    std::string name = entry.value().get<std::string>();
    std::transform(name.begin(), name.end(), name.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    if (std::find(kNames.begin(), kNames.end(), name) == kNames.end()) continue;
    const std::string& key = entry.key();
    const bool is_number =
        !key.empty() && key.size() <= 4 &&
        std::all_of(key.begin(), key.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (is_number) return static_cast<std::size_t>(std::stoul(key));
  }
  return std::nullopt;
}

}  // namespace

Result<CrossEncoderConfig> read_cross_encoder_config(const std::filesystem::path& folder) {
  CrossEncoderConfig config;
  const nlohmann::json model = TRY(read_json(folder / "config.json"));
  if (model.is_object()) {
    if (const auto positions = count_in(model, "max_position_embeddings")) {
      // The RoBERTa family numbers positions from the padding token's number + 1.
      const std::string type = model.value("model_type", nlohmann::json("")).dump();
      const bool roberta =
          type.find("roberta") != std::string::npos || type.find("camembert") != std::string::npos;
      const std::uint64_t reserved = roberta ? count_in(model, "pad_token_id").value_or(1) + 1 : 0;
      if (*positions > reserved) lower_to(config.max_length, *positions - reserved);
    }
    if (const auto size = count_in(model, "vocab_size"); size && *size <= UINT32_MAX) {
      config.vocabulary_size = static_cast<std::uint32_t>(*size);
    }
    if (const auto labels = model.find("id2label"); labels != model.end() && labels->is_object()) {
      config.relevant_label = find_relevant_label(*labels);
    }
  }
  const nlohmann::json tokenizer = TRY(read_json(folder / "tokenizer_config.json"));
  if (tokenizer.is_object()) {
    if (const auto length = count_in(tokenizer, "model_max_length")) {
      lower_to(config.max_length, *length);
    }
  }
  return config;
}

}  // namespace beleg

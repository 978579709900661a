#include "ingest/ingest_request.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/file.h"

namespace beleg {
namespace {

/// Changes when readers or chunker make something else of the same bytes: what an older program
/// staged is then not what this one would stage.
constexpr int kReadingVersion = 1;

/// The settings of reading and cutting; all of the section but those that only pace the work.
std::string settings_that_matter(const Settings& settings) {
  std::string lines;
  for (const SettingSpec& spec : setting_specs()) {
    const bool matters = spec.key.starts_with("chunk.") || spec.key.starts_with("ingest.");
    if (!matters || spec.key == "ingest.batch_passages") continue;
    lines += std::string(spec.key) + " = " + setting_value(settings, spec) + "\n";
  }
  return lines;
}

}  // namespace

std::string cut_signature(const Settings& settings, const Encoder& encoder) {
  return std::to_string(settings.chunk.max_tokens) + "/" +
         std::to_string(settings.chunk.overlap_tokens) + "/" + encoder.model_hash().hex();
}

std::string describe_request(IngestMode mode, const std::vector<IngestRoot>& roots,
                             const Settings& settings, const Encoder& encoder) {
  nlohmann::json paths = nlohmann::json::array();
  for (const IngestRoot& root : roots) paths.push_back(printable_path(root.path));
  return nlohmann::json{{"mode", mode == IngestMode::kPaths ? "paths" : "retry"},
                        {"paths", std::move(paths)},
                        {"settings", settings_that_matter(settings)},
                        {"encoder", encoder.model_hash().hex()},
                        {"reading", kReadingVersion}}
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string request_difference(std::string_view old, std::string_view wanted) {
  static constexpr std::array<std::pair<const char*, const char*>, 5> kFields{{
      {"mode", "it was a run of another kind"},
      {"paths", "it was of other paths"},
      {"settings", "its settings were others"},
      {"encoder", "its encoder was another"},
      {"reading", "it was begun by another version of Beleg"},
  }};
  const auto before = nlohmann::json::parse(old, nullptr, false);
  const auto now = nlohmann::json::parse(wanted, nullptr, false);
  if (!before.is_object() || !now.is_object()) return "its record is damaged";
  for (const auto& [field, phrase] : kFields) {
    if (before.value(field, nlohmann::json()) != now.value(field, nlohmann::json())) return phrase;
  }
  return {};
}

}  // namespace beleg

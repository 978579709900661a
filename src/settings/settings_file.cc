#include <array>
#include <charconv>
#include <sstream>
#include <toml.hpp>

#include "base/file.h"
#include "settings/settings.h"

namespace beleg {
namespace {

constexpr std::uint64_t kMaxSettingsBytes = 1U << 20U;

std::string place_of(const toml::value& value, std::string_view file_name) {
  return std::string(file_name) + ":" + std::to_string(value.location().line());
}

Result<std::string> text_of(const toml::value& value, const std::string& key) {
  if (value.is_string()) return std::string(value.as_string().str);
  if (value.is_boolean()) return std::string(value.as_boolean() ? "true" : "false");
  if (value.is_integer()) return std::to_string(value.as_integer());
  if (value.is_floating()) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value.as_floating());
    return std::string(text.data(), end.ptr);
  }
  if (value.is_array()) {
    std::string joined;
    for (const toml::value& item : value.as_array()) {
      if (!item.is_string()) {
        return fail(ErrorCode::kInvalidArgument,
                    "setting '" + key + "' holds something else than texts",
                    "give a list of texts");
      }
      if (!joined.empty()) joined += ",";
      joined += item.as_string().str;
    }
    return joined;
  }
  return fail(ErrorCode::kInvalidArgument, "setting '" + key + "' has a value of no known kind",
              "`beleg config list` shows what it may be");
}

bool is_text_key(std::string_view key) {
  for (const SettingSpec& spec : setting_specs()) {
    if (spec.key != key) continue;
    Settings probe;
    const SettingPlace where = spec.place(probe);
    return std::holds_alternative<std::string*>(where) || std::holds_alternative<DecayKind*>(where);
  }
  return false;
}

Result<void> apply_table(Settings& settings, const toml::value& table, const std::string& prefix,
                         std::string_view file_name) {
  const std::string parent = prefix.empty() ? "" : prefix + ".";
  for (const auto& [name, value] : table.as_table()) {
    const std::string key = parent + name;
    if (value.is_table()) {
      TRY(apply_table(settings, value, key, file_name));
      continue;
    }
    auto applied = [&]() -> Result<void> {
      const std::string text = TRY(text_of(value, key));
      // A quoted number is no number, and a number is no name: say so instead of guessing.
      TRY(set_setting(settings, key, text));
      if (value.is_string() != is_text_key(key) && !value.is_array()) {
        return fail(ErrorCode::kInvalidArgument,
                    "setting '" + key + "' has a value of the wrong type",
                    value.is_string() ? "write it without quotes" : "write it in quotes");
      }
      return {};
    }();
    if (!applied) return std::unexpected(applied.error().with_context(place_of(value, file_name)));
  }
  return {};
}

}  // namespace

Result<void> refuse_ineffective(const Settings& settings, std::string_view file_name) {
  const auto refuse = [&](const std::string& what, const std::string& remedy) {
    return fail(ErrorCode::kInvalidArgument, std::string(file_name) + ": " + what, remedy);
  };
  if (!settings.rerank.cross_encoder.empty() && settings.rerank.kind != "cross-encoder") {
    return refuse("rerank.cross_encoder is set but rerank.kind is \"" + settings.rerank.kind + "\"",
                  "set rerank.kind = \"cross-encoder\", or delete the model's name");
  }
  if (settings.rerank.cross_encoder.empty() && settings.rerank.kind == "cross-encoder") {
    return refuse("rerank.kind is \"cross-encoder\" but rerank.cross_encoder names no model",
                  "set rerank.cross_encoder to an installed model; `beleg models list` shows them");
  }
  if (!settings.retrieve.lexical && !settings.retrieve.dense && !settings.retrieve.late) {
    return refuse("every retriever is switched off", "switch on retrieve.lexical, dense or late");
  }
  if (settings.chunk.overlap_tokens * 2 > settings.chunk.max_tokens) {
    return refuse("chunk.overlap_tokens is more than half of chunk.max_tokens",
                  "make the overlap smaller");
  }
  if (settings.fusion.window < settings.retrieve.top_k) {
    return refuse(
        "fuse.window is smaller than retrieve.top_k, so that passages would be fetched for "
        "nothing",
        "raise fuse.window or lower retrieve.top_k");
  }
  return {};
}

Result<Settings> parse_settings(std::string_view toml_text, std::string_view file_name) {
  Settings settings;
  try {
    std::istringstream stream{std::string(toml_text)};
    const toml::value root = toml::parse(stream, std::string(file_name));
    TRY(apply_table(settings, root, "", file_name));
  } catch (const toml::exception& failure) {
    return fail(ErrorCode::kInvalidArgument,
                std::string(file_name) + ":" + std::to_string(failure.location().line()) +
                    ": not valid TOML",
                "correct the line; `beleg init` writes a file that is");
  } catch (const std::exception& failure) {
    return fail(
        ErrorCode::kInvalidArgument,
        std::string(file_name) + ": not valid TOML: " + std::string(failure.what()).substr(0, 120),
        "correct the file; `beleg init` writes one that is valid");
  }
  TRY(refuse_ineffective(settings, file_name));
  return settings;
}

Result<Settings> load_settings(const std::filesystem::path& path, bool must_exist) {
  auto bytes = read_file(path, kMaxSettingsBytes);
  if (!bytes) {
    if (bytes.error().code == ErrorCode::kNotFound && !must_exist) return Settings{};
    return std::unexpected(bytes.error());
  }
  return parse_settings(*bytes, printable_path(path));
}

}  // namespace beleg

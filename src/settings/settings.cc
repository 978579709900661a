#include "settings/settings.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>

namespace beleg {
namespace {

constexpr std::array<std::string_view, 5> kDecayNames = {"none", "exponential", "linear",
                                                         "gaussian", "logarithmic"};

const SettingSpec* find_spec(std::string_view key) {
  for (const SettingSpec& spec : setting_specs()) {
    if (spec.key == key) return &spec;
  }
  return nullptr;
}

std::string number_text(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15) {
    return std::to_string(static_cast<long long>(value));
  }
  std::array<char, 32> text{};
  const auto result = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), result.ptr};
}

std::string toml_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out.push_back('\\');
    if (static_cast<unsigned char>(c) < 0x20) {
      std::array<char, 8> escape{};
      std::snprintf(escape.data(), escape.size(), "\\u%04x", static_cast<unsigned>(c));
      out += escape.data();
    } else {
      out.push_back(c);
    }
  }
  return out + "\"";
}

std::unexpected<Error> bad_value(const SettingSpec& spec, std::string_view value,
                                 const std::string& wanted) {
  return fail(ErrorCode::kInvalidArgument,
              "setting '" + std::string(spec.key) + "' cannot be " + std::string(value),
              "give " + wanted);
}

std::string range_text(const SettingSpec& spec, bool whole) {
  return std::string(whole ? "a whole number" : "a number") + " from " + number_text(spec.min) +
         " to " + number_text(spec.max);
}

bool is_choice(const SettingSpec& spec, std::string_view value) {
  if (spec.choices.empty()) return true;
  std::string_view rest = spec.choices;
  while (true) {
    const std::size_t bar = rest.find('|');
    if (rest.substr(0, bar) == value) return true;
    if (bar == std::string_view::npos) return false;
    rest.remove_prefix(bar + 1);
  }
}

template <class Integer>
Result<void> assign_integer(Integer& target, const SettingSpec& spec, std::string_view value) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc{} || end != value.data() + value.size() ||
      static_cast<double>(number) < spec.min || static_cast<double>(number) > spec.max) {
    return bad_value(spec, value, range_text(spec, true));
  }
  target = static_cast<Integer>(number);
  return {};
}

template <class Float>
Result<void> assign_float(Float& target, const SettingSpec& spec, std::string_view value) {
  double number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc{} || end != value.data() + value.size() || !std::isfinite(number) ||
      number < spec.min || number > spec.max) {
    return bad_value(spec, value, range_text(spec, false));
  }
  target = static_cast<Float>(number);
  return {};
}

Result<void> assign_list(std::vector<std::string>& target, std::string_view value) {
  target.clear();
  while (!value.empty()) {
    const std::size_t comma = value.find(',');
    std::string_view item = value.substr(0, comma);
    while (item.starts_with(' ')) item.remove_prefix(1);
    while (item.ends_with(' ')) item.remove_suffix(1);
    if (!item.empty()) target.emplace_back(item);
    if (comma == std::string_view::npos) break;
    value.remove_prefix(comma + 1);
  }
  return {};
}

/// Assigns the text form of a value (TOML without quotes; lists separated by commas).
struct Assign {
  const SettingSpec& spec;
  std::string_view value;

  Result<void> operator()(bool* target) const {
    if (value != "true" && value != "false") return bad_value(spec, value, "true or false");
    *target = value == "true";
    return {};
  }
  Result<void> operator()(double* target) const { return assign_float(*target, spec, value); }
  Result<void> operator()(float* target) const { return assign_float(*target, spec, value); }
  Result<void> operator()(std::uint32_t* target) const {
    return assign_integer(*target, spec, value);
  }
  Result<void> operator()(std::uint64_t* target) const {
    return assign_integer(*target, spec, value);
  }
  Result<void> operator()(std::string* target) const {
    if (!is_choice(spec, value)) {
      return bad_value(spec, toml_string(value), "one of " + std::string(spec.choices));
    }
    *target = std::string(value);
    return {};
  }
  Result<void> operator()(DecayKind* target) const {
    const auto entry = std::find(kDecayNames.begin(), kDecayNames.end(), value);
    if (entry == kDecayNames.end()) {
      return bad_value(spec, toml_string(value), "one of " + std::string(spec.choices));
    }
    *target = static_cast<DecayKind>(entry - kDecayNames.begin());
    return {};
  }
  Result<void> operator()(std::vector<std::string>* target) const {
    return assign_list(*target, value);
  }
};

struct Format {
  std::string operator()(const bool* value) const { return *value ? "true" : "false"; }
  std::string operator()(const double* value) const { return number_text(*value); }
  std::string operator()(const float* value) const {
    std::array<char, 32> text{};
    const auto result = std::to_chars(text.data(), text.data() + text.size(), *value);
    return {text.data(), result.ptr};
  }
  std::string operator()(const std::uint32_t* value) const { return std::to_string(*value); }
  std::string operator()(const std::uint64_t* value) const { return std::to_string(*value); }
  std::string operator()(const std::string* value) const { return toml_string(*value); }
  std::string operator()(const DecayKind* value) const {
    return toml_string(kDecayNames.at(static_cast<std::size_t>(*value)));
  }
  std::string operator()(const std::vector<std::string>* value) const {
    std::string out = "[";
    for (const std::string& item : *value) {
      if (out.size() > 1) out += ", ";
      out += toml_string(item);
    }
    return out + "]";
  }
};

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

std::string_view nearest_key(std::string_view key) {
  std::string_view best;
  std::size_t best_distance = std::numeric_limits<std::size_t>::max();
  for (const SettingSpec& spec : setting_specs()) {
    const std::size_t distance = edit_distance(key.substr(0, 100), spec.key);
    if (distance < best_distance) {
      best_distance = distance;
      best = spec.key;
    }
  }
  return best;
}

}  // namespace

Result<void> set_setting(Settings& settings, std::string_view key, std::string_view value) {
  const SettingSpec* spec = find_spec(key);
  if (spec == nullptr) {
    return fail(ErrorCode::kInvalidArgument, "unknown setting '" + std::string(key) + "'",
                "the nearest known one is '" + std::string(nearest_key(key)) +
                    "'; `beleg config list` shows all");
  }
  return std::visit(Assign{*spec, value}, spec->place(settings));
}

std::string setting_value(const Settings& settings, const SettingSpec& spec) {
  // The table gives places to write to; reading through them changes nothing.
  return std::visit(Format{}, spec.place(const_cast<Settings&>(settings)));
}

std::string canonical_settings(const Settings& settings) {
  std::vector<std::string> lines;
  for (const SettingSpec& spec : setting_specs()) {
    lines.push_back(std::string(spec.key) + " = " + setting_value(settings, spec) + "\n");
  }
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

Sha256 settings_hash(const Settings& settings) { return sha256(canonical_settings(settings)); }

std::string commented_toml(const Settings& settings) {
  std::string text =
      "# Settings of Beleg. Every key is shown with its value; delete what you do not change.\n"
      "# Unknown keys and values without effect are errors, so a typing mistake cannot hide.\n"
      "# Secrets do not belong here: they are read from the environment only.\n";
  std::string table;
  for (const SettingSpec& spec : setting_specs()) {
    const std::size_t dot = spec.key.rfind('.');
    const std::string_view section = spec.key.substr(0, dot);
    if (section != table) {
      table = std::string(section);
      text += "\n[" + table + "]\n";
    }
    text += "# " + std::string(spec.meaning);
    if (spec.max > spec.min)
      text += " (" + number_text(spec.min) + " … " + number_text(spec.max) + ")";
    if (!spec.choices.empty()) text += " (" + std::string(spec.choices) + ")";
    text +=
        "\n" + std::string(spec.key.substr(dot + 1)) + " = " + setting_value(settings, spec) + "\n";
  }
  return text;
}

}  // namespace beleg

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

#include "document/front_matter.h"

namespace beleg {
namespace {

using Kind = FieldValue::Kind;

constexpr std::size_t kLargestSource = 1U << 18U;  // Bytes.
constexpr std::size_t kMostItems = 1000;           // Of one list.

/// yaml-cpp recurses into "[[[[" and "- - - -": far below what a stack holds, and beyond any use.
constexpr std::size_t kDeepest = 64;

bool nests_too_deep(std::string_view source) {
  std::size_t open = 0;
  std::size_t dashes = 0;
  for (std::size_t i = 0; i < source.size(); ++i) {
    const char c = source[i];
    if (c == '[' || c == '{') ++open;
    if ((c == ']' || c == '}') && open > 0) --open;
    const bool marker = (c == '-' || c == '?' || c == ':') && i + 1 < source.size() &&
                        (source[i + 1] == ' ' || source[i + 1] == '\t');
    if (c == '\n') dashes = 0;
    if (marker) ++dashes;
    if (open > kDeepest || dashes > kDeepest) return true;
  }
  return false;
}

/// Plain scalars that YAML 1.2's core schema reads as something other than text.
Kind scalar_kind(const YAML::Node& node, const std::string& text) {
  const bool is_quoted = node.Tag() == "!";
  if (is_quoted) return Kind::kText;
  if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL") {
    return Kind::kNull;
  }
  for (const char* flag : {"true", "True", "TRUE", "false", "False", "FALSE"}) {
    if (text == flag) return Kind::kFlag;
  }
  // Numbers need no telling apart: a title may be 1984, and "2021" is no date.
  return Kind::kText;
}

/// An item of a list as text: a scalar, or what stands under "name" in a mapping ("- name: Doe").
bool item_text(const YAML::Node& node, std::string& text) {
  if (node.IsScalar()) {
    text = node.Scalar();
    return true;
  }
  if (!node.IsMap()) return false;
  const YAML::Node name = node["name"];
  if (!name || !name.IsScalar()) return false;
  text = name.Scalar();
  return true;
}

FieldValue convert(const YAML::Node& node) {
  FieldValue value;
  if (node.IsNull()) return value;
  if (node.IsScalar()) {
    value.text = node.Scalar();
    value.kind = scalar_kind(node, value.text);
    return value;
  }
  if (node.IsMap()) {
    value.kind = item_text(node, value.text) ? Kind::kText : Kind::kOther;
    return value;
  }
  value.kind = Kind::kList;
  for (const YAML::Node& item : node) {
    std::string text;
    if (item.IsNull()) continue;
    if (!item_text(item, text) || value.items.size() >= kMostItems) {
      return {.kind = Kind::kOther, .text = {}, .items = {}};
    }
    value.items.push_back(std::move(text));
  }
  return value;
}

std::unexpected<Error> invalid(std::string reason, std::string remedy) {
  return fail(ErrorCode::kInvalidArgument, "front matter is not valid YAML: " + std::move(reason),
              std::move(remedy));
}

/// Where and why the parser gave up, in lines of the file, and what most likely mends it.
std::unexpected<Error> syntax_error(const YAML::Exception& error, const FrontMatter& parts) {
  auto line = static_cast<std::size_t>(std::max(error.mark.line, 0));
  const auto lines = static_cast<std::size_t>(std::ranges::count(parts.source, '\n'));
  // The parser comes to the end only when it looks for a quote or bracket to close.
  const bool is_open = line >= lines || error.msg.ends_with("flow not found");
  if (is_open) line = line_of_open_value(parts).value_or(std::min(line, lines));
  std::string reason = "line " + std::to_string(parts.line + 1 + line);
  const std::string_view field = field_at_line(parts, line);
  if (!field.empty()) reason += ", field '" + std::string(field) + "'";
  return invalid(reason + ": " + error.msg, is_open
                                                ? "close the quote or bracket that the value opens"
                                                : "put the value into quotes");
}

}  // namespace

Result<SourceFields> read_yaml_fields(const FrontMatter& parts) {
  const std::string_view source = parts.source;
  if (source.size() > kLargestSource) {
    return invalid("it has more than 256 KiB", "shorten it, or end it earlier with a line ---");
  }
  if (nests_too_deep(source)) return invalid("it nests too deep", "write its values flat");
  try {
    // Without the end marker yaml-cpp lets a quote that is never closed swallow all fields after
    // it.
    const YAML::Node root = YAML::Load(std::string(source) + "\n...\n");
    SourceFields fields;
    if (root.IsNull()) return fields;
    if (!root.IsMap()) {
      return fail(ErrorCode::kUnsupported, "what stands between '---' is no list of fields",
                  "write each field as key: value");
    }
    for (const auto& field : root) {
      if (!field.first.IsScalar()) continue;
      fields.emplace_back(field.first.Scalar(), convert(field.second));
    }
    return fields;
  } catch (const YAML::Exception& error) {
    return syntax_error(error, parts);
  } catch (const std::exception& error) {
    return invalid(error.what(), "write each field as key: value");
  }
}

}  // namespace beleg

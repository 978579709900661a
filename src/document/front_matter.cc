#include "document/front_matter.h"

#include <algorithm>

namespace beleg {
namespace {

/// The first line of `text` without blanks at its end; `text` moves past it.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  while (!line.empty() && (line.back() == ' ' || line.back() == '\t')) line.remove_suffix(1);
  return line;
}

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.' || c == ':' || static_cast<unsigned char>(c) >= 0x80;
}

/// Where the name of a field ends in "key: value", "key:" or "key = value"; npos for other lines.
std::size_t separator(std::string_view line, FrontMatterKind kind) {
  if (kind == FrontMatterKind::kToml) return line.find('=');
  for (std::size_t at = line.find(':'); at != std::string_view::npos; at = line.find(':', at + 1)) {
    // "https://…" and "14:05" have no blank there.
    if (at + 1 == line.size() || line[at + 1] == ' ' || line[at + 1] == '\t') return at;
  }
  return std::string_view::npos;
}

/// The name in a line that holds a top-level field; empty for other lines.
std::string_view field_name(std::string_view line, FrontMatterKind kind) {
  const std::size_t end = separator(line, kind);
  if (end == std::string_view::npos) return {};
  std::string_view name = line.substr(0, end);
  while (!name.empty() && (name.back() == ' ' || name.back() == '\t')) name.remove_suffix(1);
  if (name.size() > 2 && (name.front() == '"' || name.front() == '\'') &&
      name.back() == name.front()) {
    name = name.substr(1, name.size() - 2);
  }
  // "-" begins an item of a list.
  const bool is_name = !name.starts_with('-') && std::ranges::all_of(name, is_name_character);
  return is_name ? name : std::string_view();
}

/// What goes on with the field above: an indented line or an item of a list.
bool continues_field(std::string_view line) {
  return line.front() == ' ' || line.front() == '\t' || line == "-" || line.starts_with("- ");
}

}  // namespace

FrontMatter split_front_matter(std::string_view text) {
  const FrontMatter none{.body = text};
  std::string_view rest = text;
  std::string_view fence;
  FrontMatter parts{.body = text};
  while (fence.empty() && !rest.empty()) {
    fence = take_line(rest);
    ++parts.line;
  }
  if (fence != "---" && fence != "+++") return none;
  parts.kind = fence == "---" ? FrontMatterKind::kYaml : FrontMatterKind::kToml;
  parts.source = rest;
  const std::string_view inside = rest;
  while (!rest.empty()) {
    const std::size_t offset = inside.size() - rest.size();
    const std::string_view line = take_line(rest);
    if (line == fence || (fence == "---" && line == "...")) {
      parts.closed = true;
      parts.source = inside.substr(0, offset);
      parts.body = rest;
      break;
    }
  }
  return parts;
}

bool looks_like_fields(const FrontMatter& parts, const ReadSettings& settings) {
  std::string_view rest = parts.source;
  bool below_fence = true;
  bool has_fields = false;
  bool has_prose = false;
  while (!rest.empty()) {
    const std::string_view line = take_line(rest);
    if (line.empty()) {
      // Prose ends what can be front matter; a label that stands in its paragraph still counts.
      if (has_prose) return false;
      below_fence = false;
      continue;
    }
    if (line.front() == '#') continue;
    if (access_name(line, false, settings) != nullptr) return true;
    if (has_prose) continue;
    const bool is_table = parts.kind == FrontMatterKind::kToml && line.front() == '[';
    const std::string_view name = field_name(line, parts.kind);
    if (name.empty() && !is_table) {
      has_prose = !has_fields || !continues_field(line);
      continue;
    }
    // Below a blank line "Note: …" may be a sentence; the names of metadata are none.
    if (below_fence || is_known_field(name, settings)) return true;
    has_fields = true;
  }
  return false;
}

std::string_view field_at_line(const FrontMatter& parts, std::size_t line) {
  std::string_view rest = parts.source;
  std::string_view name;
  for (std::size_t i = 0; i <= line && !rest.empty(); ++i) {
    const std::string_view found = field_name(take_line(rest), parts.kind);
    if (!found.empty()) name = found;
  }
  return name;
}

std::optional<std::size_t> line_of_open_value(const FrontMatter& parts) {
  static constexpr std::string_view kOpening = "\"'[{";
  static constexpr std::string_view kClosing = "\"']}";
  std::string_view rest = parts.source;
  for (std::size_t number = 0; !rest.empty(); ++number) {
    const std::string_view line = take_line(rest);
    if (field_name(line, parts.kind).empty()) continue;
    std::string_view value = line.substr(separator(line, parts.kind) + 1);
    value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
    if (value.empty()) continue;
    const std::size_t kind = kOpening.find(value.front());
    if (kind == std::string_view::npos) continue;
    if (value.find(kClosing[kind], 1) == std::string_view::npos) return number;
  }
  return std::nullopt;
}

}  // namespace beleg

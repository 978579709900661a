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

}  // namespace

FrontMatter split_front_matter(std::string_view text) {
  const FrontMatter none{.kind = FrontMatterKind::kNone, .source = {}, .body = text};
  std::string_view rest = text;
  const std::string_view fence = take_line(rest);
  if (fence != "---" && fence != "+++") return none;
  const bool yaml = fence == "---";
  const std::string_view inside = rest;
  while (!rest.empty()) {
    const std::size_t offset = inside.size() - rest.size();
    const std::string_view line = take_line(rest);
    if (line == fence || (yaml && line == "...")) {
      return {.kind = yaml ? FrontMatterKind::kYaml : FrontMatterKind::kToml,
              .source = inside.substr(0, offset),
              .body = rest};
    }
  }
  return none;
}

}  // namespace beleg

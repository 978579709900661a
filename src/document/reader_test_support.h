#pragma once

#include <string>
#include <vector>

#include "document/document.h"
#include "document/reader.h"
#include "text/utf8.h"

namespace beleg {

inline ReadSettings default_settings() {
  ReadSettings settings;
  settings.fields = default_field_names();
  return settings;
}

/// Blocks as lines such as "h1 Titel", "p Text", "l2 Punkt", "t a | b", "c code", "x Bild".
inline std::vector<std::string> outline(const ParsedDocument& document) {
  std::vector<std::string> lines;
  const CodePointIndex index(document.text);
  for (const Block& block : document.blocks) {
    std::string line(1, "hpltcx"[static_cast<std::size_t>(block.kind)]);
    if (block.level > 0) line += std::to_string(block.level);
    lines.push_back(line + " " + std::string(index.slice(block.span)));
  }
  return lines;
}

/// Empty when the blocks are in order, inside the text, and the text is valid; else what is wrong.
inline std::string broken_invariant(const ParsedDocument& document) {
  if (!is_valid_utf8(document.text)) return "the text is not UTF-8";
  if (document.text.find('\r') != std::string::npos) return "the text has carriage returns";
  const std::uint32_t size = count_code_points(document.text);
  std::uint32_t covered = 0;
  for (const Block& block : document.blocks) {
    if (block.span.start < covered) return "blocks overlap";
    if (block.span.empty()) return "a block is empty";
    if (block.span.end > size) return "a block leaves the text";
    covered = block.span.end;
  }
  return {};
}

using Lines = std::vector<std::string>;

}  // namespace beleg

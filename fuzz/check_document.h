#pragma once

#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "document/document.h"
#include "document/reader.h"
#include "passage/chunker.h"
#include "text/utf8.h"

namespace beleg {

inline const ReadSettings& fuzz_settings() {
  static const ReadSettings settings = [] {
    ReadSettings made;
    made.fields = default_field_names();
    return made;
  }();
  return settings;
}

/// Ends the process when a document breaks what every reader and the chunker promise: valid text,
/// blocks in order and inside it, metadata and blocks that survive being stored, and passages that
/// lie inside the text with equal spans of bytes and code points.
inline void check_document(const Result<ParsedDocument>& document) {
  if (!document) {
    if (document.error().message.empty()) std::abort();
    return;
  }
  const ParsedDocument& read = *document;
  if (!is_valid_utf8(read.text) || read.text.find('\r') != std::string::npos) std::abort();
  const CodePointIndex index(read.text);
  std::uint32_t covered = 0;
  for (const Block& block : read.blocks) {
    if (block.span.start < covered || block.span.empty() || block.span.end > index.size()) {
      std::abort();
    }
    covered = block.span.end;
  }
  const auto blocks = blocks_from_json(blocks_to_json(read.blocks));
  if (!blocks || *blocks != read.blocks) std::abort();
  const auto meta = metadata_from_json(metadata_to_json(read.meta));
  if (!meta || *meta != read.meta) std::abort();
  const auto passages = cut_passages(
      read, {.max_tokens = 32, .overlap_tokens = 0},
      [](std::string_view text) { return static_cast<std::uint32_t>(text.size() / 4 + 1); });
  if (!passages) std::abort();
  std::uint32_t end = 0;
  for (const Passage& passage : *passages) {
    if (passage.bytes.start < end || passage.bytes.end <= passage.bytes.start) std::abort();
    end = passage.bytes.end;
    if (end > read.text.size() || index.to_bytes(passage.span) != passage.bytes) std::abort();
  }
}

}  // namespace beleg

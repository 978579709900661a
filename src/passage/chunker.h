#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "document/document.h"
#include "passage/passage.h"

namespace beleg {

/// How documents are cut. Sizes in tokens of the corpus' encoder.
struct ChunkSettings {
  std::uint32_t max_tokens = 256;  ///< 32 … 480.
  std::uint32_t overlap_tokens =
      0;  ///< Repeated at the start of the next passage, whole sentences.
};

/// Counts encoder tokens of a text. Must be monotone enough to size passages; thread-safe.
using TokenCounter = std::function<std::uint32_t(std::string_view)>;

/// Cuts a document into passages that follow its structure: a heading starts a passage and stays
/// with what follows it, paragraphs are joined up to `max_tokens`, longer ones are cut at sentence
/// ends, longer sentences at word ends. Every character outside white space and headings-only tails
/// is in at least one passage; without overlap in exactly one. Never cuts inside a grapheme.
Result<std::vector<Passage>> cut_passages(const ParsedDocument& document,
                                          const ChunkSettings& settings,
                                          const TokenCounter& count_tokens);

}  // namespace beleg

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "base/result.h"

namespace beleg {

/// What config.json and tokenizer_config.json beside a model say about it; every field may be
/// absent.
struct CrossEncoderConfig {
  std::optional<std::uint32_t> max_length;       ///< In tokens, with the special ones.
  std::optional<std::uint32_t> vocabulary_size;  ///< Rows of the model's embedding table.
  /// The label that means that the second text answers, or follows from, the first.
  std::optional<std::size_t> relevant_label;
};

/// Reads the two files; neither need exist. Errors: kCorrupt naming file and field.
Result<CrossEncoderConfig> read_cross_encoder_config(const std::filesystem::path& folder);

}  // namespace beleg

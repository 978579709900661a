#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "model/encoder.h"

namespace beleg {

/// Packs what the encoder made of a passage into the bytes that the embedding pack keeps: dense
/// vector (float32), token ids, and token vectors compressed (see
/// docs/formats/embedding-payload.md). Deterministic: the same vectors give the same bytes.
[[nodiscard]] std::vector<std::byte> pack_embedding(const EncodedText& encoded);

/// A read-only look at a payload. Views die with the bytes.
struct EmbeddingView {
  std::uint32_t dims = 0;
  std::uint32_t tokens = 0;
  std::uint32_t context_tokens = 0;
  std::span<const float> dense;
  std::span<const TokenId> token_ids;
  std::span<const std::byte> codes;
};
/// Errors: kCorrupt when the bytes do not have the form.
Result<EmbeddingView> view_embedding(std::span<const std::byte> payload);

}  // namespace beleg

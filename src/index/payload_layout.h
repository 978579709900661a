#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "index/token_codes.h"

namespace beleg {

inline constexpr std::uint32_t kPayloadMagic = 0x31504542;  // "BEP1"
inline constexpr std::uint16_t kPayloadVersion = 1;
inline constexpr std::uint16_t kRotated4Bit = 1;
/// More than any encoder has; keeps all sizes far from overflow.
inline constexpr std::uint32_t kMaxDims = 1U << 16U;

/// Starts a payload; see docs/formats/embedding-payload.md.
struct PayloadHeader {
  std::uint32_t magic = kPayloadMagic;
  std::uint16_t version = kPayloadVersion;
  std::uint16_t codec = kRotated4Bit;
  std::uint32_t dims = 0;
  std::uint32_t tokens = 0;
  std::uint32_t context_tokens = 0;
  std::uint32_t reserved = 0;
  std::uint64_t size = 0;  ///< Of the whole payload, in bytes.
  std::uint64_t reserved_words[2] = {};
  std::uint64_t body_checksum = 0;    ///< XXH3 of what follows the header.
  std::uint64_t header_checksum = 0;  ///< XXH3 of the header before this field.
};
static_assert(sizeof(PayloadHeader) == 64);

/// Where the parts of a payload are, in bytes from its start. Every part starts at a multiple
/// of 64.
struct PayloadLayout {
  std::uint64_t dense = sizeof(PayloadHeader);
  std::uint64_t codes = 0;
  std::uint64_t token_ids = 0;
  std::uint64_t size = 0;

  constexpr PayloadLayout(std::uint32_t dims, std::uint32_t tokens)
      : codes(align(dense + std::uint64_t{dims} * sizeof(float))),
        token_ids(codes + token_codes::bytes(tokens, dims)),
        size(align(token_ids + std::uint64_t{tokens} * sizeof(std::int32_t))) {}

 private:
  static constexpr std::uint64_t align(std::uint64_t offset) { return (offset + 63) / 64 * 64; }
};

/// Re-computes the checksums of a payload.
[[nodiscard]] bool embedding_is_intact(std::span<const std::byte> payload);

}  // namespace beleg

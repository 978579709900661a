#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/hash.h"

namespace beleg {

// Byte layout of the embedding pack; docs/formats/embedding-pack.md draws it. All numbers are
// little-endian.

/// Headers, payloads and records start at multiples of this: a cache line, and the alignment that
/// vector loads of floats like best.
inline constexpr std::uint64_t kPackAlignment = 64;
inline constexpr std::size_t kPackHeaderBytes = 64;
inline constexpr std::uint32_t kPackVersion = 1;
/// No encoded passage comes near; a larger size in a header is damage.
inline constexpr std::uint32_t kPackMaxPayload = std::uint32_t{256} << 20U;

using PackHeader = std::array<std::byte, kPackHeaderBytes>;
/// Random; tells a pack from every other, so that a directory is not read for the wrong one.
using PackId = std::array<std::byte, 16>;

/// What stands before every payload.
struct PackRecord {
  Sha256 key;
  std::uint32_t size = 0;      ///< Of the payload, without padding.
  std::uint64_t checksum = 0;  ///< Of the payload.
};

/// The key of filler records: zeros where a record was that is gone. Not found by any key.
inline constexpr Sha256 kFillerKey{};

/// Bytes from the start of a record to the start of the next.
[[nodiscard]] constexpr std::uint64_t pack_record_bytes(std::uint32_t payload) {
  return kPackHeaderBytes + (payload + kPackAlignment - 1) / kPackAlignment * kPackAlignment;
}

/// What a pack and its directory begin with.
struct PackIdentity {
  std::uint32_t version = kPackVersion;
  PackId id{};
};
enum class PackFileKind : std::uint8_t { kPack, kDirectory };

[[nodiscard]] PackIdentity new_pack_identity();
/// The first 64 bytes of a file. The first kPackFixedBytes do not depend on the id.
[[nodiscard]] PackHeader encode_file_header(PackFileKind kind, const PackIdentity& identity);
inline constexpr std::size_t kPackFixedBytes = 16;
/// Empty when the bytes are not the header of such a file, or are damaged.
[[nodiscard]] std::optional<PackIdentity> decode_file_header(
    PackFileKind kind, std::span<const std::byte, kPackHeaderBytes> bytes);

/// `offset` is where the header stands in the file. It takes part in the header's checksum, so that
/// bytes which merely look like a header (a pack inside a payload) are not taken for one.
[[nodiscard]] PackHeader encode_record_header(const PackRecord& record, std::uint64_t offset);
/// Empty for anything that encode_record_header did not make for this offset.
[[nodiscard]] std::optional<PackRecord> decode_record_header(
    std::span<const std::byte, kPackHeaderBytes> bytes, std::uint64_t offset);

}  // namespace beleg

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace beleg::bit_packing {

/// Numbers of a full block: 4 lanes of 32, so that one 128-bit instruction handles four of them.
inline constexpr std::size_t kBlock = 128;

/// Bits that hold every value: 0 … 32.
[[nodiscard]] std::uint32_t bits_for(std::span<const std::uint32_t> values);

/// Bytes that `count` values of `bits` bits take.
[[nodiscard]] constexpr std::size_t packed_bytes(std::size_t count, std::uint32_t bits) {
  return (count * bits + 7) / 8;
}

/// Appends the values, each of which must fit into `bits`. A full block is interleaved: value i is
/// in lane i mod 4, the words of the lanes alternate. Fewer values are one stream, lowest bit
/// first.
void pack(std::span<const std::uint32_t> values, std::uint32_t bits, std::string& out);

/// Reverses pack(). Reads packed_bytes(count, bits), for fewer than kBlock values up to 8 bytes
/// more; `bits` is 0 … 32, `out` has room for `count` values.
void unpack(const std::byte* in, std::size_t count, std::uint32_t bits, std::uint32_t* out);

/// One value of those that unpack() would give. Requires index < count; `bits` is 1 … 32.
[[nodiscard]] std::uint32_t value_at(const std::byte* in, std::size_t count, std::uint32_t bits,
                                     std::size_t index);

/// unpack() and then out[i] = first + Σ_{j ≤ i} (value j + 1) − 1: gaps become ascending numbers.
/// Returns the number after the last, without wrapping; the caller compares it with its limit.
/// Requires count ≥ 1.
[[nodiscard]] std::uint64_t unpack_ascending(const std::byte* in, std::size_t count,
                                             std::uint32_t bits, std::uint32_t first,
                                             std::uint32_t* out);

}  // namespace beleg::bit_packing

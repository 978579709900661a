#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace beleg {

/// Seven bits a byte, the lowest first; the top bit says that more follow.
inline void append_varint(std::string& out, std::uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>((value & 0x7fU) | 0x80U));
    value >>= 7U;
  }
  out.push_back(static_cast<char>(value));
}

/// The same into memory with room for ten bytes; returns the end of what was written.
inline char* write_varint(char* out, std::uint64_t value) {
  while (value >= 0x80) {
    *out++ = static_cast<char>((value & 0x7fU) | 0x80U);
    value >>= 7U;
  }
  *out++ = static_cast<char>(value);
  return out;
}

/// Reads from `bytes` at `offset`, which moves on. Empty at the end of the bytes, and for numbers
/// of more than 35 bits.
inline std::optional<std::uint64_t> read_varint(std::span<const std::byte> bytes,
                                                std::size_t& offset) {
  std::uint64_t value = 0;
  for (std::uint32_t shift = 0; shift < 35 && offset < bytes.size(); shift += 7) {
    const auto byte = std::to_integer<std::uint64_t>(bytes[offset++]);
    value |= (byte & 0x7fU) << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

}  // namespace beleg

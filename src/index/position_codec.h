#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace beleg {

/// Where a term stands in the fields of a document: for each field in which it occurs (body, title,
/// headings) one run of word positions, ascending, each as varint of (gap × 2 + more follow).
namespace position_codec {

/// Appends a run; `positions` is not empty. Equal neighbours are allowed: a term may stand twice at
/// one position.
void append_run(std::span<const std::uint32_t> positions, std::string& out);

/// Reads a run at `offset`, which moves behind it. False when the bytes are damaged.
[[nodiscard]] bool read_run(std::span<const std::byte> bytes, std::size_t& offset,
                            std::vector<std::uint32_t>& positions);
/// The same without the positions.
[[nodiscard]] bool skip_run(std::span<const std::byte> bytes, std::size_t& offset);

}  // namespace position_codec

}  // namespace beleg

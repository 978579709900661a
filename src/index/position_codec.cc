#include "index/position_codec.h"

#include "index/varint.h"

namespace beleg::position_codec {

void append_run(std::span<const std::uint32_t> positions, std::string& out) {
  std::uint32_t before = 0;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const std::uint64_t more = i + 1 < positions.size() ? 1 : 0;
    append_varint(out, std::uint64_t{positions[i] - before} << 1U | more);
    before = positions[i];
  }
}

bool read_run(std::span<const std::byte> bytes, std::size_t& offset,
              std::vector<std::uint32_t>& positions) {
  positions.clear();
  std::uint64_t position = 0;
  while (true) {
    const auto value = read_varint(bytes, offset);
    if (!value) return false;
    position += *value >> 1U;
    positions.push_back(static_cast<std::uint32_t>(position));
    if ((*value & 1U) == 0) return true;
  }
}

bool skip_run(std::span<const std::byte> bytes, std::size_t& offset) {
  while (true) {
    const auto value = read_varint(bytes, offset);
    if (!value) return false;
    if ((*value & 1U) == 0) return true;
  }
}

}  // namespace beleg::position_codec

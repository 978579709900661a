#include "text/utf8.h"

#include <algorithm>
#include <cstring>

namespace beleg {
namespace {

constexpr std::uint32_t kCheckpointDistance = 64;
constexpr std::uint64_t kHighBits = 0x8080808080808080ULL;

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

// Offset of the first byte at or after `position` that is not ASCII, or the end.
std::size_t skip_ascii(std::string_view bytes, std::size_t position) {
  while (position + 32 <= bytes.size()) {
    std::uint64_t words[4];
    std::memcpy(words, bytes.data() + position, sizeof words);
    if (((words[0] | words[1] | words[2] | words[3]) & kHighBits) != 0) break;
    position += 32;
  }
  while (position < bytes.size() && static_cast<unsigned char>(bytes[position]) < 0x80U) ++position;
  return position;
}

// Length of the well-formed sequence at `position` whose lead byte is not ASCII, 0 when it is
// malformed. The ranges of the second byte are those of the Unicode Standard, table 3-7.
std::size_t sequence_length(std::string_view bytes, std::size_t position) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(bytes[position + i]); };
  const std::size_t left = bytes.size() - position;
  const unsigned char lead = at(0);
  if (lead < 0xC2U || lead > 0xF4U) return 0;
  if (lead < 0xE0U) return left >= 2 && is_continuation(bytes[position + 1]) ? 2 : 0;
  if (lead < 0xF0U) {
    if (left < 3) return 0;
    const unsigned char low = lead == 0xE0U ? 0xA0U : 0x80U;
    const unsigned char high = lead == 0xEDU ? 0x9FU : 0xBFU;
    return at(1) >= low && at(1) <= high && is_continuation(bytes[position + 2]) ? 3 : 0;
  }
  if (left < 4) return 0;
  const unsigned char low = lead == 0xF0U ? 0x90U : 0x80U;
  const unsigned char high = lead == 0xF4U ? 0x8FU : 0xBFU;
  const bool well_formed = at(1) >= low && at(1) <= high && is_continuation(bytes[position + 2]) &&
                           is_continuation(bytes[position + 3]);
  return well_formed ? 4 : 0;
}

std::uint32_t count_starts(std::string_view text) {
  std::uint32_t starts = 0;
  for (const char byte : text) starts += is_continuation(byte) ? 0U : 1U;
  return starts;
}

}  // namespace

bool is_valid_utf8(std::string_view bytes) {
  std::size_t position = skip_ascii(bytes, 0);
  while (position < bytes.size()) {
    if (static_cast<unsigned char>(bytes[position]) < 0x80U) {
      position = skip_ascii(bytes, position);
      continue;
    }
    const std::size_t length = sequence_length(bytes, position);
    if (length == 0) return false;
    position += length;
  }
  return true;
}

std::uint32_t count_code_points(std::string_view text) { return count_starts(text); }

std::u32string decode_utf8(std::string_view text) {
  std::u32string decoded;
  decoded.reserve(count_starts(text));
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if (lead < 0x80U) {
      decoded.push_back(lead);
      ++i;
      continue;
    }
    const std::size_t length = lead < 0xE0U ? 2 : lead < 0xF0U ? 3 : 4;
    char32_t code_point = lead & (0x7FU >> length);
    for (std::size_t k = 1; k < length && i + k < text.size(); ++k) {
      code_point = (code_point << 6U) | (static_cast<unsigned char>(text[i + k]) & 0x3FU);
    }
    decoded.push_back(code_point);
    i += length;
  }
  return decoded;
}

void append_utf8(char32_t code_point, std::string& out) {
  const auto tail = [&](unsigned shift) {
    out.push_back(static_cast<char>(0x80U | ((code_point >> shift) & 0x3FU)));
  };
  if (code_point < 0x80U) {
    out.push_back(static_cast<char>(code_point));
  } else if (code_point < 0x800U) {
    out.push_back(static_cast<char>(0xC0U | (code_point >> 6U)));
    tail(0);
  } else if (code_point < 0x10000U) {
    out.push_back(static_cast<char>(0xE0U | (code_point >> 12U)));
    tail(6);
    tail(0);
  } else {
    out.push_back(static_cast<char>(0xF0U | (code_point >> 18U)));
    tail(12);
    tail(6);
    tail(0);
  }
}

CodePointIndex::CodePointIndex(std::string_view text) : text_(text) {
  if (skip_ascii(text, 0) == text.size()) {
    code_points_ = static_cast<std::uint32_t>(text.size());
    return;
  }
  byte_checkpoints_.reserve(text.size() / kCheckpointDistance + 1);
  code_point_checkpoints_.reserve(text.size() / kCheckpointDistance + 1);
  for (std::uint32_t begin = 0; begin < text.size(); begin += kCheckpointDistance) {
    code_point_checkpoints_.push_back(code_points_);
    const std::string_view window = text.substr(begin, kCheckpointDistance);
    const std::uint32_t after = code_points_ + count_starts(window);
    // The next code point that needs a checkpoint, if it starts in this window.
    const auto wanted = static_cast<std::uint32_t>(byte_checkpoints_.size()) * kCheckpointDistance;
    if (wanted < after) {
      std::uint32_t offset = 0;
      for (std::uint32_t seen = code_points_;; ++offset) {
        if (is_continuation(window[offset])) continue;
        if (seen == wanted) break;
        ++seen;
      }
      byte_checkpoints_.push_back(begin + offset);
    }
    code_points_ = after;
  }
}

std::uint32_t CodePointIndex::byte_of(std::uint32_t index) const {
  if (index >= code_points_) return static_cast<std::uint32_t>(text_.size());
  if (byte_checkpoints_.empty()) return index;
  std::uint32_t offset = byte_checkpoints_[index / kCheckpointDistance];
  for (std::uint32_t left = index % kCheckpointDistance; left > 0; --left) {
    do ++offset;
    while (is_continuation(text_[offset]));
  }
  return offset;
}

std::uint32_t CodePointIndex::code_point_of(std::uint32_t offset) const {
  if (offset >= text_.size()) return code_points_;
  if (code_point_checkpoints_.empty()) return offset;
  const std::uint32_t window = offset / kCheckpointDistance;
  const std::uint32_t begin = window * kCheckpointDistance;
  const std::uint32_t starts = count_starts(text_.substr(begin, offset - begin));
  // A byte inside a character belongs to the character that started before it.
  const std::uint32_t before = is_continuation(text_[offset]) ? 1 : 0;
  return code_point_checkpoints_[window] + starts - before;
}

std::string_view CodePointIndex::slice(Span span) const {
  const ByteSpan bytes = to_bytes(span);
  return text_.substr(bytes.start, bytes.size());
}

}  // namespace beleg

#include "model/charsmap.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace beleg {
namespace {

constexpr std::size_t kMaxRules = 1'000'000;
constexpr std::size_t kMaxVisits = 4'000'000;  // Nodes, counted again for each way to them.
constexpr std::size_t kMaxKeyBytes = 255;

std::unexpected<Error> damaged(std::string_view what) {
  return fail(ErrorCode::kCorrupt, "the character map is damaged: " + std::string(what),
              "get tokenizer.json again");
}

std::uint32_t read_u32(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < 4; ++i) {
    value |= static_cast<std::uint32_t>(static_cast<std::uint8_t>(bytes[at + i])) << (8 * i);
  }
  return value;
}

/// A unit of the double array (Yata's Darts-clone): where the children are, the byte that leads
/// here, and whether a key ends here. A value unit has the highest bit set.
struct Unit {
  std::uint32_t bits = 0;

  [[nodiscard]] bool has_value() const { return (bits >> 8U & 1U) != 0; }
  [[nodiscard]] std::uint32_t value() const { return bits & 0x7fff'ffffU; }
  [[nodiscard]] std::uint32_t label() const { return bits & 0x8000'00ffU; }
  [[nodiscard]] std::uint32_t offset() const { return (bits >> 10U) << ((bits & 0x200U) >> 6U); }
};

class Decoder {
 public:
  Decoder(std::string_view trie, std::string_view replacements) : replacements_(replacements) {
    units_.reserve(trie.size() / 4);
    for (std::size_t at = 0; at < trie.size(); at += 4) units_.push_back({read_u32(trie, at)});
  }

  Result<std::vector<CharacterRule>> decode() {
    if (units_.empty()) return damaged("it has no root");
    std::size_t visits = 0;
    // A stack instead of recursion: depth is bounded by the longest key, not by our stack.
    std::vector<Frame> stack = {frame_of(units_[0].offset())};
    while (!stack.empty()) {
      Frame& frame = stack.back();
      const std::uint32_t label = frame.take_label();
      if (label == 0) {
        stack.pop_back();
        if (!key_.empty()) key_.pop_back();
        continue;
      }
      // Keys with the same ending share their last nodes, so a node may be met again; a loop shows
      // in the length of the key.
      if (key_.size() == kMaxKeyBytes) return damaged("a key is too long");
      if (++visits > kMaxVisits) return damaged("it has too many keys");
      const std::uint32_t child = frame.base ^ label;
      const Unit unit = units_[child];
      const std::uint32_t base = child ^ unit.offset();
      key_.push_back(static_cast<char>(label));
      if (unit.has_value()) TRY(add_rule(base));
      stack.push_back(frame_of(base));
    }
    return std::move(rules_);
  }

 private:
  /// A node whose children are being walked: one bit for each byte that leads on.
  struct Frame {
    std::uint32_t base = 0;
    std::array<std::uint64_t, 4> labels{};

    /// The smallest byte left, taken out; 0 when there is none.
    std::uint32_t take_label() {
      for (std::uint32_t i = 0; i < labels.size(); ++i) {
        if (labels[i] == 0) continue;
        const auto bit = static_cast<std::uint32_t>(std::countr_zero(labels[i]));
        labels[i] &= labels[i] - 1;
        return i * 64 + bit;
      }
      return 0;
    }
  };

  /// The children of a base are at base ^ byte: all in one aligned block of 256 units, which is
  /// compared in one sweep that the compiler turns into vector code.
  [[nodiscard]] Frame frame_of(std::uint32_t base) const {
    Frame frame;
    frame.base = base;
    const std::size_t block = base & ~0xffU;
    if (block >= units_.size()) return frame;
    const std::size_t count = std::min<std::size_t>(256, units_.size() - block);
    const std::uint32_t low = base & 0xffU;
    std::array<std::uint8_t, 256> matches{};
    const Unit* units = units_.data() + block;
    for (std::size_t i = 0; i < count; ++i) {
      matches[i] = units[i].label() == (static_cast<std::uint32_t>(i) ^ low) ? 1 : 0;
    }
    matches[low] = 0;  // Byte 0 leads to the value, not to a child.
    for (std::size_t word = 0; word < 256; word += 8) {
      std::uint64_t eight = 0;
      std::memcpy(&eight, &matches[word], sizeof eight);
      if (eight == 0) continue;
      for (std::size_t i = word; i < word + 8; ++i) {
        const std::size_t label = i ^ low;
        if (matches[i] != 0) frame.labels[label / 64] |= 1ULL << (label % 64);
      }
    }
    return frame;
  }

  Result<void> add_rule(std::uint32_t value_index) {
    if (value_index >= units_.size()) return damaged("a value is outside the trie");
    const std::uint32_t at = units_[value_index].value();
    const std::size_t end =
        at < replacements_.size() ? replacements_.find('\0', at) : std::string_view::npos;
    if (end == std::string_view::npos) return damaged("a replacement is outside the map");
    if (rules_.size() == kMaxRules) {
      return fail(ErrorCode::kLimit, "the character map has more than a million rules",
                  "check where tokenizer.json comes from");
    }
    rules_.push_back({key_, std::string(replacements_.substr(at, end - at))});
    return {};
  }

  std::vector<Unit> units_;
  std::string_view replacements_;
  std::string key_;
  std::vector<CharacterRule> rules_;
};

}  // namespace

Result<std::vector<CharacterRule>> decode_charsmap(std::string_view bytes) {
  if (bytes.size() < 4) return damaged("it is shorter than its header");
  const std::uint32_t trie_bytes = read_u32(bytes, 0);
  bytes.remove_prefix(4);
  if (trie_bytes > bytes.size() || trie_bytes % 4 != 0) {
    return damaged("its trie is longer than the map");
  }
  return Decoder(bytes.substr(0, trie_bytes), bytes.substr(trie_bytes)).decode();
}

Result<std::string> decode_base64(std::string_view text) {
  static constexpr auto kValues = [] {
    std::array<std::int8_t, 256> values{};
    values.fill(-1);
    constexpr std::string_view kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (std::size_t i = 0; i < kDigits.size(); ++i) {
      values[static_cast<std::uint8_t>(kDigits[i])] = static_cast<std::int8_t>(i);
    }
    return values;
  }();
  if (text.size() % 4 != 0) return damaged("its base64 is cut off");
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 3);
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : text) {
    const std::int8_t value = kValues[static_cast<std::uint8_t>(c)];
    if (value < 0) return damaged("it is not base64");
    bits = bits << 6U | static_cast<std::uint32_t>(value);
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes.push_back(static_cast<char>(bits >> count & 0xffU));
    }
  }
  return bytes;
}

}  // namespace beleg

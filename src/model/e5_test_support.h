#pragma once

// For the tests of this folder only.

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace beleg::test {

/// A small model in the form of "E5S1", with weights that follow from a formula, as values beside
/// the bytes: what a test computes by hand and what the file holds are the same numbers.
struct SmallE5 {
  std::int32_t hidden = 32;
  std::int32_t layers = 2;
  std::int32_t heads = 4;
  std::int32_t feed_forward = 64;
  std::int32_t positions = 160;
  float epsilon = 1e-6F;
  std::vector<std::pair<std::string, float>> pieces;
  std::vector<std::pair<std::uint32_t, std::vector<std::uint32_t>>> normalization;
  std::map<std::string, std::vector<float>> tensors;

  SmallE5();
  /// The file's bytes. `skip` names a tensor to leave out.
  [[nodiscard]] std::string bytes(std::string_view skip = {}) const;
};

template <class T>
void append_number(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// Deterministic values in [-0.5, 0.5).
inline std::vector<float> spread(std::uint32_t seed, std::size_t count) {
  std::vector<float> values(count);
  for (float& value : values) {
    seed = seed * 1664525U + 1013904223U;
    value = static_cast<float>(seed >> 16U) / 65536.0F - 0.5F;
  }
  return values;
}

inline bool is_q4(std::string_view name) {
  if (name == "emb.word") return true;
  return name.ends_with(".w") && name.find("ln.") == std::string_view::npos;
}

inline SmallE5::SmallE5() {
  pieces = {{"<s>", 0.0F},  {"<pad>", 0.0F},     {"</s>", 0.0F},        {"<unk>", 0.0F},
            {"\u2581", -2}, {"\u2581query", -3}, {"\u2581passage", -3}, {":", -2}};
  for (char c = 'a'; c <= 'z'; ++c) pieces.emplace_back(std::string(1, c), -5.0F);
  pieces.emplace_back("\u2581ab", -4.0F);
  pieces.emplace_back("<mask>", 0.0F);
  normalization = {{0x09, {0x20}}, {0x01, {}}, {0xbd, {0x31, 0x2044, 0x32}}};
  const auto add = [&](const std::string& name, std::int32_t count) {
    const auto seed = static_cast<std::uint32_t>(tensors.size() + 1) * 7919U;
    std::vector<float> values = spread(seed, static_cast<std::size_t>(count));
    if (is_q4(name)) {
      // Multiples of a scale that a half-precision float holds, from -8 to 7.
      for (float& value : values) value = std::floor(value * 15.0F) * 0.03125F;
    }
    if (name.ends_with("ln.w")) {
      for (float& value : values) value += 1.0F;
    }
    tensors[name] = std::move(values);
  };
  add("emb.word", static_cast<std::int32_t>(pieces.size()) * hidden);
  add("emb.pos", positions * hidden);
  add("emb.type", 2 * hidden);
  add("emb.ln.w", hidden);
  add("emb.ln.b", hidden);
  for (std::int32_t layer = 0; layer < layers; ++layer) {
    const std::string prefix = "l" + std::to_string(layer) + ".";
    for (const char* name : {"q", "k", "v", "ao"}) {
      add(prefix + name + ".w", hidden * hidden);
      add(prefix + name + ".b", hidden);
    }
    add(prefix + "fi.w", feed_forward * hidden);
    add(prefix + "fi.b", feed_forward);
    add(prefix + "fo.w", hidden * feed_forward);
    add(prefix + "fo.b", hidden);
    for (const char* name : {"aln", "oln"}) {
      add(prefix + name + ".w", hidden);
      add(prefix + name + ".b", hidden);
    }
  }
}

// Blocks with the scale 2^-5.
inline std::string pack_q4(const std::vector<float>& values) {
  std::string out;
  for (std::size_t block = 0; block < values.size(); block += 32) {
    append_number(out, std::uint16_t{0x2800});
    for (std::size_t j = 0; j < 16; ++j) {
      const auto low = static_cast<unsigned>(static_cast<int>(values[block + j] * 32.0F) + 8);
      const auto high = static_cast<unsigned>(static_cast<int>(values[block + j + 16] * 32.0F) + 8);
      out.push_back(static_cast<char>(low | high << 4U));
    }
  }
  return out;
}

inline std::string SmallE5::bytes(std::string_view skip) const {
  std::string out = "E5S1";
  const auto count = static_cast<std::int32_t>(pieces.size());
  for (std::int32_t value : {1, hidden, layers, heads, feed_forward, count, positions, 2}) {
    append_number(out, value);
  }
  append_number(out, epsilon);
  for (std::int32_t value : {32, count, 0, 2, 1, 3}) append_number(out, value);
  std::string text;
  std::string offsets;
  std::string scores;
  append_number(offsets, std::uint32_t{0});
  for (const auto& [piece, score] : pieces) {
    text += piece;
    append_number(offsets, static_cast<std::uint32_t>(text.size()));
    append_number(scores, score);
  }
  append_number(out, static_cast<std::uint64_t>(text.size()));
  out += offsets + scores + text;
  std::string rules;
  for (const auto& [from, to] : normalization) {
    append_number(rules, from);
    append_number(rules, static_cast<std::uint8_t>(to.size()));
    for (std::uint32_t code_point : to) append_number(rules, code_point);
  }
  append_number(out, static_cast<std::int32_t>(normalization.size()));
  append_number(out, static_cast<std::uint32_t>(rules.size()));
  out += rules;
  std::size_t directory = 4;
  std::int32_t present = 0;
  for (const auto& [name, values] : tensors) {
    if (name == skip) continue;
    directory += 2 + name.size() + 1 + 4 + 16;
    ++present;
  }
  std::size_t at = (out.size() + directory + 63) / 64 * 64;
  append_number(out, present);
  std::string data;
  const std::size_t first = at;
  for (const auto& [name, values] : tensors) {
    if (name == skip) continue;
    std::string packed;
    if (is_q4(name)) {
      packed = pack_q4(values);
    } else {
      packed.assign(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
    }
    append_number(out, static_cast<std::uint16_t>(name.size()));
    out += name;
    out.push_back(is_q4(name) ? '\1' : '\0');
    append_number(out, static_cast<std::uint32_t>(values.size()));
    append_number(out, static_cast<std::uint64_t>(at));
    append_number(out, static_cast<std::uint64_t>(packed.size()));
    packed.resize((packed.size() + 63) / 64 * 64);
    at += packed.size();
    data += packed;
  }
  out.resize(first);
  return out + data;
}

}  // namespace beleg::test

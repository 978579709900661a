#include "store/remnant_search.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace beleg {
namespace {

constexpr std::size_t kFilterBits = std::size_t{1} << 24U;
constexpr std::size_t kWordFilterBits = std::size_t{1} << 20U;

std::uint64_t eight_bytes(const char* bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

// Multiplication carries every bit upwards only: the high bits are the good ones.
constexpr std::uint64_t kOdd1 = 0x9E3779B97F4A7C15ULL;
constexpr std::uint64_t kOdd2 = 0xC2B2AE3D27D4EB4FULL;

std::uint64_t hash_of_window(const char* bytes) {
  const std::uint64_t first = eight_bytes(bytes) * kOdd1;
  const std::uint64_t second = (std::rotl(first, 29) ^ eight_bytes(bytes + 8)) * kOdd2;
  const std::uint64_t third = (std::rotl(second, 31) ^ eight_bytes(bytes + 16)) * kOdd1;
  return third ^ (third >> 32U);
}

std::uint64_t hash_of_word(std::uint64_t first_bytes) {
  const std::uint64_t mixed = first_bytes * kOdd1;
  return mixed ^ (mixed >> 32U);
}

bool test(const std::vector<std::uint64_t>& bits, std::uint64_t hash) {
  const std::uint64_t bit = hash & (bits.size() * 64 - 1);
  return ((bits[bit / 64] >> (bit % 64)) & 1U) != 0;
}

void set(std::vector<std::uint64_t>& bits, std::uint64_t hash) {
  const std::uint64_t bit = hash & (bits.size() * 64 - 1);
  bits[bit / 64] |= std::uint64_t{1} << (bit % 64);
}

/// Lower-case ASCII letters, digits and bytes of other letters: what an index term looks like.
bool looks_like_a_term(std::string_view word) {
  return std::ranges::all_of(word, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
           (static_cast<unsigned char>(c) > 127);
  });
}

}  // namespace

std::size_t RemnantSearch::slot_of(const char* bytes, std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = (hash >> 20U) & mask;
  while (slots_[slot] != kFree &&
         std::memcmp(windows_[slots_[slot]].data(), bytes, kWindowBytes) != 0) {
    slot = (slot + 1) & mask;
  }
  return slot;
}

void RemnantSearch::grow() {
  slots_.assign(std::max<std::size_t>(1024, slots_.size() * 2), kFree);
  for (std::size_t i = 0; i < windows_.size(); ++i) {
    slots_[slot_of(windows_[i].data(), hash_of_window(windows_[i].data()))] =
        static_cast<std::uint32_t>(i);
  }
}

void RemnantSearch::add_window(const char* bytes) {
  if (filter_.empty()) filter_.resize(kFilterBits / 64);
  if ((windows_.size() + 1) * 2 > slots_.size()) grow();
  const std::uint64_t hash = hash_of_window(bytes);
  std::uint32_t& slot = slots_[slot_of(bytes, hash)];
  if (slot != kFree) return;
  slot = static_cast<std::uint32_t>(windows_.size());
  std::memcpy(windows_.emplace_back().data(), bytes, kWindowBytes);
  excluded_.push_back(false);
  ++living_windows_;
  set(filter_, hash);
}

void RemnantSearch::add_text(std::string_view text, std::size_t stride) {
  for (std::size_t at = 0; at + kWindowBytes <= text.size(); at += stride) {
    add_window(text.data() + at);
  }
}

void RemnantSearch::add_word(std::string_view word) {
  if (word.size() >= kWindowBytes) return add_text(word, 1);
  if (word.size() < kShortestWord) return;
  const std::uint64_t key = eight_bytes(&word.front());
  const auto [first, last] = words_.equal_range(key);
  if (std::any_of(first, last, [&](const auto& known) { return known.second.text == word; })) {
    return;
  }
  if (word_filter_.empty()) word_filter_.resize(kWordFilterBits / 64);
  set(word_filter_, hash_of_word(key));
  words_.emplace(key, Word{std::string(word), !looks_like_a_term(word)});
}

void RemnantSearch::exclude(std::string_view living) {
  if (!words_.empty()) {
    for (std::size_t at = 0; at + kShortestWord <= living.size(); ++at) {
      const std::uint64_t key = eight_bytes(living.data() + at);
      if (!test(word_filter_, hash_of_word(key))) continue;
      auto [word, last] = words_.equal_range(key);
      while (word != last) {
        const bool lives = living.substr(at).starts_with(word->second.text);
        word = lives ? words_.erase(word) : std::next(word);
      }
    }
  }
  if (windows_.empty()) return;
  for (std::size_t at = 0; at + kWindowBytes <= living.size(); ++at) {
    const char* bytes = living.data() + at;
    const std::uint64_t hash = hash_of_window(bytes);
    if (!test(filter_, hash)) continue;
    const std::uint32_t window = slots_[slot_of(bytes, hash)];
    if (window == kFree || excluded_[window]) continue;
    excluded_[window] = true;
    --living_windows_;
  }
}

const RemnantSearch::Word* RemnantSearch::word_at(std::string_view bytes, std::size_t at) const {
  const std::uint64_t key = eight_bytes(bytes.data() + at);
  if (!test(word_filter_, hash_of_word(key))) return nullptr;
  const auto [first, last] = words_.equal_range(key);
  const auto found = std::find_if(first, last, [&](const auto& word) {
    return bytes.substr(at).starts_with(word.second.text);
  });
  return found == last ? nullptr : &found->second;
}

std::optional<std::size_t> RemnantSearch::find(std::string_view bytes, Words words) const {
  for (std::size_t at = 0; at + kShortestWord <= bytes.size(); ++at) {
    if (!words_.empty()) {
      const Word* word = word_at(bytes, at);
      if (word != nullptr && (words == Words::kAll || word->distinctive)) return at;
    }
    if (living_windows_ == 0 || at + kWindowBytes > bytes.size()) continue;
    const std::uint64_t hash = hash_of_window(bytes.data() + at);
    if (!test(filter_, hash)) continue;
    const std::uint32_t window = slots_[slot_of(bytes.data() + at, hash)];
    if (window != kFree && !excluded_[window]) return at;
  }
  return std::nullopt;
}

}  // namespace beleg

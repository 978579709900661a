#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory_resource>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "text/analyzer.h"
#include "text/word_breaker.h"

namespace beleg {

namespace detail {
inline std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  return (std::rotl(hash, 29) ^ word) * 0x9E3779B97F4A7C15ULL;
}

// Up to 8 bytes from `at` on, as they lie in memory, zeros behind them.
inline std::uint64_t load_eight(std::string_view text, std::size_t at, std::size_t count) {
  std::uint64_t bytes = 0;
  if (std::endian::native == std::endian::little && at + 8 <= text.size()) {
    std::memcpy(&bytes, text.data() + at, 8);
    return count < 8 ? bytes & ((std::uint64_t{1} << (8 * count)) - 1) : bytes;
  }
  std::memcpy(&bytes, text.data() + at, std::min<std::size_t>(count, 8));
  return bytes;
}
}  // namespace detail

/// A token as it is written, for an analyzer and a sink, with its hash. The bytes behind it up to
/// kMaxBytes are zero, so that it is compared by eights.
class TokenKey {
 public:
  static constexpr std::size_t kMaxBytes = 48;
  static constexpr std::size_t kChunks = kMaxBytes / 8;

  /// Takes a token of `text` for a context of the cache; nothing is taken when it is too long.
  void take(std::string_view text, const RawToken& token, std::uint32_t context);

  /// Whether a token was taken.
  [[nodiscard]] bool is_set() const { return size_ != 0; }

  [[nodiscard]] const std::array<std::uint64_t, kChunks>& chunks() const { return chunks_; }
  [[nodiscard]] std::uint32_t size() const { return size_; }  ///< In bytes.
  /// Context, traits and size in one number.
  [[nodiscard]] std::uint64_t kind() const { return kind_; }
  [[nodiscard]] std::uint64_t hash() const { return hash_; }

 private:
  std::array<std::uint64_t, kChunks> chunks_ = {};
  std::uint32_t size_ = 0;
  std::uint64_t kind_ = 0;
  std::uint64_t hash_ = 0;
};

/// A term of a token as a sink that numbers terms takes it.
struct NumberedTerm {
  std::uint32_t number = 0;  ///< Of the sink.
  float weight = 1.0F;       ///< This and the rest as in AnalyzedTerm.
  ByteSpan span;             ///< Within the token.
  TermForm form = TermForm::kWord;
  bool stop_word = false;
};

/// Remembers what tokens become for a sink that numbers terms: one look-up then stands for case
/// folding, stemming, splitting and numbering. What a token becomes follows from its bytes and
/// traits, not from what stands around it. Grows up to a limit, and starts anew there. Belongs to
/// one thread.
class TokenCache {
 public:
  TokenCache();

  /// The part of the cache for an analyzer and a sink, by their ids. Holds until the next call.
  [[nodiscard]] std::uint32_t context_of(std::uint32_t analyzer, std::uint64_t sink);
  /// The terms of a token, which hold until the next call; nothing when it is not known.
  [[nodiscard]] std::optional<std::span<const NumberedTerm>> find(const TokenKey& key);
  /// Asks for the memory that find() will look at, in two steps, so that it can be there by then.
  void prefetch_frequent(const TokenKey& key) const;
  void prefetch_slot(const TokenKey& key) const;
  /// Remembers the terms of a token that is not known.
  void add(const TokenKey& key, std::span<const NumberedTerm> terms);

  /// More tokens are never held.
  static constexpr std::size_t kMaxEntries = 1U << 17U;
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  static constexpr std::size_t kHeadChunks = 2;
  using Context = std::pair<std::uint32_t, std::uint64_t>;
  struct Slot {
    std::uint32_t tag = 0;    // High half of the hash.
    std::uint32_t entry = 0;  // Index + 1; 0 is empty.
  };
  // One line of the processor's cache. The one term that most tokens have is in it.
  struct alignas(64) Entry {
    std::array<std::uint64_t, kHeadChunks> head = {};
    const std::uint64_t* tail = nullptr;  // The other chunks of a longer token.
    const NumberedTerm* terms = nullptr;  // Null: `only`.
    NumberedTerm only;
    std::uint32_t count = 0;  // Of terms.
    std::uint64_t kind = 0;

    [[nodiscard]] bool is(const TokenKey& wanted) const;
    [[nodiscard]] std::span<const NumberedTerm> all() const {
      return {terms == nullptr ? &only : terms, count};
    }
  };
  static_assert(sizeof(Entry) == 64);

  static constexpr std::uint32_t kFrequentBits = 13;

  [[nodiscard]] const Entry& frequent(const TokenKey& key) const {
    return frequent_[key.hash() >> (64U - kFrequentBits)];
  }
  [[nodiscard]] std::optional<std::span<const NumberedTerm>> find_farther(const TokenKey& key);
  void insert(std::uint64_t hash, std::uint32_t entry);
  void grow();
  void clear();

  // The latest token of each hash value: few enough to stay near the processor, where most tokens
  // are found. Copies of entries.
  std::vector<Entry> frequent_;
  std::vector<Slot> slots_;
  std::vector<Entry> entries_;
  std::vector<std::uint64_t> hashes_;  // Of the entries, for growing.
  std::pmr::monotonic_buffer_resource memory_;
  std::vector<Context> contexts_;
};

inline void TokenKey::take(std::string_view text, const RawToken& token, std::uint32_t context) {
  const std::size_t used = (std::size_t{size_} + 7) / 8;
  const std::size_t size = token.span.size() <= kMaxBytes ? token.span.size() : 0;
  size_ = static_cast<std::uint32_t>(size);
  kind_ = std::uint64_t{context} << 32U | std::uint64_t{token.traits} << 16U | size;
  std::uint64_t hash = kind_;
  std::size_t chunk = 0;
  for (std::size_t at = 0; at < size; at += 8) {
    chunks_[chunk] = detail::load_eight(text, token.span.start + at, size - at);
    hash = detail::mix(hash, chunks_[chunk++]);
  }
  while (chunk < used) chunks_[chunk++] = 0;
  hash_ = hash ^ (hash >> 32U);
}

inline bool TokenCache::Entry::is(const TokenKey& wanted) const {
  const auto& chunks = wanted.chunks();
  if (((kind ^ wanted.kind()) | (head[0] ^ chunks[0]) | (head[1] ^ chunks[1])) != 0) return false;
  return tail == nullptr || std::equal(chunks.begin() + kHeadChunks, chunks.end(), tail);
}

inline void TokenCache::prefetch_frequent(const TokenKey& key) const {
  __builtin_prefetch(&frequent(key));
}

inline void TokenCache::prefetch_slot(const TokenKey& key) const {
  if (frequent(key).is(key)) return;
  __builtin_prefetch(&slots_[key.hash() & (slots_.size() - 1)]);
}

inline std::optional<std::span<const NumberedTerm>> TokenCache::find(const TokenKey& key) {
  const Entry& near = frequent(key);
  return near.is(key) ? near.all() : find_farther(key);
}

/// The cache of the calling thread.
[[nodiscard]] TokenCache& token_cache_of_this_thread();

}  // namespace beleg

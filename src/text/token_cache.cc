#include "text/token_cache.h"

#include <algorithm>

namespace beleg {
namespace {

constexpr std::size_t kFirstSlots = 1U << 10U;
// Analyzers and sinks that are gone leave their tokens behind until the cache starts anew.
constexpr std::size_t kMaxContexts = 64;

}  // namespace

TokenCache::TokenCache() : frequent_(std::size_t{1} << kFrequentBits), slots_(kFirstSlots) {}

std::uint32_t TokenCache::context_of(std::uint32_t analyzer, std::uint64_t sink) {
  const Context wanted{analyzer, sink};
  auto found = std::ranges::find(contexts_, wanted);
  if (found == contexts_.end()) {
    if (contexts_.size() == kMaxContexts) {
      clear();
      contexts_.clear();
    }
    contexts_.push_back(wanted);
    found = contexts_.end() - 1;
  }
  return static_cast<std::uint32_t>(found - contexts_.begin());
}

std::optional<std::span<const NumberedTerm>> TokenCache::find_farther(const TokenKey& key) {
  const std::uint64_t hash = key.hash();
  const auto tag = static_cast<std::uint32_t>(hash >> 32U);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t slot = hash & mask; slots_[slot].entry != 0; slot = (slot + 1) & mask) {
    if (slots_[slot].tag != tag) continue;
    const Entry& entry = entries_[slots_[slot].entry - 1];
    if (!entry.is(key)) continue;
    Entry& near = frequent_[hash >> (64U - kFrequentBits)];
    near = entry;
    return near.all();
  }
  return std::nullopt;
}

void TokenCache::add(const TokenKey& key, std::span<const NumberedTerm> terms) {
  if (entries_.size() == kMaxEntries) clear();
  if ((entries_.size() + 1) * 2 > slots_.size()) grow();
  Entry entry;
  std::copy_n(key.chunks().begin(), kHeadChunks, entry.head.begin());
  if (key.size() > kHeadChunks * 8) {
    const auto tail = std::span(key.chunks()).subspan(kHeadChunks);
    auto* stored =
        static_cast<std::uint64_t*>(memory_.allocate(tail.size_bytes(), alignof(std::uint64_t)));
    std::ranges::copy(tail, stored);
    entry.tail = stored;
  }
  if (terms.size() == 1) {
    entry.only = terms[0];
  } else if (!terms.empty()) {
    auto* stored =
        static_cast<NumberedTerm*>(memory_.allocate(terms.size_bytes(), alignof(NumberedTerm)));
    std::uninitialized_copy(terms.begin(), terms.end(), stored);
    entry.terms = stored;
  }
  entry.kind = key.kind();
  entry.count = static_cast<std::uint32_t>(terms.size());
  entries_.push_back(entry);
  hashes_.push_back(key.hash());
  insert(key.hash(), static_cast<std::uint32_t>(entries_.size()));
}

void TokenCache::insert(std::uint64_t hash, std::uint32_t entry) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  while (slots_[slot].entry != 0) slot = (slot + 1) & mask;
  slots_[slot] = {static_cast<std::uint32_t>(hash >> 32U), entry};
}

void TokenCache::grow() {
  slots_.assign(slots_.size() * 2, Slot{});
  for (std::size_t i = 0; i < hashes_.size(); ++i) {
    insert(hashes_[i], static_cast<std::uint32_t>(i + 1));
  }
}

void TokenCache::clear() {
  std::ranges::fill(frequent_, Entry{});
  std::ranges::fill(slots_, Slot{});
  entries_.clear();
  hashes_.clear();
  memory_.release();
}

TokenCache& token_cache_of_this_thread() {
  thread_local TokenCache cache;
  return cache;
}

}  // namespace beleg

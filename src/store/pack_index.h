#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "base/hash.h"
#include "store/embedding_pack.h"

namespace beleg {

/// Where each key of a pack is: a flat hash table (linear probing) of positions in a flat list.
/// Keys are digests, so their own first bytes are the hash.
class PackIndex {
 public:
  struct Entry {
    Sha256 key;
    PackLocation where;
  };

  [[nodiscard]] const PackLocation* find(const Sha256& key) const {
    if (slots_.empty()) return nullptr;
    const std::uint32_t slot = slots_[slot_of(key)];
    return slot == kFree ? nullptr : &entries_[slot].where;
  }

  /// Adds a key, or moves it to another place.
  void put(const Sha256& key, PackLocation where) {
    if ((entries_.size() + 1) * 2 > slots_.size()) grow();
    std::uint32_t& slot = slots_[slot_of(key)];
    if (slot == kFree) {
      slot = static_cast<std::uint32_t>(entries_.size());
      entries_.push_back({key, where});
    } else {
      entries_[slot].where = where;
    }
  }

  /// In the order in which the keys came first.
  [[nodiscard]] std::span<const Entry> entries() const { return entries_; }

 private:
  static constexpr std::uint32_t kFree = 0xFFFFFFFF;

  /// The slot that holds `key`, or the free one where it belongs.
  [[nodiscard]] std::size_t slot_of(const Sha256& key) const {
    std::uint64_t hash = 0;
    std::memcpy(&hash, key.bytes.data(), sizeof hash);
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = hash & mask;
    while (slots_[i] != kFree && entries_[slots_[i]].key != key) i = (i + 1) & mask;
    return i;
  }

  void grow() {
    slots_.assign(slots_.empty() ? 64 : slots_.size() * 2, kFree);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      slots_[slot_of(entries_[i].key)] = static_cast<std::uint32_t>(i);
    }
  }

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> slots_;  // A power of two, at most half full.
};

}  // namespace beleg

#include "model/byte_trie.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace beleg {
namespace {

struct SortKey {
  std::uint64_t prefix = 0;  // First eight bytes, big-endian, padded with zeros.
  std::uint32_t entry = 0;
};

std::uint64_t prefix_of(std::string_view key) {
  std::uint64_t prefix = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    prefix = prefix << 8U | (i < key.size() ? static_cast<std::uint8_t>(key[i]) : 0U);
  }
  return prefix;
}

// Least significant byte first, stable: equal prefixes stay in the order of the entries.
void sort_by_prefix(std::vector<SortKey>& keys) {
  std::vector<SortKey> other(keys.size());
  for (unsigned shift = 0; shift < 64; shift += 8) {
    std::array<std::uint32_t, 257> start{};
    for (const SortKey& key : keys) ++start[(key.prefix >> shift & 0xffU) + 1];
    for (std::size_t i = 1; i < start.size(); ++i) start[i] += start[i - 1];
    for (const SortKey& key : keys) other[start[key.prefix >> shift & 0xffU]++] = key;
    keys.swap(other);
  }
}

// Sorted by key, without empty keys, of equal keys only the last one given.
std::vector<ByteTrie::Entry> sorted_unique(std::span<const ByteTrie::Entry> entries) {
  std::vector<SortKey> keys;
  keys.reserve(entries.size());
  for (std::uint32_t i = 0; i < entries.size(); ++i) {
    if (!entries[i].key.empty()) keys.push_back({prefix_of(entries[i].key), i});
  }
  sort_by_prefix(keys);
  for (std::size_t begin = 0; begin < keys.size();) {
    std::size_t end = begin + 1;
    while (end < keys.size() && keys[end].prefix == keys[begin].prefix) ++end;
    if (end - begin > 1) {
      std::stable_sort(keys.begin() + static_cast<std::ptrdiff_t>(begin),
                       keys.begin() + static_cast<std::ptrdiff_t>(end),
                       [&](const SortKey& a, const SortKey& b) {
                         return entries[a.entry].key < entries[b.entry].key;
                       });
    }
    begin = end;
  }
  std::vector<ByteTrie::Entry> sorted;
  sorted.reserve(keys.size());
  for (const SortKey& key : keys) {
    const ByteTrie::Entry& entry = entries[key.entry];
    if (!sorted.empty() && sorted.back().key == entry.key) {
      sorted.back() = entry;
    } else {
      sorted.push_back(entry);
    }
  }
  return sorted;
}

}  // namespace

ByteTrie::ByteTrie(std::span<const Entry> entries) {
  const std::vector<Entry> sorted = sorted_unique(entries);
  // The keys below each node of the level that is being expanded, and of the one after it.
  using Range = std::pair<std::uint32_t, std::uint32_t>;
  std::vector<Range> level = {{0, static_cast<std::uint32_t>(sorted.size())}};
  std::vector<Range> next;
  labels_.reserve(sorted.size() * 3);
  values_.reserve(sorted.size() * 3);
  first_child_.clear();
  first_child_.reserve(sorted.size() * 3);
  for (std::size_t depth = 0; !level.empty(); ++depth) {
    next.clear();
    const std::size_t level_start = values_.size() - level.size();
    for (std::size_t n = 0; n < level.size(); ++n) {
      auto [begin, end] = level[n];
      first_child_.push_back(static_cast<std::uint32_t>(values_.size()));
      // A key that ends here is the shortest below this node, so it is the first.
      if (begin < end && sorted[begin].key.size() == depth) {
        values_[level_start + n] = sorted[begin++].value;
      }
      while (begin < end) {
        const char label = sorted[begin].key[depth];
        std::uint32_t last = begin + 1;
        while (last < end && sorted[last].key[depth] == label) ++last;
        labels_.push_back(static_cast<std::uint8_t>(label));
        values_.push_back(-1);
        next.emplace_back(begin, last);
        begin = last;
      }
    }
    level.swap(next);
  }
  first_child_.push_back(static_cast<std::uint32_t>(values_.size()));
  for (std::uint32_t i = first_child_[0]; i < first_child_[1]; ++i) root_children_[labels_[i]] = i;
}

}  // namespace beleg

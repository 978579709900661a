#include "text/word_cache.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace beleg {
namespace {

constexpr std::size_t kFirstSlots = 1U << 10U;
// About 20 MB a thread, more words than a thread meets between two calls that matter.
constexpr std::size_t kMaxEntries = 1U << 17U;
constexpr std::uint64_t kHashFactor = 0x9E3779B97F4A7C15ULL;

// Eight ASCII characters in lower case: bit 5 is set where a byte lies between 'A' and 'Z'. Adding
// to bytes below 128 carries nothing into their neighbours.
std::uint64_t lower_eight(std::uint64_t bytes) {
  constexpr std::uint64_t kEach = 0x0101010101010101ULL;
  const std::uint64_t from_a = bytes + kEach * (0x80U - 'A');
  const std::uint64_t beyond_z = bytes + kEach * (0x80U - 'Z' - 1U);
  const std::uint64_t upper = (from_a & ~beyond_z) & (kEach * 0x80U);
  return bytes | (upper >> 2U);
}

std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  return (std::rotl(hash, 29) ^ word) * kHashFactor;
}

void number_terms(TermSink& sink, CachedWord& word) {
  word.number = sink.number_of(word.term);
  for (CachedWord::Part& part : word.parts) part.number = sink.number_of(part.term);
}

}  // namespace

void WordKey::finish() {
  hash_ = size_ * kHashFactor;
  for (const std::uint64_t chunk : chunks()) hash_ = mix(hash_, chunk);
}

bool WordKey::fold_ascii(std::string_view word) {
  if (word.size() > kMaxBytes) return false;
  size_ = word.size();
  hash_ = size_ * kHashFactor;
  std::size_t i = 0;
  std::size_t chunk = 0;
  for (; i + 8 <= word.size(); i += 8) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, word.data() + i, 8);
    eight = lower_eight(eight);
    chunks_[chunk++] = eight;
    hash_ = mix(hash_, eight);
  }
  if (i < word.size()) {
    std::uint64_t rest = 0;
    std::memcpy(&rest, word.data() + i, word.size() - i);
    rest = lower_eight(rest);
    chunks_[chunk] = rest;
    hash_ = mix(hash_, rest);
  }
  return true;
}

bool WordKey::fold_latin1(std::string_view word) {
  if (word.size() > kMaxBytes) return false;
  size_ = word.size();
  if (size_ > 0) chunks_[(size_ - 1) / 8] = 0;
  char* out = reinterpret_cast<char*>(chunks_.data());
  for (std::size_t i = 0; i < word.size(); ++i) {
    const auto byte = static_cast<unsigned char>(word[i]);
    if (byte < 0x80U) {
      out[i] = byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte | 0x20U) : word[i];
      continue;
    }
    if (byte != 0xC3U || i + 1 == word.size()) return false;
    const auto tail = static_cast<unsigned char>(word[i + 1]);
    if (tail == 0x9FU) {  // ß
      out[i] = 's';
      out[i + 1] = 's';
    } else {
      out[i] = word[i];
      // U+00C0 to U+00DE lie 32 below their lower-case letters.
      out[i + 1] = static_cast<char>(tail < 0x9FU ? tail + 0x20U : tail);
    }
    ++i;
  }
  finish();
  return true;
}

bool WordKey::take_folded(std::string_view folded) {
  if (folded.size() > kMaxBytes) return false;
  size_ = folded.size();
  if (size_ > 0) {
    chunks_[(size_ - 1) / 8] = 0;
    std::memcpy(chunks_.data(), folded.data(), size_);
  }
  finish();
  return true;
}

bool WordCache::Entry::is(std::uint32_t wanted_owner, const WordKey& wanted) const {
  if (owner != wanted_owner || key_bytes != wanted.word().size()) return false;
  // Mostly two or three words: shorter than a call of memcmp.
  const std::span<const std::uint64_t> chunks = wanted.chunks();
  std::uint64_t difference = 0;
  for (std::size_t i = 0; i < chunks.size(); ++i) difference |= chunks[i] ^ key[i];
  return difference == 0;
}

WordCache::WordCache() : slots_(kFirstSlots) {}

const CachedWord& WordCache::find(const WordNormalizer& normalizer, std::uint32_t owner,
                                  TermSink& sink, const WordKey& key) {
  std::uint64_t hash = (key.hash() ^ owner) * kHashFactor;
  hash ^= hash >> 32U;
  const auto tag = static_cast<std::uint32_t>(hash >> 32U);
  const std::size_t mask = slots_.size() - 1;
  Entry* found = nullptr;
  for (std::size_t slot = hash & mask; slots_[slot].entry != 0; slot = (slot + 1) & mask) {
    if (slots_[slot].tag != tag) continue;
    Entry& entry = entries_[slots_[slot].entry - 1];
    if (entry.is(owner, key)) {
      found = &entry;
      break;
    }
  }
  if (found == nullptr) found = &add(normalizer, owner, key, hash);
  if (sink.id() != 0 && found->sink != sink.id()) {
    number_terms(sink, found->word);
    found->sink = sink.id();
  }
  return found->word;
}

const CachedWord& WordCache::find_uncached(const WordNormalizer& normalizer, TermSink& sink,
                                           std::string_view folded) {
  uncached_forms_ = normalizer.forms_of(folded);
  uncached_parts_.clear();
  for (const WordForms::Part& part : uncached_forms_.parts) {
    uncached_parts_.push_back({part.term, part.weight, 0});
  }
  uncached_ = {uncached_forms_.term, uncached_parts_, 0, uncached_forms_.stop_word};
  if (sink.id() != 0) number_terms(sink, uncached_);
  return uncached_;
}

std::string_view WordCache::store(std::string_view bytes) {
  if (bytes.empty()) return {};
  auto* copy = static_cast<char*>(memory_.allocate(bytes.size(), 1));
  std::memcpy(copy, bytes.data(), bytes.size());
  return {copy, bytes.size()};
}

WordCache::Entry& WordCache::add(const WordNormalizer& normalizer, std::uint32_t owner,
                                 const WordKey& key, std::uint64_t hash) {
  if (entries_.size() == kMaxEntries) clear();
  if ((entries_.size() + 1) * 2 > slots_.size()) grow();
  const WordForms forms = normalizer.forms_of(key.word());
  Entry entry;
  entry.owner = owner;
  const std::span<const std::uint64_t> chunks = key.chunks();
  auto* stored =
      static_cast<std::uint64_t*>(memory_.allocate(chunks.size_bytes(), alignof(std::uint64_t)));
  std::ranges::copy(chunks, stored);
  entry.key = stored;
  entry.key_bytes = static_cast<std::uint32_t>(key.word().size());
  // A stem is most often the beginning of its word.
  entry.word.term = key.word().starts_with(forms.term)
                        ? std::string_view(reinterpret_cast<const char*>(stored), forms.term.size())
                        : store(forms.term);
  entry.word.stop_word = forms.stop_word;
  if (!forms.parts.empty()) {
    auto* parts = static_cast<CachedWord::Part*>(
        memory_.allocate(forms.parts.size() * sizeof(CachedWord::Part), alignof(CachedWord::Part)));
    for (std::size_t i = 0; i < forms.parts.size(); ++i) {
      new (parts + i) CachedWord::Part{store(forms.parts[i].term), forms.parts[i].weight, 0};
    }
    entry.word.parts = {parts, forms.parts.size()};
  }
  entries_.push_back(entry);
  hashes_.push_back(hash);
  insert(hash, static_cast<std::uint32_t>(entries_.size()));
  return entries_.back();
}

void WordCache::insert(std::uint64_t hash, std::uint32_t entry) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  while (slots_[slot].entry != 0) slot = (slot + 1) & mask;
  slots_[slot] = {static_cast<std::uint32_t>(hash >> 32U), entry};
}

void WordCache::grow() {
  slots_.assign(slots_.size() * 2, Slot{});
  for (std::size_t i = 0; i < hashes_.size(); ++i) {
    insert(hashes_[i], static_cast<std::uint32_t>(i + 1));
  }
}

void WordCache::clear() {
  std::ranges::fill(slots_, Slot{});
  entries_.clear();
  hashes_.clear();
  memory_.release();
}

WordCache& word_cache_of_this_thread() {
  thread_local WordCache cache;
  return cache;
}

}  // namespace beleg

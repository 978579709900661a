#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <string_view>
#include <vector>

#include "text/analyzer.h"
#include "text/word_forms.h"

namespace beleg {

/// A word folded by append_folded and short enough to be remembered, with its hash. The bytes
/// behind the word up to the next multiple of 8 are zero, so that it is compared by eights.
class WordKey {
 public:
  static constexpr std::size_t kMaxBytes = 48;

  /// Folds a word of ASCII letters; false when it is too long.
  [[nodiscard]] bool fold_ascii(std::string_view word);
  /// Folds a word of ASCII and the letters U+00C0 to U+00FF; false when it has others or is too
  /// long.
  [[nodiscard]] bool fold_latin1(std::string_view word);
  /// Takes a folded word; false when it is too long.
  [[nodiscard]] bool take_folded(std::string_view folded);

  [[nodiscard]] std::string_view word() const {
    return {reinterpret_cast<const char*>(chunks_.data()), size_};
  }
  [[nodiscard]] std::span<const std::uint64_t> chunks() const {
    return std::span(chunks_).first((size_ + 7) / 8);
  }
  [[nodiscard]] std::uint64_t hash() const { return hash_; }

 private:
  void finish();

  std::array<std::uint64_t, kMaxBytes / 8> chunks_ = {};
  std::size_t size_ = 0;
  std::uint64_t hash_ = 0;
};

/// The forms of a word as the cache holds them; see WordForms.
struct CachedWord {
  struct Part {
    std::string_view term;
    float weight = 1.0F;
    std::uint32_t number = 0;
  };
  std::string_view term;
  std::span<Part> parts;
  std::uint32_t number = 0;  ///< Of the term in the sink that was asked for; so of a part.
  bool stop_word = false;
};

/// Remembers the forms of words, so that stemming, splitting and numbering are paid once a word.
/// Grows with the vocabulary up to a limit, and starts anew there. Belongs to one thread; analyzers
/// and sinks share it, told apart by their ids.
class WordCache {
 public:
  WordCache();

  /// The forms of a word by `normalizer`, whose id is `owner`, with the numbers of `sink`. The
  /// reference holds until the next call.
  [[nodiscard]] const CachedWord& find(const WordNormalizer& normalizer, std::uint32_t owner,
                                       TermSink& sink, const WordKey& key);
  /// The same for a word of any length, which is not remembered.
  [[nodiscard]] const CachedWord& find_uncached(const WordNormalizer& normalizer, TermSink& sink,
                                                std::string_view folded);

 private:
  struct Slot {
    std::uint32_t tag = 0;    // High half of the hash.
    std::uint32_t entry = 0;  // Index + 1; 0 is empty.
  };
  // One line of the processor's cache; the key and most terms share another.
  struct alignas(64) Entry {
    CachedWord word;
    std::uint64_t sink = 0;  // Whose numbers the word has.
    const std::uint64_t* key = nullptr;
    std::uint32_t owner = 0;
    std::uint32_t key_bytes = 0;

    [[nodiscard]] bool is(std::uint32_t wanted_owner, const WordKey& wanted) const;
  };

  Entry& add(const WordNormalizer& normalizer, std::uint32_t owner, const WordKey& key,
             std::uint64_t hash);
  [[nodiscard]] std::string_view store(std::string_view bytes);
  void insert(std::uint64_t hash, std::uint32_t entry);
  void grow();
  void clear();

  std::vector<Slot> slots_;
  std::vector<Entry> entries_;
  std::vector<std::uint64_t> hashes_;  // Of the entries, for growing.
  std::pmr::monotonic_buffer_resource memory_;
  WordForms uncached_forms_;
  std::vector<CachedWord::Part> uncached_parts_;
  CachedWord uncached_;
};

/// The cache of the calling thread.
[[nodiscard]] WordCache& word_cache_of_this_thread();

}  // namespace beleg

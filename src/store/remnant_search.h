#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace beleg {

/// Looks for what is left of erased texts in any bytes: 24 consecutive bytes of one of them
/// (a window), or a whole short word such as a title. What also stands in a text that lives must be
/// excluded first. Not thread-safe while windows are added; finding is.
class RemnantSearch {
 public:
  static constexpr std::size_t kWindowBytes = 24;
  /// Shorter words are not looked for: in megabytes of vectors they arise by chance.
  static constexpr std::size_t kShortestWord = 8;

  /// Every `stride`-th window of `text`, from its beginning. A remnant of kWindowBytes + stride - 1
  /// bytes is found for certain. Shorter texts are left out.
  void add_text(std::string_view text, std::size_t stride);
  /// A title, an id or such: all of its windows, or the word itself where it has less than one.
  void add_word(std::string_view word);
  /// Takes out every window and word that `living` holds.
  void exclude(std::string_view living);

  /// Which words find() looks for.
  enum class Words : std::uint8_t {
    kAll,
    /// Without those of lower-case letters and digits alone: an index of terms holds such words
    /// run together, in which one may arise by chance.
    kDistinctive,
  };
  /// Where the first remnant in `bytes` begins.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view bytes, Words words) const;

  /// Windows and words that are looked for.
  [[nodiscard]] std::size_t size() const { return living_windows_ + words_.size(); }
  /// The longest thing that find() may need to see whole.
  static constexpr std::size_t kOverlapBytes = kWindowBytes - 1;

 private:
  using Window = std::array<char, kWindowBytes>;
  struct Word {
    std::string text;
    bool distinctive = false;
  };

  void add_window(const char* bytes);
  [[nodiscard]] std::size_t slot_of(const char* bytes, std::uint64_t hash) const;
  void grow();
  [[nodiscard]] const Word* word_at(std::string_view bytes, std::size_t at) const;

  static constexpr std::uint32_t kFree = 0xFFFFFFFF;
  std::vector<Window> windows_;
  std::vector<bool> excluded_;         // By window.
  std::vector<std::uint32_t> slots_;   // Hash table with linear probing; a power of two.
  std::vector<std::uint64_t> filter_;  // A bit per hash, that most places are ruled out by.
  std::size_t living_windows_ = 0;     // Windows that are not excluded.
  std::unordered_multimap<std::uint64_t, Word> words_;  // By their first eight bytes.
  std::vector<std::uint64_t> word_filter_;
};

}  // namespace beleg

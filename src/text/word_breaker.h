#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "text/span.h"

namespace beleg {

/// What stands in a raw token; the bits are joined by "or".
enum TokenTraits : std::uint32_t {
  kHasLower = 1U << 0U,
  kHasUpper = 1U << 1U,
  kHasInnerUpper = 1U << 2U,  ///< Upper case after the first character.
  kHasDigit = 1U << 3U,
  kHasNonAscii = 1U << 4U,
  kHasHyphen = 1U << 5U,
  kHasApostrophe = 1U << 6U,
  kHasConnector = 1U << 7U,  ///< Other punctuation between word characters: _ / . : @ & + # * ,
  kIsUrl = 1U << 8U,
  kIsDictionaryWord = 1U << 9U,  ///< Found by ICU's dictionary in unspaced script.
};

/// A maximal run of word characters, with the punctuation that ties identifiers, numbers, URLs and
/// hyphenated words together. Never has punctuation at its ends, but for "C++", "C#" and the like.
struct RawToken {
  ByteSpan span;
  std::uint32_t traits = 0;
};

/// Walks over a text token by token. Malformed bytes separate. Keeps a view of the text.
class WordBreaker {
 public:
  explicit WordBreaker(std::string_view text) : text_(text) {}

  /// Finds the next token; false at the end of the text.
  [[nodiscard]] bool next(RawToken& token);

 private:
  std::size_t scan_run(std::size_t position, std::size_t token_start, std::uint32_t& traits) const;
  std::size_t connected_run(std::size_t position, std::size_t token_start,
                            std::uint32_t& traits) const;
  std::size_t symbol_suffix(std::size_t position, std::size_t token_start) const;
  [[nodiscard]] bool starts_url(std::size_t start, std::size_t position) const;
  std::size_t scan_url(std::size_t position) const;
  void queue_dictionary_run(std::size_t start);

  std::string_view text_;
  std::size_t position_ = 0;
  std::vector<ByteSpan> queue_;  // Words of the last dictionary run, in order.
  std::size_t queue_next_ = 0;
};

}  // namespace beleg

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "text/span.h"

namespace beleg {

/// Index into a model's vocabulary.
using TokenId = std::int32_t;

/// One token and the bytes of the input it stands for (empty for special tokens).
struct Token {
  TokenId id = 0;
  ByteSpan span;
};

/// Turns text into a model's tokens, without special tokens, prefixes or truncation. Immutable,
/// thread-safe. Input is UTF-8; invalid bytes become the unknown token.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;
  [[nodiscard]] virtual std::vector<Token> tokenize(std::string_view text) const = 0;
  /// The first tokens only: ends after the word in which the number of tokens passes `limit`, so
  /// that a long text costs no more than what is used of it.
  [[nodiscard]] virtual std::vector<Token> tokenize(std::string_view text,
                                                    std::size_t limit) const = 0;
};

}  // namespace beleg

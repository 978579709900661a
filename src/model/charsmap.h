#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace beleg {

/// A replacement of a normaliser: `from` becomes `to`, both UTF-8.
struct CharacterRule {
  std::string from;
  std::string to;
};

/// Decodes a character map as SentencePiece compiles it into its models: the size of a trie (32
/// bits, little-endian), the trie (a double array of the Darts-clone form), the replacements, each
/// ended by a zero byte. Errors: kCorrupt, also for a trie with loops; kLimit with more than a
/// million rules.
Result<std::vector<CharacterRule>> decode_charsmap(std::string_view bytes);

/// Decodes base64 (RFC 4648) with padding. Errors: kCorrupt.
Result<std::string> decode_base64(std::string_view text);

}  // namespace beleg

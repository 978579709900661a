#pragma once

#include <cstdint>

namespace beleg {

/// Where the payload of a row stands in the embedding pack.
struct TokenRow {
  std::uint64_t payload = 0;  ///< Bytes from the start of the pack.
  std::uint32_t tokens = 0;
  std::uint32_t context_tokens = 0;
};
static_assert(sizeof(TokenRow) == 16);

}  // namespace beleg

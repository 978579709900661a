#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "text/span.h"

namespace beleg {

/// A reference to a provision: "§ 5 Abs. 2", "Art. 3 Abs. 1 Satz 2", "Section 4(1)(b)".
struct LegalReference {
  ByteSpan span;
  /// The terms to look it up by: the whole reference, then those that contain it, the nearest
  /// first: "§5.abs2.s1", "§5.abs2", "§5".
  std::vector<std::string> terms;
};

/// False for the first byte of most words: no reference starts with them.
[[nodiscard]] inline bool may_start_legal_reference(char first) {
  const char lower = static_cast<char>(first | 0x20);
  return lower == 'a' || lower == 'p' || lower == 's' || (first >= '0' && first <= '9');
}

/// Where a reference may start whose first word or number is the token at `start`: at its sign or
/// word; std::string_view::npos when no reference starts there.
[[nodiscard]] std::size_t legal_reference_start(std::string_view text, std::size_t start);

/// The references that start at `start`; several when the sign is doubled: "§§ 5 und 6". None when
/// no number follows. Looks at a bounded number of bytes.
[[nodiscard]] std::vector<LegalReference> legal_references_at(std::string_view text,
                                                              std::size_t start);

}  // namespace beleg

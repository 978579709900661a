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

/// False for most words and numbers that start at `start`: no reference starts with them.
[[nodiscard]] inline bool may_start_legal_reference(std::string_view text, std::size_t start) {
  const auto lower = [&](std::size_t i) { return static_cast<char>(text[start + i] | 0x20); };
  const char first = lower(0);
  if (first == 'a' || first == 'p' || first == 's') {
    if (text.size() - start < 3) return false;
    const char second = lower(1);
    const char third = lower(2);
    return (first == 'a' && second == 'r' && third == 't') ||
           (first == 'p' && second == 'a' && third == 'r') ||
           (first == 's' && second == 'e' && third == 'c');
  }
  // A number needs the sign before it, with spaces between at most: the last byte of either.
  if (text[start] < '0' || text[start] > '9' || start == 0) return false;
  const auto before = static_cast<unsigned char>(text[start - 1]);
  return before == ' ' || before == '\n' || before >= 0x80U;
}

/// Where a reference may start whose first word or number is the token at `start`: at its sign or
/// word; std::string_view::npos when no reference starts there.
[[nodiscard]] std::size_t legal_reference_start(std::string_view text, std::size_t start);

/// The references that start at `start`; several when the sign is doubled: "§§ 5 und 6". None when
/// no number follows. Looks at a bounded number of bytes.
[[nodiscard]] std::vector<LegalReference> legal_references_at(std::string_view text,
                                                              std::size_t start);

}  // namespace beleg

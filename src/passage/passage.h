#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "text/span.h"

namespace beleg {

/// A contiguous span of a version's text: the unit of retrieval and of citation.
struct Passage {
  Span span;                              ///< Code points of the version's text.
  ByteSpan bytes;                         ///< The same, in bytes.
  std::uint32_t ordinal = 0;              ///< From 0, in document order.
  std::uint32_t page = 0;                 ///< Page of its first character; 0 where there are none.
  std::vector<std::string> heading_path;  ///< Outermost first, without the document's title.
  friend bool operator==(const Passage&, const Passage&) = default;
};

}  // namespace beleg

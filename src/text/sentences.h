#pragma once

#include <string_view>
#include <vector>

#include "text/span.h"

namespace beleg {

/// Byte ranges of the sentences of `text`, in order, without surrounding white space, covering
/// every other character. Knows German and English abbreviations ("z. B.", "Dr.", "e.g."), ordinals
/// ("3. März"), initials, numbers with points, and quotes after the final stop. A line break ends a
/// sentence only where an empty line follows. `language` is an ISO 639-1 code. Thread-safe.
[[nodiscard]] std::vector<ByteSpan> split_sentences(std::string_view text,
                                                    std::string_view language);

}  // namespace beleg

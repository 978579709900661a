#pragma once

#include <span>
#include <string_view>

#include "index/index_snapshot.h"
#include "text/analyzer.h"

namespace beleg {

/// Share of a question's idf mass whose terms stand in a text, in [0,1]: Σ idf · weight over the
/// terms of `question` that are among `text` and asked of `part` ("de", "en" or "und": the part of
/// the index that the text is in), over the same sum for all terms asked of `own_part`, that of the
/// question's language. A text in another language can only have what languages share: names,
/// numbers. 1 when nothing is asked. Late interaction takes one drug for another when all else
/// agrees; words do not.
[[nodiscard]] double term_coverage(std::span<const QueryTermReport> question,
                                   std::string_view own_part, std::string_view part,
                                   std::span<const AnalyzedTerm> text);

}  // namespace beleg

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/result.h"
#include "document/document.h"
#include "store/corpus_store.h"
#include "text/span.h"

namespace beleg {

/// Where a statement is proven: minted from the stored version, never typed by a model.
struct Citation {
  std::string document;  ///< The id its source gave it.
  std::string source;    ///< Namespace of that id.
  VersionId version{};
  PassageId passage{};     ///< The passage that was retrieved; the span lies inside it.
  Span span;               ///< Code points of the version's text, half-open.
  std::uint32_t page = 0;  ///< From 1; 0 where there are no pages.
  std::string quote;       ///< The stored text of the span, byte for byte.
  std::string quote_sha256;
  std::string url;
  std::string title;
  std::string origin;  ///< File or address the document was read from.
  std::optional<Date> published;
};

/// Mints a citation of `span` (code points of the version's text). Errors: kInvalidArgument when
/// the span is empty or does not lie inside the text.
Result<Citation> mint_citation(const StoredVersion& version, PassageId passage, std::uint32_t page,
                               Span span);

/// Re-reads the span in `version` and compares it with the quote and its hash, byte for byte.
/// Errors: kCorrupt naming what differs.
Result<void> verify_citation(const Citation& citation, const StoredVersion& version);

/// A quote as it stands in an answer: white space (line ends of the source) becomes one blank, at
/// the ends none; nothing else changes. The citation keeps the bytes as they are stored.
[[nodiscard]] std::string flowing(std::string_view text);

}  // namespace beleg

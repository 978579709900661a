#include "answer/citation.h"

#include "base/hash.h"
#include "document/release_date.h"
#include "text/utf8.h"

namespace beleg {

Result<Citation> mint_citation(const StoredVersion& version, PassageId passage, std::uint32_t page,
                               Span span) {
  const CodePointIndex index(version.content.text);
  if (span.empty() || span.end > index.size()) {
    return fail(ErrorCode::kInvalidArgument,
                "span " + std::to_string(span.start) + "–" + std::to_string(span.end) +
                    " does not lie in the text of '" + version.external_id + "' (" +
                    std::to_string(index.size()) + " code points)",
                "run `beleg audit`");
  }
  const DocumentMetadata& meta = version.content.meta;
  Citation citation;
  citation.document = version.external_id;
  citation.source = version.source;
  citation.version = version.version;
  citation.passage = passage;
  citation.span = span;
  citation.page = page;
  citation.quote = std::string(index.slice(span));
  citation.quote_sha256 = sha256(citation.quote).hex();
  citation.url = meta.url;
  citation.title = meta.title;
  citation.origin = version.origin;
  citation.published = release_date(meta);
  return citation;
}

Result<void> verify_citation(const Citation& citation, const StoredVersion& version) {
  const auto differs = [&citation](const std::string& what) {
    return fail(ErrorCode::kCorrupt,
                "citation of '" + citation.document + "' at " +
                    std::to_string(citation.span.start) + "–" + std::to_string(citation.span.end) +
                    ": " + what,
                "run `beleg audit`");
  };
  if (sha256(citation.quote).hex() != citation.quote_sha256) {
    return differs("the quote does not have its hash");
  }
  const CodePointIndex index(version.content.text);
  if (citation.span.empty() || citation.span.end > index.size()) {
    return differs("the span lies outside the stored text");
  }
  if (index.slice(citation.span) != citation.quote) {
    return differs("the stored text is not the quote");
  }
  return {};
}

std::string flowing(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!space) {
      out.push_back(c);
    } else if (!out.empty() && out.back() != ' ') {
      out.push_back(' ');
    }
  }
  while (out.ends_with(' ')) out.pop_back();
  return out;
}

}  // namespace beleg

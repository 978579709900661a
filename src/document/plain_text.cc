#include <algorithm>
#include <string>
#include <utility>

#include "document/encoding.h"
#include "document/fields.h"
#include "document/paragraphs.h"
#include "document/reader.h"
#include "text/utf8.h"

namespace beleg {
namespace {

constexpr std::size_t kLongestTitle = 120;  // Characters.

/// The first line, when it is short and an empty line follows.
std::string first_line_title(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t\n\f");
  if (start == std::string_view::npos) return {};
  text.remove_prefix(start);
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return {};
  const std::string_view line = text.substr(0, end);
  const std::string_view next = text.substr(end + 1, text.find('\n', end + 1) - end - 1);
  const bool followed_by_empty = next.find_first_not_of(" \t\f") == std::string_view::npos;
  if (!followed_by_empty || count_code_points(line) >= kLongestTitle) return {};
  return one_line(line);
}

}  // namespace

Result<ParsedDocument> read_plain_text(std::string_view bytes, const ReadSettings& /*settings*/) {
  DecodedText decoded = TRY(decode_text(bytes));
  ParsedDocument document;
  document.text = std::move(decoded.text);
  document.encoding = std::move(decoded.encoding);
  document.replacements = decoded.replacements;
  document.blocks = find_paragraphs(document.text, {.headings = true});
  if (document.blocks.empty()) {
    return fail(ErrorCode::kInvalidArgument, "the file has no text", "give a file with text");
  }
  const Block& first = document.blocks.front();
  if (first.kind == BlockKind::kHeading) {
    const auto heading = CodePointIndex(document.text).slice(first.span);
    document.meta.title = one_line(heading.substr(0, heading.find('\n')));
  } else {
    document.meta.title = first_line_title(document.text);
  }
  complete_metadata(document);
  return document;
}

}  // namespace beleg

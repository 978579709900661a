#include <algorithm>
#include <string>
#include <utility>

#include "document/encoding.h"
#include "document/fields.h"
#include "document/front_matter.h"
#include "document/markdown_writer.h"
#include "document/reader.h"
#include "document/text_builder.h"
#include "text/utf8.h"

namespace beleg {
namespace {

/// Reads front matter into the document; values of the wrong kind become warnings. What cannot be
/// parsed at all is an error: without its id the document would be taken for another one, and
/// without its labels everyone would see it. Returns the body: the whole text again where the
/// fences turn out to be rules.
Result<std::string_view> read_front_matter(std::string_view text, const ReadSettings& settings,
                                           ParsedDocument& document) {
  const FrontMatter parts = split_front_matter(text);
  if (parts.kind == FrontMatterKind::kNone) return text;
  const bool yaml = parts.kind == FrontMatterKind::kYaml;
  if (!parts.closed) {
    if (!looks_like_fields(parts, settings)) return text;
    return fail(
        ErrorCode::kInvalidArgument,
        "the front matter that begins in line " + std::to_string(parts.line) + " is never closed",
        std::string("end it with a line ") + (yaml ? "---" : "+++"));
  }
  const auto fields = yaml ? read_yaml_fields(parts) : read_toml_fields(parts);
  if (fields) {
    apply_fields(*fields, settings, document);
    // A slip of indentation or quoting can hide the labels inside another field's value.
    if (!has_field(*fields, settings, "access")) guard_access(parts.source, settings, document);
    return parts.body;
  }
  if (access_name(parts.source, true, settings) != nullptr) {
    return fail(ErrorCode::kInvalidArgument, fields.error().message, fields.error().remedy);
  }
  if (fields.error().code == ErrorCode::kUnsupported || !looks_like_fields(parts, settings)) {
    return text;
  }
  return std::unexpected<Error>(fields.error());
}

/// The first heading of level 1.
std::string heading_title(const ParsedDocument& document) {
  for (const Block& block : document.blocks) {
    if (block.kind == BlockKind::kHeading && block.level == 1) {
      return std::string(CodePointIndex(document.text).slice(block.span));
    }
  }
  return {};
}

}  // namespace

Result<ParsedDocument> read_markdown(std::string_view bytes, const ReadSettings& settings) {
  DecodedText decoded = TRY(decode_text(bytes));
  ParsedDocument document;
  document.encoding = std::move(decoded.encoding);
  document.replacements = decoded.replacements;
  const std::string_view body = TRY(read_front_matter(decoded.text, settings, document));
  TextBuilder builder;
  TRY(write_markdown(body, settings.max_depth, builder, document.warnings));
  builder.finish(document);
  if (document.text.empty()) {
    return fail(ErrorCode::kInvalidArgument, "the document has no text",
                "give a document with text below its front matter");
  }
  if (document.meta.title.empty()) document.meta.title = heading_title(document);
  complete_metadata(document);
  return document;
}

}  // namespace beleg

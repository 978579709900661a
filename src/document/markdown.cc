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

/// Reads front matter into the document; what is wrong with it becomes a warning. Returns the body:
/// the whole text again where the fences turn out to be rules.
std::string_view read_front_matter(std::string_view text, const ReadSettings& settings,
                                   ParsedDocument& document) {
  const FrontMatter parts = split_front_matter(text);
  if (parts.kind == FrontMatterKind::kNone) return text;
  const auto fields = parts.kind == FrontMatterKind::kYaml ? read_yaml_fields(parts.source)
                                                           : read_toml_fields(parts.source);
  if (fields) {
    apply_fields(*fields, settings, document);
    // A slip of indentation or quoting can hide the labels inside another field's value.
    if (!has_field(*fields, settings, "access")) {
      guard_access(parts.source, false, settings, document);
    }
    return parts.body;
  }
  if (fields.error().code == ErrorCode::kUnsupported) return text;
  document.warnings.push_back(fields.error().message);
  guard_access(parts.source, true, settings, document);
  return parts.body;
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
  const std::string_view body = read_front_matter(decoded.text, settings, document);
  TextBuilder builder;
  TRY(write_markdown(body, settings.max_depth, builder, document.warnings));
  builder.finish(document);
  if (document.text.empty()) {
    return fail(ErrorCode::kInvalidArgument, "the document has no text",
                "give a document with text below its front matter");
  }
  if (document.text.size() > settings.max_record_bytes) {
    return fail(ErrorCode::kLimit,
                "the document's text has " + std::to_string(document.text.size()) +
                    " bytes; the limit is " + std::to_string(settings.max_record_bytes),
                "split the document or raise ingest.max_record_bytes");
  }
  if (document.meta.title.empty()) document.meta.title = heading_title(document);
  complete_metadata(document);
  return document;
}

}  // namespace beleg

#include <algorithm>
#include <string>
#include <utility>

#include "document/encoding.h"
#include "document/fields.h"
#include "document/html_content.h"
#include "document/html_metadata.h"
#include "document/html_tree.h"
#include "document/html_writer.h"
#include "document/reader.h"
#include "document/text_builder.h"

namespace beleg {
namespace {

constexpr std::size_t kDoctypeBytes = 600;

/// XHTML closes elements with "/>", which an HTML parser takes for a start tag.
bool is_xhtml(std::string_view html) {
  const std::string_view head = html.substr(0, kDoctypeBytes);
  return head.starts_with("<?xml") || head.find("DTD XHTML") != std::string_view::npos;
}

bool is_in_article(const std::vector<ElementMeasure>& elements, std::size_t root) {
  const GumboTag tag = html_tag(elements[root].node);
  return tag == GUMBO_TAG_MAIN || tag == GUMBO_TAG_ARTICLE ||
         html_attribute(elements[root].node, "role") == "main";
}

/// Writes the content without what surrounds it, or the whole body when nothing else would be left.
void write_content(const std::vector<ElementMeasure>& elements, std::size_t root,
                   const ReadSettings& settings, ParsedDocument& document) {
  HtmlWriting writing{.max_depth = settings.max_depth,
                      .list_depth = 0,
                      .skip_boilerplate = true,
                      .inside_article = is_in_article(elements, root)};
  TextBuilder builder;
  bool complete = write_html(elements, root, writing, builder);
  if (builder.bytes() == 0 && elements[root].text_bytes > 0) {
    writing.skip_boilerplate = false;
    complete = write_html(elements, root, writing, builder);
    document.warnings.emplace_back(
        "the page has nothing but navigation; all of its text was taken");
  }
  if (!complete) document.warnings.emplace_back("elements that nest too deep were left out");
  builder.finish(document);
}

}  // namespace

Result<ParsedDocument> read_html(std::string_view bytes, const ReadSettings& settings) {
  DecodedText decoded = TRY(decode_text(bytes, declared_charset(bytes)));
  if (is_xhtml(decoded.text)) decoded.text = expand_self_closing_tags(decoded.text);
  const HtmlTree tree = TRY(HtmlTree::parse(decoded.text, settings.max_depth));
  const auto elements = measure_elements(tree.root(), tree_levels(settings.max_depth));
  const std::size_t root = find_content(elements);

  ParsedDocument document;
  document.encoding = std::move(decoded.encoding);
  document.replacements = decoded.replacements;
  write_content(elements, root, settings, document);
  if (document.text.empty()) {
    return fail(ErrorCode::kInvalidArgument, "the page has no text", "give a page with text");
  }
  apply_fields(page_fields(elements), settings, document);
  if (!document.meta.published) document.meta.published = first_time(elements, root);
  if (document.meta.title.empty()) {
    document.meta.title = page_title(elements, document.blocks, document.text);
  }
  complete_metadata(document);
  return document;
}

}  // namespace beleg

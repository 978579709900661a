#include "document/html_metadata.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "document/date.h"
#include "document/html_table.h"
#include "text/utf8.h"

namespace beleg {
namespace {

using Json = nlohmann::json;
using Kind = FieldValue::Kind;

constexpr std::size_t kDeclarationBytes = 4096;
constexpr std::size_t kLargestJsonLd = 1U << 20U;
constexpr std::size_t kMostFields = 1000;
constexpr std::uint32_t kTitleDepth = 64;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

void add_field(SourceFields& fields, std::string_view name, std::string_view value) {
  if (value.empty() || fields.size() >= kMostFields) return;
  fields.emplace_back(name,
                      FieldValue{.kind = Kind::kText, .text = std::string(value), .items = {}});
}

void add_meta(SourceFields& fields, const GumboNode* meta) {
  const std::string_view content = html_attribute(meta, "content");
  for (const char* attribute : {"name", "property", "itemprop"}) {
    const std::string_view name = html_attribute(meta, attribute);
    if (!name.empty()) return add_field(fields, name, content);
  }
  if (same_name(html_attribute(meta, "http-equiv"), "content-language")) {
    add_field(fields, "lang", content);
  }
}

void add_json_ld_author(SourceFields& fields, const Json& author) {
  if (author.is_string()) {
    add_field(fields, "author", author.get_ref<const std::string&>());
  } else if (author.is_object()) {
    const auto name = author.find("name");
    if (name != author.end() && name->is_string()) {
      add_field(fields, "author", name->get_ref<const std::string&>());
    }
  } else if (author.is_array()) {
    for (const Json& one : author) {
      if (!one.is_array()) add_json_ld_author(fields, one);
    }
  }
}

void add_json_ld_object(SourceFields& fields, const Json& object) {
  if (!object.is_object()) return;
  for (const char* name : {"datePublished", "dateModified"}) {
    const auto date = object.find(name);
    if (date != object.end() && date->is_string()) {
      add_field(fields, name, date->get_ref<const std::string&>());
    }
  }
  if (const auto author = object.find("author"); author != object.end()) {
    add_json_ld_author(fields, *author);
  }
}

void add_json_ld(SourceFields& fields, const GumboNode* script) {
  const GumboVector& children = html_children(script);
  if (children.length != 1 || html_child(children, 0)->type != GUMBO_NODE_TEXT) return;
  const std::string_view source = html_child(children, 0)->v.text.text;
  if (source.size() > kLargestJsonLd) return;
  const Json json = Json::parse(source, nullptr, false);
  const auto graph = json.is_object() ? json.find("@graph") : json.end();
  const Json& objects = json.is_object() && graph != json.end() ? *graph : json;
  if (!objects.is_array()) return add_json_ld_object(fields, objects);
  for (const Json& object : objects) add_json_ld_object(fields, object);
}

void add_html_language(SourceFields& fields, const GumboNode* html) {
  std::string_view language = html_attribute(html, "lang");
  if (language.empty()) language = html_attribute(html, "xml:lang");
  add_field(fields, "lang", language);
}

/// The value after `name` and "=", unquoted, or empty.
std::string_view value_after(std::string_view text, std::string_view name) {
  const auto found = std::search(text.begin(), text.end(), name.begin(), name.end(),
                                 [](char a, char b) { return lower(a) == b; });
  if (found == text.end()) return {};
  text.remove_prefix(static_cast<std::size_t>(found - text.begin()) + name.size());
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  if (!text.starts_with('=')) return {};
  text.remove_prefix(1);
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n\"'"), text.size()));
  return text.substr(0, text.find_first_of(" \t\r\n\"';/>?"));
}

/// True when `whole` is `part` with a site's name before or after it: "Headline – Site".
bool is_with_site_name(std::string_view whole, std::string_view part) {
  if (part.empty() || whole.size() < part.size()) return false;
  if (whole == part) return true;
  std::string_view rest;
  if (whole.starts_with(part)) {
    rest = whole.substr(part.size());
  } else if (whole.ends_with(part)) {
    rest = whole.substr(0, whole.size() - part.size());
  } else {
    return false;
  }
  for (const std::string_view sign : {"|", " - ", "–", "—", "·", ":", "»", "«", "•"}) {
    if (rest.find(sign) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

std::string_view declared_charset(std::string_view html) {
  const std::string_view head = html.substr(0, kDeclarationBytes);
  if (head.starts_with("<?xml")) {
    const auto encoding = value_after(head.substr(0, head.find('>')), "encoding");
    if (!encoding.empty()) return encoding;
  }
  std::size_t at = 0;
  while ((at = head.find('<', at)) != std::string_view::npos) {
    const std::string_view tag = head.substr(at, head.find('>', at) - at);
    if (tag.size() > 5 && same_name(tag.substr(0, 5), "<meta")) {
      const auto charset = value_after(tag, "charset");
      if (!charset.empty()) return charset;
    }
    ++at;
  }
  return {};
}

SourceFields page_fields(const std::vector<ElementMeasure>& elements) {
  SourceFields fields;
  for (const ElementMeasure& element : elements) {
    const GumboNode* node = element.node;
    switch (html_tag(node)) {
      case GUMBO_TAG_HTML:
        add_html_language(fields, node);
        break;
      case GUMBO_TAG_META:
        add_meta(fields, node);
        break;
      case GUMBO_TAG_LINK:
        if (same_name(html_attribute(node, "rel"), "canonical")) {
          add_field(fields, "canonical", html_attribute(node, "href"));
        }
        break;
      case GUMBO_TAG_SCRIPT:
        if (same_name(html_attribute(node, "type"), "application/ld+json")) {
          add_json_ld(fields, node);
        }
        break;
      default:
        break;
    }
  }
  return fields;
}

std::optional<Date> first_time(const std::vector<ElementMeasure>& elements, std::size_t root) {
  for (std::size_t i = root; i < root + elements[root].elements; ++i) {
    if (html_tag(elements[i].node) != GUMBO_TAG_TIME) continue;
    if (auto date = parse_date(html_attribute(elements[i].node, "datetime"))) return date;
  }
  return std::nullopt;
}

std::string page_title(const std::vector<ElementMeasure>& elements,
                       const std::vector<Block>& blocks, std::string_view text) {
  std::string title;
  for (const ElementMeasure& element : elements) {
    if (html_tag(element.node) != GUMBO_TAG_TITLE) continue;
    const GumboVector& children = html_children(element.node);
    if (children.length > 0) title = one_line(flat_text(html_child(children, 0), kTitleDepth));
    break;
  }
  const auto is_h1 = [](const Block& block) {
    return block.kind == BlockKind::kHeading && block.level == 1;
  };
  const auto first = std::find_if(blocks.begin(), blocks.end(), is_h1);
  if (first == blocks.end()) return title;
  std::string heading = one_line(CodePointIndex(text).slice(first->span));
  const bool only = std::find_if(first + 1, blocks.end(), is_h1) == blocks.end();
  if (title.empty() || (only && is_with_site_name(title, heading))) return heading;
  return title;
}

}  // namespace beleg

#include "document/html_tree.h"

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstring>
#include <new>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace beleg {
namespace {

constexpr std::size_t kChunkBytes = 1U << 16U;
constexpr std::size_t kAlignment = alignof(std::max_align_t);
/// Memory of a tree per byte of HTML. Honest pages measure 10 to 40; attributes of one letter in an
/// endless row reach 60.
constexpr std::size_t kTreeBytesPerByte = 128;
constexpr std::size_t kTreeBytesAtLeast = 1U << 22U;

constexpr std::array<std::string_view, 14> kVoidElements{
    "area",  "base", "br",   "col",   "embed",  "hr",    "img",
    "input", "link", "meta", "param", "source", "track", "wbr"};

/// Elements whose end tag may be left out or that end at the next of their kind: their start tags
/// say nothing about nesting.
constexpr std::array<std::string_view, 22> kSelfEnding{
    "html",  "head",  "body",    "p",  "li", "dt",     "dd",       "tr",       "td", "th", "thead",
    "tbody", "tfoot", "caption", "rt", "rp", "option", "optgroup", "colgroup", "rb", "a",  "nobr"};

/// Elements of SVG and MathML whose content is HTML again.
constexpr std::array<std::string_view, 9> kIntegrationPoints{
    "desc", "foreignobject", "title", "annotation-xml", "mi", "mo", "mn", "ms", "mtext"};

/// HTML elements whose start tag ends SVG and MathML (HTML standard, "parsing main in foreign
/// content"), as far as they nest.
constexpr std::array<std::string_view, 37> kLeavesForeign{
    "b",  "big",   "blockquote", "center", "code",   "div", "dl",   "em",    "font", "h1",
    "h2", "h3",    "h4",         "h5",     "h6",     "i",   "menu", "ol",    "pre",  "ruby",
    "s",  "small", "span",       "strong", "strike", "sub", "sup",  "table", "tt",   "u",
    "ul", "var",   "listing",    "head",   "body",   "p",   "nobr"};

template <std::size_t N>
bool is_one_of(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// A tag as it stands in the source.
struct Tag {
  std::string name;  ///< In lower case; empty at the end of the source.
  bool closing = false;
  bool self_closing = false;
  std::size_t start = 0;  ///< At "<".
  std::size_t end = 0;    ///< After ">".
};

/// Walks over the tags of a source, past comments, declarations, quoted attribute values and the
/// contents of scripts and styles.
class TagScanner {
 public:
  explicit TagScanner(std::string_view html) : html_(html) {}

  Tag next() {
    while (true) {
      position_ = std::min(html_.find('<', position_), html_.size());
      if (position_ + 1 >= html_.size()) return {};
      const std::string_view rest = html_.substr(position_);
      if (rest.starts_with("<!--")) {
        skip_past("-->", 4);
      } else if (rest.starts_with("<![CDATA[")) {
        skip_past("]]>", 9);
      } else if (rest[1] == '!' || rest[1] == '?') {
        skip_past(">", 2);
      } else if (is_name_start(rest[1]) ||
                 (rest[1] == '/' && rest.size() > 2 && is_name_start(rest[2]))) {
        return read_tag();
      } else {
        ++position_;
      }
    }
  }

 private:
  void skip_past(std::string_view end, std::size_t from) {
    const std::size_t found = html_.find(end, position_ + from);
    position_ = found == std::string_view::npos ? html_.size() : found + end.size();
  }

  Tag read_tag() {
    Tag tag;
    tag.start = position_;
    std::size_t i = position_ + 1;
    if (html_[i] == '/') {
      tag.closing = true;
      ++i;
    }
    for (; i < html_.size() && html_[i] != '>' && html_[i] != '/' &&
           static_cast<unsigned char>(html_[i]) > ' ';
         ++i) {
      const char c = html_[i];
      tag.name.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
    }
    char previous = '\0';
    char quote = '\0';
    for (; i < html_.size(); ++i) {
      const char c = html_[i];
      if (quote != '\0') {
        if (c == quote) quote = '\0';
      } else if ((c == '"' || c == '\'') && previous == '=') {
        quote = c;
      } else if (c == '>') {
        tag.self_closing = html_[i - 1] == '/';
        break;
      }
      if (static_cast<unsigned char>(c) > ' ') previous = c;
    }
    tag.end = std::min(i + 1, html_.size());
    position_ = tag.end;
    if (!tag.closing && !tag.self_closing) skip_raw_text(tag.name);
    return tag;
  }

  /// The content of these elements is no markup: the next tag is their end.
  void skip_raw_text(const std::string& name) {
    static constexpr std::array<std::string_view, 6> kRaw{"script", "style", "textarea",
                                                          "title",  "xmp",   "noframes"};
    if (!is_one_of(name, kRaw)) return;
    std::size_t at = position_;
    while ((at = html_.find("</", at)) != std::string_view::npos) {
      const std::string_view found = html_.substr(at + 2, name.size());
      const bool same = std::equal(found.begin(), found.end(), name.begin(), name.end(),
                                   [](char a, char b) { return (a | 0x20) == b; });
      if (same) break;
      at += 2;
    }
    position_ = std::min(at, html_.size());
  }

  std::string_view html_;
  std::size_t position_ = 0;
};

}  // namespace

/// Hands out memory that is freed all at once. The parser is C and cannot be told "no more": a
/// request above the limit jumps back to where the parse began.
struct HtmlTree::Arena {
  struct FreeChunk {
    void operator()(std::byte* chunk) const { ::operator delete(chunk); }
  };

  explicit Arena(std::size_t limit_bytes) : limit(limit_bytes) {}

  void* allocate(std::size_t size) {
    size = (size + kAlignment - 1) / kAlignment * kAlignment;
    if (size > left) {
      const std::size_t chunk = std::max(size, std::max(kChunkBytes, used / 4));
      if (size > limit || used > limit - size) std::longjmp(too_large, 1);
      auto* const memory = static_cast<std::byte*>(::operator new(chunk, std::nothrow));
      if (memory == nullptr) std::longjmp(too_large, 1);
      chunks.emplace_back(memory);
      used += chunk;
      next = chunks.back().get();
      left = chunk;
    }
    left -= size;
    return std::exchange(next, next + size);
  }

  std::vector<std::unique_ptr<std::byte, FreeChunk>> chunks;
  std::byte* next = nullptr;
  std::size_t left = 0;
  std::size_t used = 0;
  std::size_t limit;
  std::jmp_buf too_large{};
};

HtmlTree::HtmlTree(std::unique_ptr<Arena> arena) : arena_(std::move(arena)) {}
HtmlTree::HtmlTree(HtmlTree&&) noexcept = default;
HtmlTree& HtmlTree::operator=(HtmlTree&&) noexcept = default;
HtmlTree::~HtmlTree() = default;

Result<HtmlTree> HtmlTree::parse(std::string_view html, std::uint32_t max_depth) {
  return parse_as(html, max_depth, false);
}

Result<HtmlTree> HtmlTree::parse_fragment(std::string_view html, std::uint32_t max_depth) {
  return parse_as(html, max_depth, true);
}

Result<HtmlTree> HtmlTree::parse_as(std::string_view html, std::uint32_t max_depth, bool fragment) {
  if (html_nesting(html) > max_depth) {
    return fail(ErrorCode::kLimit,
                "HTML elements nest deeper than " + std::to_string(max_depth) + " levels",
                "repair the page: it has far more start tags than end tags");
  }
  HtmlTree tree(
      std::make_unique<Arena>(std::max(kTreeBytesAtLeast, html.size() * kTreeBytesPerByte)));
  GumboOptions options = kGumboDefaultOptions;
  options.allocator = [](void* arena, std::size_t size) {
    return static_cast<Arena*>(arena)->allocate(size);
  };
  options.deallocator = [](void*, void*) {};
  options.userdata = tree.arena_.get();
  options.max_errors = 0;
  if (fragment) options.fragment_context = GUMBO_TAG_BODY;
  // Between here and the end of the parse there are C frames only, so the jump skips no destructor.
  if (setjmp(tree.arena_->too_large) != 0) {
    return fail(ErrorCode::kLimit, "the HTML tree grows beyond all measure",
                "repair the page: formatting elements such as <b> are opened and never closed");
  }
  const GumboOutput* output = gumbo_parse_with_options(&options, html.data(), html.size());
  tree.root_ = output->root;
  return tree;
}

const GumboVector& html_children(const GumboNode* node) {
  static constexpr GumboVector kNone{nullptr, 0, 0};
  if (node->type == GUMBO_NODE_ELEMENT || node->type == GUMBO_NODE_TEMPLATE) {
    return node->v.element.children;
  }
  return kNone;
}

GumboTag html_tag(const GumboNode* node) {
  return node->type == GUMBO_NODE_ELEMENT || node->type == GUMBO_NODE_TEMPLATE ? node->v.element.tag
                                                                               : GUMBO_TAG_LAST;
}

std::string_view html_attribute(const GumboNode* element, const char* name) {
  if (html_tag(element) == GUMBO_TAG_LAST) return {};
  const GumboAttribute* attribute = gumbo_get_attribute(&element->v.element.attributes, name);
  return attribute == nullptr ? std::string_view() : std::string_view(attribute->value);
}

bool html_has_attribute(const GumboNode* element, const char* name) {
  return html_tag(element) != GUMBO_TAG_LAST &&
         gumbo_get_attribute(&element->v.element.attributes, name) != nullptr;
}

std::uint32_t html_nesting(std::string_view html) {
  TagScanner scanner(html);
  std::unordered_map<std::string, std::uint32_t> open;
  std::uint32_t foreign = 0;      // Open <svg> and <math>: there, "/>" closes an element …
  std::uint32_t integration = 0;  // … but not inside these, where HTML begins anew.
  std::uint32_t depth = 0;
  std::uint32_t deepest = 0;
  for (Tag tag = scanner.next(); !tag.name.empty(); tag = scanner.next()) {
    if (is_one_of(tag.name, kVoidElements) || is_one_of(tag.name, kSelfEnding)) continue;
    const bool is_foreign = tag.name == "svg" || tag.name == "math";
    const bool is_integration = foreign > 0 && is_one_of(tag.name, kIntegrationPoints);
    if (!tag.closing) {
      if (tag.self_closing && (foreign > 0 || is_foreign) && integration == 0 &&
          !is_one_of(tag.name, kLeavesForeign)) {
        continue;
      }
      ++open[tag.name];
      deepest = std::max(deepest, ++depth);
      foreign += is_foreign ? 1 : 0;
      integration += is_integration ? 1 : 0;
      continue;
    }
    // An end tag without a start tag ends nothing.
    const auto found = open.find(tag.name);
    if (found == open.end() || found->second == 0) continue;
    --found->second;
    --depth;
    if (is_foreign && foreign > 0) --foreign;
    if (is_integration && integration > 0) --integration;
  }
  return deepest;
}

std::string expand_self_closing_tags(std::string_view xhtml) {
  std::string out;
  out.reserve(xhtml.size() + xhtml.size() / 16);
  TagScanner scanner(xhtml);
  std::size_t copied = 0;
  for (Tag tag = scanner.next(); !tag.name.empty(); tag = scanner.next()) {
    if (!tag.self_closing || tag.closing || is_one_of(tag.name, kVoidElements)) continue;
    const std::size_t slash = tag.end - 2;
    out.append(xhtml, copied, slash - copied);
    out += "></";
    out += tag.name;
    out.push_back('>');
    copied = tag.end;
  }
  out.append(xhtml, copied);
  return out;
}

}  // namespace beleg

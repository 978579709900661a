#include "document/html_content.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace beleg {
namespace {

constexpr std::uint32_t kContentBytes = 200;  // Fewer may well be a long menu.

/// Part of class or id names that mean navigation, whatever is in it.
constexpr std::array<std::string_view, 13> kNavigationWords{
    "nav",         "navbar",     "navheader", "navfooter", "navigation", "docnav", "breadcrumb",
    "breadcrumbs", "pagination", "pager",     "skiplink",  "cookie",     "cookies"};

/// Part of class or id names that mean navigation where most of the text is links.
constexpr std::array<std::string_view, 15> kLinkBlockWords{
    "toc",    "menu",    "sidebar", "banner", "footer",  "header",  "related", "share",
    "social", "sharing", "tags",    "links",  "sitemap", "toolbar", "teaser"};

std::string ascii_lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

/// True when a word of `names` ("main-nav top_bar" has main, nav, top, bar) is in `words`.
template <std::size_t N>
bool has_word(std::string_view names, const std::array<std::string_view, N>& words) {
  const std::string lower = ascii_lower(names);
  constexpr std::string_view kSeparators = " \t\r\n-_";
  std::size_t start = 0;
  while (start < lower.size()) {
    const std::size_t end = std::min(lower.find_first_of(kSeparators, start), lower.size());
    const std::string_view word = std::string_view(lower).substr(start, end - start);
    if (std::find(words.begin(), words.end(), word) != words.end()) return true;
    start = end + 1;
  }
  return false;
}

std::uint32_t visible_bytes(std::string_view text) {
  std::uint32_t bytes = 0;
  for (const char c : text) bytes += static_cast<unsigned char>(c) > ' ' ? 1 : 0;
  return bytes;
}

class Measurer {
 public:
  Measurer(std::vector<ElementMeasure>& out, std::uint32_t max_depth)
      : out_(out), max_depth_(max_depth) {}

  void measure(const GumboNode* node, bool in_link, bool hidden, std::uint32_t depth) {
    const std::size_t index = out_.size();
    out_.push_back({.node = node, .words_before = words_});
    if (depth >= max_depth_) return;
    const std::string_view href =
        html_tag(node) == GUMBO_TAG_A ? html_attribute(node, "href") : std::string_view();
    const bool link = !href.empty();
    ElementMeasure total = out_[index];
    const bool visible = !hidden && !is_invisible(node);
    const GumboVector& children = html_children(node);
    for (unsigned i = 0; i < children.length; ++i) {
      const GumboNode* child = html_child(children, i);
      if (child->type == GUMBO_NODE_TEXT || child->type == GUMBO_NODE_CDATA) {
        const std::uint32_t bytes = visible ? visible_bytes(child->v.text.text) : 0;
        total.text_bytes += bytes;
        (in_link || link ? total.link_bytes : words_) += bytes;
      } else if (html_tag(child) != GUMBO_TAG_LAST) {
        const std::size_t at = out_.size();
        measure(child, in_link || link, !visible, depth + 1);
        add(total, out_[at], visible);
      }
    }
    if (link && total.text_bytes > 0) {
      ++total.links;
      total.fragment_links += href.find('#') != std::string_view::npos ? 1 : 0;
    }
    out_[index] = total;
  }

 private:
  static void add(ElementMeasure& total, const ElementMeasure& part, bool visible) {
    total.elements += part.elements;
    if (!visible) return;
    total.text_bytes += part.text_bytes;
    total.link_bytes += part.link_bytes;
    total.links += part.links;
    total.fragment_links += part.fragment_links;
  }

  std::vector<ElementMeasure>& out_;
  std::uint32_t max_depth_;
  std::uint32_t words_ = 0;
};

std::uint32_t words_of(const ElementMeasure& element) {
  return element.text_bytes - element.link_bytes;
}

/// True before the text begins or after it has ended. A list of links inside the text belongs to
/// it.
bool is_at_edge(const ElementMeasure& element, const ElementMeasure& page) {
  const std::uint32_t before = element.words_before - page.words_before;
  const std::uint32_t after = words_of(page) - before - words_of(element);
  return before < kContentBytes || after < kContentBytes;
}

/// Blocks that hold little but links: menus (many short ones) and tables of contents (to sections).
bool is_link_block(const ElementMeasure& element) {
  switch (html_tag(element.node)) {
    case GUMBO_TAG_DIV:
    case GUMBO_TAG_UL:
    case GUMBO_TAG_OL:
    case GUMBO_TAG_DL:
    case GUMBO_TAG_P:
    case GUMBO_TAG_SECTION:
    case GUMBO_TAG_TABLE:
      break;
    default:
      return false;
  }
  const double share = static_cast<double>(element.link_bytes) / std::max(element.text_bytes, 1U);
  const bool menu = element.links >= 4 && share >= 0.6 && element.link_bytes < 25 * element.links;
  const bool contents =
      element.links >= 3 && share >= 0.7 && element.fragment_links * 5 >= element.links * 4;
  return menu || contents;
}

bool has_any_role(const GumboNode* element) {
  static constexpr std::array<std::string_view, 6> kRoles{"navigation",    "banner", "contentinfo",
                                                          "complementary", "search", "menu"};
  const std::string_view role = html_attribute(element, "role");
  return !role.empty() && std::find(kRoles.begin(), kRoles.end(), role) != kRoles.end();
}

/// Headings, and what stands within a line of text.
bool is_never_boilerplate(GumboTag tag) {
  switch (tag) {
    case GUMBO_TAG_H1:
    case GUMBO_TAG_H2:
    case GUMBO_TAG_H3:
    case GUMBO_TAG_H4:
    case GUMBO_TAG_H5:
    case GUMBO_TAG_H6:
    case GUMBO_TAG_A:
    case GUMBO_TAG_SPAN:
    case GUMBO_TAG_CODE:
    case GUMBO_TAG_EM:
    case GUMBO_TAG_STRONG:
    case GUMBO_TAG_B:
    case GUMBO_TAG_I:
      return true;
    default:
      return false;
  }
}

bool has_heading_cells(const GumboNode* element) {
  std::vector<const GumboNode*> open{element};
  while (!open.empty()) {
    const GumboNode* node = open.back();
    open.pop_back();
    if (html_tag(node) == GUMBO_TAG_TH) return true;
    const GumboVector& children = html_children(node);
    for (unsigned i = 0; i < children.length; ++i) open.push_back(html_child(children, i));
  }
  return false;
}

}  // namespace

std::vector<ElementMeasure> measure_elements(const GumboNode* root, std::uint32_t max_depth) {
  std::vector<ElementMeasure> elements;
  Measurer(elements, max_depth).measure(root, false, false, 0);
  return elements;
}

std::size_t find_content(const std::vector<ElementMeasure>& elements) {
  std::size_t body = 0;
  std::vector<std::size_t> mains;
  std::vector<std::size_t> articles;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const GumboTag tag = html_tag(elements[i].node);
    if (tag == GUMBO_TAG_BODY) body = i;
    if (tag == GUMBO_TAG_MAIN || html_attribute(elements[i].node, "role") == "main") {
      mains.push_back(i);
    }
    if (tag == GUMBO_TAG_ARTICLE) articles.push_back(i);
  }
  const auto holds_enough = [&](std::size_t inner, std::size_t outer) {
    return elements[inner].text_bytes >= 500 ||
           elements[inner].text_bytes * 5 >= elements[outer].text_bytes;
  };
  std::size_t content = body;
  if (!mains.empty() && holds_enough(mains.front(), body)) content = mains.front();
  // One article inside is the content, unless a good part stands beside it: a list of teasers.
  if (articles.size() == 1 && holds_enough(articles.front(), content) &&
      (content == body ||
       elements[articles.front()].text_bytes * 10 >= elements[content].text_bytes * 6)) {
    content = articles.front();
  }
  return content;
}

bool is_invisible(const GumboNode* element) {
  switch (html_tag(element)) {
    case GUMBO_TAG_SCRIPT:
    case GUMBO_TAG_STYLE:
    case GUMBO_TAG_TEMPLATE:
    case GUMBO_TAG_NOSCRIPT:
    case GUMBO_TAG_HEAD:
    case GUMBO_TAG_TITLE:
    case GUMBO_TAG_IFRAME:
    case GUMBO_TAG_OBJECT:
    case GUMBO_TAG_CANVAS:
    case GUMBO_TAG_AUDIO:
    case GUMBO_TAG_VIDEO:
    case GUMBO_TAG_SVG:
    case GUMBO_TAG_BUTTON:
    case GUMBO_TAG_SELECT:
    case GUMBO_TAG_TEXTAREA:
    case GUMBO_TAG_NOFRAMES:
      return true;
    default:
      break;
  }
  if (html_tag(element) == GUMBO_TAG_LAST) return false;
  if (element->v.element.attributes.length == 0) return false;
  if (html_has_attribute(element, "hidden") || html_attribute(element, "aria-hidden") == "true") {
    return true;
  }
  std::string style = ascii_lower(html_attribute(element, "style"));
  style.erase(std::remove(style.begin(), style.end(), ' '), style.end());
  return style.find("display:none") != std::string::npos ||
         style.find("visibility:hidden") != std::string::npos;
}

bool is_boilerplate(const ElementMeasure& element, const ElementMeasure& page,
                    bool inside_article) {
  const GumboNode* node = element.node;
  const GumboTag tag = html_tag(node);
  if (tag == GUMBO_TAG_NAV || tag == GUMBO_TAG_FOOTER) return true;
  if (is_never_boilerplate(tag)) return false;
  // Whatever its name is: what holds most of the page's own words is the content, or around it.
  const std::uint32_t words = words_of(element);
  const bool mostly_links = element.link_bytes * 2 >= element.text_bytes;
  const std::uint64_t needed_share = mostly_links ? 80 : 50;  // Percent.
  if (words >= kContentBytes && words * 100ULL > words_of(page) * needed_share) return false;
  if (tag == GUMBO_TAG_FORM) return true;
  if ((tag == GUMBO_TAG_HEADER || tag == GUMBO_TAG_ASIDE) && !inside_article) return true;
  if (node->v.element.attributes.length > 0) {
    if (has_any_role(node)) return true;
    const std::string_view id = html_attribute(node, "id");
    const std::string_view names = html_attribute(node, "class");
    if (has_word(names, kNavigationWords) || has_word(id, kNavigationWords)) return true;
    if (mostly_links && (has_word(names, kLinkBlockWords) || has_word(id, kLinkBlockWords))) {
      return true;
    }
  }
  return !inside_article && words_of(page) >= kContentBytes && is_at_edge(element, page) &&
         is_link_block(element) && !has_heading_cells(node);
}

}  // namespace beleg

#include "document/html_writer.h"

#include <algorithm>
#include <string>

#include "document/html_table.h"

namespace beleg {
namespace {

constexpr std::string_view kBlank = " \t\r\n\f\v";

/// What the elements around a text make of it.
struct Surroundings {
  BlockKind kind = BlockKind::kParagraph;
  std::uint8_t level = 0;
  std::uint8_t list_depth = 0;
  bool heading = false;
};

bool is_heading(GumboTag tag) { return tag >= GUMBO_TAG_H1 && tag <= GUMBO_TAG_H6; }

/// Elements that begin a line of their own.
bool is_block(GumboTag tag) {
  switch (tag) {
    case GUMBO_TAG_ADDRESS:
    case GUMBO_TAG_ARTICLE:
    case GUMBO_TAG_ASIDE:
    case GUMBO_TAG_BLOCKQUOTE:
    case GUMBO_TAG_BODY:
    case GUMBO_TAG_CENTER:
    case GUMBO_TAG_DD:
    case GUMBO_TAG_DETAILS:
    case GUMBO_TAG_DIV:
    case GUMBO_TAG_DL:
    case GUMBO_TAG_DT:
    case GUMBO_TAG_FIELDSET:
    case GUMBO_TAG_FIGCAPTION:
    case GUMBO_TAG_FIGURE:
    case GUMBO_TAG_FORM:
    case GUMBO_TAG_HEADER:
    case GUMBO_TAG_HGROUP:
    case GUMBO_TAG_HR:
    case GUMBO_TAG_LI:
    case GUMBO_TAG_MAIN:
    case GUMBO_TAG_MENU:
    case GUMBO_TAG_OL:
    case GUMBO_TAG_P:
    case GUMBO_TAG_SECTION:
    case GUMBO_TAG_SUMMARY:
    case GUMBO_TAG_TABLE:
    case GUMBO_TAG_CAPTION:
    case GUMBO_TAG_TBODY:
    case GUMBO_TAG_THEAD:
    case GUMBO_TAG_TFOOT:
    case GUMBO_TAG_TR:
    case GUMBO_TAG_TD:
    case GUMBO_TAG_TH:
    case GUMBO_TAG_UL:
      return true;
    default:
      return false;
  }
}

bool has_only_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](char c) { return (c >= '0' && c <= '9') || c == '-'; });
}

class Writer {
 public:
  Writer(const std::vector<ElementMeasure>& elements, std::size_t root, const HtmlWriting& settings,
         TextBuilder& out)
      : elements_(elements), page_(elements[root]), settings_(settings), out_(out) {}

  void write_children(std::size_t index, const Surroundings& around, std::uint32_t depth) {
    if (depth > tree_levels(settings_.max_depth)) {
      complete_ = false;
      return;
    }
    const std::size_t end = index + elements_[index].elements;
    std::size_t next = index + 1;
    const GumboVector& children = html_children(elements_[index].node);
    for (unsigned i = 0; i < children.length; ++i) {
      const GumboNode* child = html_child(children, i);
      if (html_tag(child) != GUMBO_TAG_LAST) {
        if (next >= end) {  // Below what was measured.
          complete_ = false;
          return;
        }
        write_element(next, around, depth);
        next += elements_[next].elements;
      } else if (child->type != GUMBO_NODE_COMMENT) {
        write_text(child->v.text.text, around);
      }
    }
  }

  [[nodiscard]] bool complete() const { return complete_; }

 private:
  void write_text(std::string_view text, const Surroundings& around) {
    const bool blank = text.find_first_not_of(kBlank) == std::string_view::npos;
    if (!out_.in_block()) {
      if (blank) return;
      out_.begin_block(around.kind, around.level);
    }
    out_.append_flowing(text);
    if (!blank) after_break_ = false;
  }

  void write_element(std::size_t index, const Surroundings& around, std::uint32_t depth) {
    const GumboNode* node = elements_[index].node;
    const GumboTag tag = html_tag(node);
    if (is_invisible(node)) return;
    if (settings_.skip_boilerplate &&
        is_boilerplate(elements_[index], page_, settings_.inside_article)) {
      out_.end_block();
      return;
    }
    if (tag == GUMBO_TAG_BR) return write_break();
    if (tag == GUMBO_TAG_PRE || tag == GUMBO_TAG_LISTING || tag == GUMBO_TAG_XMP) {
      return write_code(node);
    }
    if (tag == GUMBO_TAG_TABLE && write_table(index)) return;
    if (is_heading(tag)) return write_heading(index, tag, depth);
    if (around.heading && tag == GUMBO_TAG_A && is_permalink(node)) return;
    if (tag == GUMBO_TAG_SUP) write_power_sign(node);
    if (tag == GUMBO_TAG_Q) write_text("\"", around);
    if (!is_block(tag)) {
      write_children(index, around, depth + 1);
      if (tag == GUMBO_TAG_Q) write_text("\"", around);
      return;
    }
    // A block inside a heading element is still the heading's text.
    if (around.heading) {
      out_.append_flowing(" ");
      return write_children(index, around, depth + 1);
    }
    out_.end_block();
    after_break_ = false;
    write_children(index, inside(tag, around), depth + 1);
    out_.end_block();
  }

  static Surroundings inside(GumboTag tag, Surroundings around) {
    switch (tag) {
      case GUMBO_TAG_UL:
      case GUMBO_TAG_OL:
      case GUMBO_TAG_MENU:
      case GUMBO_TAG_DL:
        if (around.list_depth < UINT8_MAX) ++around.list_depth;
        break;
      case GUMBO_TAG_LI:
      case GUMBO_TAG_DT:
      case GUMBO_TAG_DD:
        around.kind = BlockKind::kListItem;
        around.level = std::max<std::uint8_t>(around.list_depth, 1);
        break;
      case GUMBO_TAG_FIGCAPTION:
      case GUMBO_TAG_CAPTION:
        around.kind = BlockKind::kCaption;
        around.level = 0;
        break;
      default:
        break;
    }
    return around;
  }

  /// One break is a new line; two in a row are how old pages part their paragraphs.
  void write_break() {
    if (!out_.in_block()) return;
    if (after_break_) {
      out_.end_block();
      after_break_ = false;
      return;
    }
    out_.append_line_break();
    after_break_ = true;
  }

  void write_heading(std::size_t index, GumboTag tag, std::uint32_t depth) {
    Surroundings around{.kind = BlockKind::kHeading,
                        .level = static_cast<std::uint8_t>(tag - GUMBO_TAG_H1 + 1),
                        .list_depth = 0,
                        .heading = true};
    out_.end_block();
    out_.begin_block(around.kind, around.level);
    write_children(index, around, depth + 1);
    out_.end_block();
    after_break_ = false;
  }

  /// "¶" and "#" beside headings, which link to themselves.
  [[nodiscard]] bool is_permalink(const GumboNode* link) const {
    const std::string text = flat_text(link, tree_levels(settings_.max_depth));
    return text == "¶" || text == "#" || text == "§" || text == "🔗";
  }

  /// "10<sup>3</sup>" is not 103.
  void write_power_sign(const GumboNode* sup) {
    const std::string& text = out_.text();
    const bool after_digit =
        out_.in_block() && !text.empty() && text.back() >= '0' && text.back() <= '9';
    if (after_digit && has_only_digits(flat_text(sup, tree_levels(settings_.max_depth)))) {
      out_.append_flowing("^");
    }
  }

  void write_code(const GumboNode* node) {
    std::string code;
    append_code(node, 0, code);
    const std::size_t first = code.find_first_not_of(kBlank);
    if (first == std::string::npos) return out_.end_block();
    // Empty lines at the start go, the first line's indent stays.
    const std::size_t line = code.rfind('\n', first);
    out_.begin_block(BlockKind::kCode);
    out_.append_verbatim(std::string_view(code).substr(line == std::string::npos ? 0 : line + 1));
    out_.end_block();
    after_break_ = false;
  }

  void append_code(const GumboNode* node, std::uint32_t depth, std::string& code) {
    if (depth > tree_levels(settings_.max_depth)) {
      complete_ = false;
      return;
    }
    if (html_tag(node) == GUMBO_TAG_BR) {
      code.push_back('\n');
    } else if (node->type == GUMBO_NODE_TEXT || node->type == GUMBO_NODE_WHITESPACE ||
               node->type == GUMBO_NODE_CDATA) {
      code += node->v.text.text;
    }
    if (html_tag(node) != GUMBO_TAG_LAST && is_invisible(node)) return;
    const GumboVector& children = html_children(node);
    for (unsigned i = 0; i < children.length; ++i) {
      append_code(html_child(children, i), depth + 1, code);
    }
  }

  /// False when the table only lays out the page: then its cells are written like any other block.
  bool write_table(std::size_t index) {
    const GumboNode* table = elements_[index].node;
    const std::uint32_t levels = tree_levels(settings_.max_depth);
    const std::vector<std::string> rows = data_rows(table, levels);
    if (rows.empty()) return false;
    const GumboVector& children = html_children(table);
    for (unsigned i = 0; i < children.length; ++i) {
      const GumboNode* child = html_child(children, i);
      if (html_tag(child) != GUMBO_TAG_CAPTION) continue;
      out_.begin_block(BlockKind::kCaption);
      out_.append_flowing(flat_text(child, levels));
    }
    out_.begin_block(BlockKind::kTable);
    for (const std::string& row : rows) {
      if (&row != &rows.front()) out_.append_line_break();
      out_.append_flowing(row);
    }
    out_.end_block();
    after_break_ = false;
    return true;
  }

  const std::vector<ElementMeasure>& elements_;
  const ElementMeasure& page_;
  const HtmlWriting& settings_;
  TextBuilder& out_;
  bool after_break_ = false;
  bool complete_ = true;
};

}  // namespace

bool write_html(const std::vector<ElementMeasure>& elements, std::size_t root,
                const HtmlWriting& settings, TextBuilder& out) {
  Writer writer(elements, root, settings, out);
  Surroundings around;
  if (settings.list_depth > 0) {
    around = {.kind = BlockKind::kListItem,
              .level = settings.list_depth,
              .list_depth = settings.list_depth,
              .heading = false};
  }
  writer.write_children(root, around, 0);
  out.end_block();
  return writer.complete();
}

Result<void> write_html_fragment(std::string_view html, const HtmlWriting& settings,
                                 TextBuilder& out) {
  const HtmlTree tree = TRY(HtmlTree::parse_fragment(html, settings.max_depth));
  const auto elements = measure_elements(tree.root(), tree_levels(settings.max_depth));
  write_html(elements, 0, settings, out);
  return {};
}

}  // namespace beleg

#include "document/markdown_writer.h"

#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>

#include "document/html_writer.h"

namespace beleg {
namespace {

struct FreeNode {
  void operator()(cmark_node* node) const { cmark_node_free(node); }
};
struct FreeParser {
  void operator()(cmark_parser* parser) const { cmark_parser_free(parser); }
};
struct FreeIterator {
  void operator()(cmark_iter* iterator) const { cmark_iter_free(iterator); }
};

using NodePointer = std::unique_ptr<cmark_node, FreeNode>;

std::string_view literal(cmark_node* node) {
  const char* text = cmark_node_get_literal(node);
  return text == nullptr ? std::string_view() : std::string_view(text);
}

/// "table", "table_header", "table_row" or "table_cell"; empty for any other node. The extension
/// gives its node types numbers at run time, so the name is what tells them.
std::string_view table_part(cmark_node* node) {
  if (cmark_node_get_syntax_extension(node) == nullptr) return {};
  const std::string_view name = cmark_node_get_type_string(node);
  return name.starts_with("table") ? name : std::string_view();
}

std::string ascii_lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

/// "br" for "<br/>", "/script" for "</script>".
std::string tag_name(std::string_view html) {
  if (!html.starts_with('<')) return {};
  const std::size_t end =
      std::min(html.find_first_of(" \t\n/>", html.starts_with("</") ? 2 : 1), html.size());
  return ascii_lower(html.substr(1, end - 1));
}

/// True when there are footnotes, and all of them have plain labels. For a bracket "[^…]" that is
/// no footnote, over several lines or with markup inside, the parser (0.29.0.gfm.6) works out the
/// label from columns, loses text and cuts through characters.
bool has_plain_footnotes(std::string_view source) {
  bool any = false;
  std::size_t at = 0;
  while ((at = source.find("[^", at)) != std::string_view::npos) {
    at += 2;
    const std::size_t start = at;
    const auto is_plain = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
    };
    while (at < source.size() && is_plain(source[at])) ++at;
    if (at == start || at >= source.size() || source[at] != ']') return false;
    any = true;
  }
  return any;
}

NodePointer parse(std::string_view source) {
  static std::once_flag registered;
  std::call_once(registered, cmark_gfm_core_extensions_ensure_registered);
  const std::unique_ptr<cmark_parser, FreeParser> parser(
      cmark_parser_new(has_plain_footnotes(source) ? CMARK_OPT_FOOTNOTES : CMARK_OPT_DEFAULT));
  for (const char* name : {"table", "strikethrough", "autolink", "tasklist"}) {
    cmark_syntax_extension* extension = cmark_find_syntax_extension(name);
    if (extension != nullptr) cmark_parser_attach_syntax_extension(parser.get(), extension);
  }
  cmark_parser_feed(parser.get(), source.data(), source.size());
  return NodePointer(cmark_parser_finish(parser.get()));
}

/// Walks over the tree and writes blocks. Recursion is not needed: the iterator enters and leaves.
class Writer {
 public:
  Writer(std::uint32_t max_depth, TextBuilder& out, std::vector<std::string>& warnings)
      : max_depth_(max_depth), out_(out), warnings_(warnings) {}

  Result<void> write(cmark_node* document) {
    const std::unique_ptr<cmark_iter, FreeIterator> iterator(cmark_iter_new(document));
    std::uint32_t depth = 0;
    while (true) {
      const cmark_event_type event = cmark_iter_next(iterator.get());
      if (event == CMARK_EVENT_DONE) break;
      cmark_node* node = cmark_iter_get_node(iterator.get());
      if (event == CMARK_EVENT_EXIT) {
        --depth;
        leave(node);
        continue;
      }
      // Leaves have no exit event; only what can have children counts.
      if (!is_leaf(node) && ++depth > max_depth_) {
        return fail(ErrorCode::kLimit,
                    "Markdown nests deeper than " + std::to_string(max_depth_) + " levels",
                    "repair the file: it has far too many quote or list signs in a row");
      }
      enter(node);
    }
    out_.end_block();
    return {};
  }

 private:
  static bool is_leaf(cmark_node* node) {
    const cmark_node_type type = cmark_node_get_type(node);
    static const std::array kLeaves{CMARK_NODE_HTML_BLOCK, CMARK_NODE_THEMATIC_BREAK,
                                    CMARK_NODE_CODE_BLOCK, CMARK_NODE_TEXT,
                                    CMARK_NODE_SOFTBREAK,  CMARK_NODE_LINEBREAK,
                                    CMARK_NODE_CODE,       CMARK_NODE_HTML_INLINE};
    return std::find(kLeaves.begin(), kLeaves.end(), type) != kLeaves.end();
  }

  void enter(cmark_node* node) {
    const cmark_node_type type = cmark_node_get_type(node);
    if (type == CMARK_NODE_HEADING) {
      begin(BlockKind::kHeading, static_cast<std::uint8_t>(cmark_node_get_heading_level(node)));
    } else if (type == CMARK_NODE_PARAGRAPH) {
      begin_paragraph(node);
    } else if (type == CMARK_NODE_LIST) {
      if (list_depth_ < UINT8_MAX) ++list_depth_;
    } else if (type == CMARK_NODE_CODE_BLOCK) {
      write_code(literal(node));
    } else if (type == CMARK_NODE_HTML_BLOCK) {
      write_html(literal(node));
    } else if (!enter_table_part(node)) {
      enter_inline(node, type);
    }
  }

  bool enter_table_part(cmark_node* node) {
    const std::string_view part = table_part(node);
    if (part.empty()) return false;
    if (part == "table") {
      begin(BlockKind::kTable, 0);
      rows_ = 0;
    } else if (part == "table_cell") {
      if (cells_++ > 0) out_.append_flowing(" | ");
    } else {
      if (rows_++ > 0) out_.append_line_break();
      cells_ = 0;
    }
    return true;
  }

  void leave(cmark_node* node) {
    const cmark_node_type type = cmark_node_get_type(node);
    if (type == CMARK_NODE_HEADING || type == CMARK_NODE_PARAGRAPH || table_part(node) == "table") {
      out_.end_block();
      hidden_tag_.clear();
    } else if (type == CMARK_NODE_LIST) {
      --list_depth_;
    }
  }

  void enter_inline(cmark_node* node, cmark_node_type type) {
    if (type == CMARK_NODE_HTML_INLINE) return write_inline_html(literal(node));
    if (!out_.in_block() || !hidden_tag_.empty()) return;
    if (type == CMARK_NODE_TEXT || type == CMARK_NODE_CODE) {
      out_.append_flowing(literal(node));
    } else if (type == CMARK_NODE_SOFTBREAK) {
      out_.append_flowing(" ");
    } else if (type == CMARK_NODE_LINEBREAK) {
      in_cell() ? out_.append_flowing(" ") : out_.append_line_break();
    }
  }

  [[nodiscard]] bool in_cell() const { return cells_ > 0; }

  void begin(BlockKind kind, std::uint8_t level) {
    cells_ = 0;
    out_.begin_block(kind, level);
  }

  void begin_paragraph(cmark_node* node) {
    if (list_depth_ > 0) return begin(BlockKind::kListItem, list_depth_);
    // A paragraph that is one image shows its alternative text: a caption rather than prose.
    cmark_node* only = cmark_node_first_child(node);
    const bool image = only != nullptr && cmark_node_next(only) == nullptr &&
                       cmark_node_get_type(only) == CMARK_NODE_IMAGE;
    begin(image ? BlockKind::kCaption : BlockKind::kParagraph, 0);
  }

  void write_code(std::string_view code) {
    const std::size_t first = code.find_first_not_of(" \t\n");
    if (first == std::string_view::npos) return;
    const std::size_t line = code.rfind('\n', first);
    begin(BlockKind::kCode, 0);
    out_.append_verbatim(code.substr(line == std::string_view::npos ? 0 : line + 1));
    out_.end_block();
  }

  void write_html(std::string_view html) {
    out_.end_block();
    const HtmlWriting settings{.max_depth = max_depth_,
                               .list_depth = list_depth_,
                               .skip_boilerplate = false,
                               .inside_article = true};
    const auto written = write_html_fragment(html, settings, out_);
    if (!written) warnings_.push_back("HTML left out: " + written.error().message);
  }

  /// Tags inside a paragraph come one by one, their text in between.
  void write_inline_html(std::string_view html) {
    const std::string name = tag_name(html);
    if (!hidden_tag_.empty()) {
      if (name == "/" + hidden_tag_) hidden_tag_.clear();
    } else if (name == "script" || name == "style") {
      hidden_tag_ = name;
    } else if (name == "br" && out_.in_block()) {
      in_cell() ? out_.append_flowing(" ") : out_.append_line_break();
    }
  }

  std::uint32_t max_depth_;
  TextBuilder& out_;
  std::vector<std::string>& warnings_;
  std::uint8_t list_depth_ = 0;
  std::size_t rows_ = 0;
  std::size_t cells_ = 0;
  std::string hidden_tag_;  // Of an inline <script> or <style> that is still open.
};

}  // namespace

Result<void> write_markdown(std::string_view source, std::uint32_t max_depth, TextBuilder& out,
                            std::vector<std::string>& warnings) {
  const NodePointer document = parse(source);
  if (!document) return fail(ErrorCode::kInternal, "the Markdown parser gave no document");
  return Writer(max_depth, out, warnings).write(document.get());
}

}  // namespace beleg

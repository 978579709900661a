#include "document/html_table.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "document/html_content.h"
#include "document/text_builder.h"

namespace beleg {
namespace {

constexpr std::size_t kLongestRepeatedCell = 80;       // Bytes: longer cells are not labels.
constexpr std::size_t kMostRepeatedBytes = 1U << 20U;  // Of one table.
constexpr std::uint32_t kMostSpannedRows = 100;        // More is an attack or a mistake.
constexpr std::size_t kLongestDataCell = 2000;     // Bytes: longer cells are columns of a layout.
constexpr std::size_t kMostBlocksInDataCell = 12;  // Paragraphs and list items.

bool is_inline(GumboTag tag) {
  switch (tag) {
    case GUMBO_TAG_A:
    case GUMBO_TAG_ABBR:
    case GUMBO_TAG_B:
    case GUMBO_TAG_CODE:
    case GUMBO_TAG_EM:
    case GUMBO_TAG_FONT:
    case GUMBO_TAG_I:
    case GUMBO_TAG_KBD:
    case GUMBO_TAG_MARK:
    case GUMBO_TAG_S:
    case GUMBO_TAG_SMALL:
    case GUMBO_TAG_SPAN:
    case GUMBO_TAG_STRONG:
    case GUMBO_TAG_SUB:
    case GUMBO_TAG_SUP:
    case GUMBO_TAG_TIME:
    case GUMBO_TAG_TT:
    case GUMBO_TAG_U:
    case GUMBO_TAG_VAR:
      return true;
    default:
      return false;
  }
}

void append_flat(const GumboNode* node, std::uint32_t depth_left, TextBuilder& out) {
  if (node->type == GUMBO_NODE_TEXT || node->type == GUMBO_NODE_CDATA ||
      node->type == GUMBO_NODE_WHITESPACE) {
    out.append_flowing(node->v.text.text);
    return;
  }
  if (depth_left == 0 || is_invisible(node)) return;
  const bool inside_line = is_inline(html_tag(node));
  if (!inside_line) out.append_flowing(" ");
  const GumboVector& children = html_children(node);
  for (unsigned i = 0; i < children.length; ++i) {
    append_flat(html_child(children, i), depth_left - 1, out);
  }
  if (!inside_line) out.append_flowing(" ");
}

std::uint32_t number_attribute(const GumboNode* node, const char* name, std::uint32_t most) {
  const std::string_view text = html_attribute(node, name);
  std::uint32_t value = 1;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return std::clamp(value, 1U, most);
}

/// Collects the table's own rows, not those of tables in its cells.
void collect_rows(const GumboNode* node, std::vector<const GumboNode*>& rows) {
  const GumboVector& children = html_children(node);
  for (unsigned i = 0; i < children.length; ++i) {
    const GumboNode* child = html_child(children, i);
    switch (html_tag(child)) {
      case GUMBO_TAG_TR:
        rows.push_back(child);
        break;
      case GUMBO_TAG_THEAD:
      case GUMBO_TAG_TBODY:
      case GUMBO_TAG_TFOOT:
        collect_rows(child, rows);
        break;
      default:
        break;
    }
  }
}

/// True when a cell has what no cell of a data table has. Counts the blocks below it.
bool is_layout_cell(const GumboNode* node, std::uint32_t depth_left, std::size_t& blocks) {
  switch (html_tag(node)) {
    case GUMBO_TAG_TABLE:
    case GUMBO_TAG_PRE:
    case GUMBO_TAG_H1:
    case GUMBO_TAG_H2:
    case GUMBO_TAG_H3:
    case GUMBO_TAG_H4:
    case GUMBO_TAG_H5:
    case GUMBO_TAG_H6:
    case GUMBO_TAG_FORM:
      return true;
    case GUMBO_TAG_P:
    case GUMBO_TAG_LI:
    case GUMBO_TAG_DIV:
      if (++blocks > kMostBlocksInDataCell) return true;
      break;
    default:
      break;
  }
  if (depth_left == 0) return true;
  const GumboVector& children = html_children(node);
  for (unsigned i = 0; i < children.length; ++i) {
    if (is_layout_cell(html_child(children, i), depth_left - 1, blocks)) return true;
  }
  return false;
}

struct SpannedCell {
  std::string text;
  std::uint32_t rows_left = 0;
};

/// Reads a table row by row, carrying on the cells that span several rows.
class RowReader {
 public:
  explicit RowReader(std::uint32_t max_depth) : max_depth_(max_depth) {}

  enum class Outcome : std::uint8_t { kRow, kEmpty, kLayout };

  Outcome read(const GumboNode* row) {
    cells_.clear();
    for (auto cell = spanned_.begin(); cell != spanned_.end();) {
      cells_[cell->first] = cell->second.text;
      cell = --cell->second.rows_left == 0 ? spanned_.erase(cell) : std::next(cell);
    }
    std::uint32_t column = 0;
    std::size_t own_cells = 0;
    const GumboVector& children = html_children(row);
    for (unsigned i = 0; i < children.length; ++i) {
      const GumboNode* cell = html_child(children, i);
      if (html_tag(cell) != GUMBO_TAG_TD && html_tag(cell) != GUMBO_TAG_TH) continue;
      std::size_t blocks = 0;
      if (is_layout_cell(cell, max_depth_, blocks)) return Outcome::kLayout;
      std::string text = flat_text(cell, max_depth_);
      if (text.size() > kLongestDataCell) return Outcome::kLayout;
      own_cells += text.empty() ? 0 : 1;
      while (cells_.contains(column)) ++column;
      carry_on(cell, column, text);
      cells_[column] = std::move(text);
      column += number_attribute(cell, "colspan", 1000);
    }
    return own_cells == 0 ? Outcome::kEmpty : Outcome::kRow;
  }

  [[nodiscard]] std::size_t cells() const { return cells_.size(); }

  [[nodiscard]] std::string line() const {
    std::string line;
    for (const auto& [column, text] : cells_) {
      if (column != cells_.begin()->first) line += " | ";
      line += text;
    }
    return line;
  }

 private:
  void carry_on(const GumboNode* cell, std::uint32_t column, const std::string& text) {
    const std::uint32_t height = number_attribute(cell, "rowspan", kMostSpannedRows);
    const std::size_t bytes = text.size() * (height - 1);
    if (bytes > 0 && text.size() <= kLongestRepeatedCell &&
        repeated_bytes_ + bytes <= kMostRepeatedBytes) {
      repeated_bytes_ += bytes;
      spanned_[column] = {.text = text, .rows_left = height - 1};
    }
  }

  std::uint32_t max_depth_;
  std::map<std::uint32_t, std::string> cells_;    // Of the current row, by column.
  std::map<std::uint32_t, SpannedCell> spanned_;  // From rows above, by column.
  std::size_t repeated_bytes_ = 0;
};

}  // namespace

std::string flat_text(const GumboNode* node, std::uint32_t max_depth) {
  TextBuilder out;
  out.begin_block(BlockKind::kParagraph);
  append_flat(node, max_depth, out);
  out.end_block();
  return out.text();
}

std::vector<std::string> data_rows(const GumboNode* table, std::uint32_t max_depth) {
  const std::string_view role = html_attribute(table, "role");
  if (role == "presentation" || role == "none") return {};
  std::vector<const GumboNode*> rows;
  collect_rows(table, rows);
  std::vector<std::string> lines;
  std::size_t wide_rows = 0;
  RowReader reader(max_depth);
  for (const GumboNode* row : rows) {
    const RowReader::Outcome outcome = reader.read(row);
    if (outcome == RowReader::Outcome::kLayout) return {};
    if (outcome == RowReader::Outcome::kEmpty) continue;
    wide_rows += reader.cells() >= 2 ? 1 : 0;
    lines.push_back(reader.line());
  }
  if (wide_rows < 2) return {};
  return lines;
}

}  // namespace beleg

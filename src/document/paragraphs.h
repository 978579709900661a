#pragma once

#include <string_view>
#include <vector>

#include "document/document.h"

namespace beleg {

struct ParagraphRules {
  /// Headings are told where they are obvious: a line underlined with "===", "---" or the like, or
  /// a short line of its own in capitals. The underline belongs to the heading's span.
  bool headings = false;
};

/// The paragraphs of plain text: runs of lines between empty lines. Form feeds begin a new page and
/// end a paragraph; texts that have none have no pages.
[[nodiscard]] std::vector<Block> find_paragraphs(std::string_view text, ParagraphRules rules);

}  // namespace beleg

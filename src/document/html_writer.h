#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "document/html_content.h"
#include "document/text_builder.h"

namespace beleg {

/// How the elements of a page become blocks.
struct HtmlWriting {
  std::uint32_t max_depth = 512;
  std::uint8_t list_depth = 0;  ///< Lists already open around a fragment.
  bool skip_boilerplate = true;
  bool inside_article = false;  ///< The root is <main> or <article>: its header belongs to it.
};

/// Writes the visible text below elements[root] as blocks. Returns false when a part was nested too
/// deep and is missing.
bool write_html(const std::vector<ElementMeasure>& elements, std::size_t root,
                const HtmlWriting& settings, TextBuilder& out);

/// Writes a piece of HTML, as it stands inside Markdown. Errors: kLimit, see HtmlTree.
Result<void> write_html_fragment(std::string_view html, const HtmlWriting& settings,
                                 TextBuilder& out);

/// Levels of recursion for a tree whose counted elements nest `max_depth` deep: those that HTML
/// closes by itself (rows, cells, items, paragraphs) come in between.
[[nodiscard]] constexpr std::uint32_t tree_levels(std::uint32_t max_depth) {
  return max_depth * 4 + 16;
}

}  // namespace beleg

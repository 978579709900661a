#pragma once

#include <cstdint>
#include <vector>

#include "document/html_tree.h"

namespace beleg {

/// What stands below one element. White space does not count.
struct ElementMeasure {
  const GumboNode* node = nullptr;
  std::uint32_t elements = 1;        ///< The element and all below it.
  std::uint32_t words_before = 0;    ///< Bytes of visible text outside links before the element.
  std::uint32_t text_bytes = 0;      ///< Of visible text.
  std::uint32_t link_bytes = 0;      ///< Of text inside <a href>.
  std::uint32_t links = 0;           ///< <a href> with text.
  std::uint32_t fragment_links = 0;  ///< Those that lead to a section ("#…").
};

/// All elements below and including `root` in document order, so that the next sibling of element i
/// stands at i + elements. Deeper than `max_depth` nothing is seen.
[[nodiscard]] std::vector<ElementMeasure> measure_elements(const GumboNode* root,
                                                           std::uint32_t max_depth);

/// Index of the element that holds the page's content: <main>, the only <article>, else <body>.
[[nodiscard]] std::size_t find_content(const std::vector<ElementMeasure>& elements);

/// True for elements that never show text of the document: scripts, styles, form fields, hidden
/// ones.
[[nodiscard]] bool is_invisible(const GumboNode* element);

/// True for what surrounds the content: navigation, headers and footers of the page, cookie
/// notices, tables of contents, and other blocks of links before or after the text. `page` is the
/// measure of the whole content; what holds more than half of its words outside links is never
/// boilerplate.
[[nodiscard]] bool is_boilerplate(const ElementMeasure& element, const ElementMeasure& page,
                                  bool inside_article);

}  // namespace beleg

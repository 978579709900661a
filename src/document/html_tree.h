#pragma once

#include <gumbo.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace beleg {

/// A parsed HTML document. Its nodes live in an arena, which is dropped as a whole: no recursion,
/// and a page that blows up in the parser is stopped at a limit. The source text must outlive it.
class HtmlTree {
 public:
  /// Errors: kLimit when elements nest deeper than `max_depth` or the tree needs far more memory
  /// than an honest page of that size.
  static Result<HtmlTree> parse(std::string_view html, std::uint32_t max_depth);
  /// The same for a piece of HTML as it stands inside a body.
  static Result<HtmlTree> parse_fragment(std::string_view html, std::uint32_t max_depth);

  HtmlTree(HtmlTree&&) noexcept;
  HtmlTree& operator=(HtmlTree&&) noexcept;
  HtmlTree(const HtmlTree&) = delete;
  HtmlTree& operator=(const HtmlTree&) = delete;
  ~HtmlTree();

  /// The <html> element; never null.
  [[nodiscard]] const GumboNode* root() const { return root_; }

 private:
  struct Arena;
  explicit HtmlTree(std::unique_ptr<Arena> arena);
  static Result<HtmlTree> parse_as(std::string_view html, std::uint32_t max_depth, bool fragment);

  std::unique_ptr<Arena> arena_;
  const GumboNode* root_ = nullptr;
};

/// Children of an element; empty for any other node.
[[nodiscard]] const GumboVector& html_children(const GumboNode* node);
[[nodiscard]] inline const GumboNode* html_child(const GumboVector& children, unsigned i) {
  return static_cast<const GumboNode*>(children.data[i]);
}

/// Tag of an element; GUMBO_TAG_LAST for any other node.
[[nodiscard]] GumboTag html_tag(const GumboNode* node);

/// Value of an attribute, empty when it is absent. Dies with the tree.
[[nodiscard]] std::string_view html_attribute(const GumboNode* element, const char* name);
[[nodiscard]] bool html_has_attribute(const GumboNode* element, const char* name);

/// How deep the elements of `html` nest at most, by counting tags of elements that HTML never
/// closes by itself. Linear in time, constant in memory.
[[nodiscard]] std::uint32_t html_nesting(std::string_view html);

/// XHTML as HTML reads it: "<a id="x"/>" becomes "<a id="x"></a>", for elements that are not void.
[[nodiscard]] std::string expand_self_closing_tags(std::string_view xhtml);

}  // namespace beleg

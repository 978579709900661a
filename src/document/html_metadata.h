#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/document.h"
#include "document/fields.h"
#include "document/html_content.h"

namespace beleg {

/// The charset that the first kilobytes of a page name in <meta> or in the XML declaration, or
/// empty. Dies with `html`.
[[nodiscard]] std::string_view declared_charset(std::string_view html);

/// What the page says about itself: <meta> elements by name, property or itemprop, the canonical
/// link as "canonical", the language of <html> as "lang", and from JSON-LD datePublished,
/// dateModified and author.
[[nodiscard]] SourceFields page_fields(const std::vector<ElementMeasure>& elements);

/// The first readable <time datetime> below elements[root], for pages that name no date elsewhere.
[[nodiscard]] std::optional<Date> first_time(const std::vector<ElementMeasure>& elements,
                                             std::size_t root);

/// <title> without the name of the site when the page's only <h1> stands in it; else <h1>; else
/// empty.
[[nodiscard]] std::string page_title(const std::vector<ElementMeasure>& elements,
                                     const std::vector<Block>& blocks, std::string_view text);

}  // namespace beleg

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "document/text_builder.h"

namespace beleg {

/// Parses CommonMark with the GitHub extensions (tables, strikethrough, autolinks, task lists,
/// footnotes) and writes what a reader of the rendered page sees: no markup, links as their text,
/// images as their alternative text, HTML as its text. Errors: kLimit when blocks or spans nest
/// deeper than `max_depth`. Adds a line to `warnings` for HTML that had to be left out.
Result<void> write_markdown(std::string_view source, std::uint32_t max_depth, TextBuilder& out,
                            std::vector<std::string>& warnings);

}  // namespace beleg

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "document/html_tree.h"

namespace beleg {

/// The rows of a table that holds data, each as "a | b | c"; empty when the table only lays out a
/// page: fewer than two rows with two cells, or cells with headings, code or further tables. A cell
/// that spans rows stands in each of them. Deeper than `max_depth` nothing is seen.
[[nodiscard]] std::vector<std::string> data_rows(const GumboNode* table, std::uint32_t max_depth);

/// Visible text below a node in one line.
[[nodiscard]] std::string flat_text(const GumboNode* node, std::uint32_t max_depth);

}  // namespace beleg

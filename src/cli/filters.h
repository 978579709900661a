#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/arguments.h"
#include "index/rows.h"

namespace beleg {

/// The options by which a command narrows what it searches.
struct FilterOptions {
  std::vector<std::string> filters;  ///< "field=value".
  std::vector<std::string> access;
  std::vector<std::string> phrases;
  std::vector<std::string> title_words;
  std::vector<std::string> heading_words;
  std::vector<std::string> body_words;
};

/// Defines --filter, --phrase, --title-has, --heading-has, --body-has and --access.
void define_filter_options(Arguments& arguments, FilterOptions& options);

/// Reads "--filter field=value" options: language, source, story, domain (may be given several
/// times: any of them), from and until (dates; from inclusive, until exclusive); the conditions on
/// texts, all of which must hold and which are text, never syntax; and the labels the asker holds.
Result<FilterSpec> parse_filters(const FilterOptions& options);

}  // namespace beleg

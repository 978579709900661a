#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace beleg {

/// A JSON array of strings, for a column of the truth. Invalid UTF-8 becomes U+FFFD.
[[nodiscard]] std::string string_list_to_json(const std::vector<std::string>& list);
/// kCorrupt when `json` is anything else.
Result<std::vector<std::string>> string_list_from_json(std::string_view json);

}  // namespace beleg

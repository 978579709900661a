#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "index/rows.h"

namespace beleg {

/// Reads "--filter field=value" options: language, source, story, domain (may be given several
/// times: any of them), from and until (dates; from inclusive, until exclusive). `access` are the
/// labels the asker holds.
Result<FilterSpec> parse_filters(const std::vector<std::string>& filters,
                                 const std::vector<std::string>& access);

}  // namespace beleg

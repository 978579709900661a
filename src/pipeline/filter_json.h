#pragma once

#include "base/result.h"
#include "index/rows.h"
#include "pipeline/trace.h"

namespace beleg {

/// A filter as receipts and traces have it, but for documents, which only the program itself asks
/// for. `texts` is there only when there are conditions on texts.
[[nodiscard]] Json filter_to_json(const FilterSpec& filter);
/// Reads what filter_to_json() wrote. kCorrupt when something is of the wrong kind or not known.
Result<FilterSpec> filter_from_json(const Json& json);

}  // namespace beleg

#pragma once

#include <optional>
#include <string_view>

#include "document/document.h"

namespace beleg {

/// Reads the dates that archives contain: ISO 8601 with offset or Z, "YYYY-MM-DD hh:mm[:ss]" with a
/// blank or T and no zone, bare "YYYY-MM-DD", "YYYY/MM/DD", "DD.MM.YYYY[ hh:mm]", RFC 822 mail
/// dates, "3. März 2021", "March 3, 2021". Empty when it is none of these or no real calendar day.
[[nodiscard]] std::optional<Date> parse_date(std::string_view text);

/// "2021-03-08" for a day, "2021-03-08T14:05:00Z" for a moment.
[[nodiscard]] std::string format_date(const Date& date);

}  // namespace beleg

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "document/date.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto date = beleg::parse_date({reinterpret_cast<const char*>(data), size});
  if (!date) return 0;
  // A moment in the first or last day of the calendar may leave it by its offset.
  constexpr beleg::UnixSeconds kFirst = -62135596800 + 86400;
  constexpr beleg::UnixSeconds kLast = 253402300799 - 86400;
  if (date->time < kFirst - 2 * 86400 || date->time > kLast + 2 * 86400) std::abort();
  if (date->time < kFirst || date->time > kLast) return 0;
  const auto again = beleg::parse_date(beleg::format_date(*date));
  if (!again || again->time != date->time) std::abort();
  if (date->precision == beleg::DatePrecision::kDay && date->time % 86400 != 0) std::abort();
  return 0;
}

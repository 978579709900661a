#include "base/clock.h"

#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>

namespace beleg {
namespace {

double read_ms(clockid_t id) {
  timespec t{};
  clock_gettime(id, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
}

}  // namespace

UnixSeconds SystemClock::now() const {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::string format_utc(UnixSeconds time) {
  const std::chrono::sys_seconds moment{std::chrono::seconds{time}};
  const auto day = std::chrono::floor<std::chrono::days>(moment);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{moment - day};
  std::array<char, 48> text{};
  const int length = std::snprintf(
      text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02dZ", static_cast<int>(date.year()),
      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
      static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
      static_cast<int>(clock.seconds().count()));
  return {text.data(), static_cast<std::size_t>(length)};
}

Stopwatch::Stopwatch()
    : wall_start_ms_(read_ms(CLOCK_MONOTONIC)), cpu_start_ms_(read_ms(CLOCK_PROCESS_CPUTIME_ID)) {}

double Stopwatch::wall_ms() const { return read_ms(CLOCK_MONOTONIC) - wall_start_ms_; }

double Stopwatch::cpu_ms() const { return read_ms(CLOCK_PROCESS_CPUTIME_ID) - cpu_start_ms_; }

}  // namespace beleg

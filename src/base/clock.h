#pragma once

#include <cstdint>
#include <string>

namespace beleg {

/// Seconds since 1970-01-01T00:00:00Z. Dates before that are negative.
using UnixSeconds = std::int64_t;

/// Where the present comes from. Injected, so that recency can be replayed. Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual UnixSeconds now() const = 0;
};

class SystemClock final : public Clock {
 public:
  [[nodiscard]] UnixSeconds now() const override;
};

class FixedClock final : public Clock {
 public:
  explicit FixedClock(UnixSeconds now) : now_(now) {}
  [[nodiscard]] UnixSeconds now() const override { return now_; }

 private:
  UnixSeconds now_;
};

/// "2026-12-01T09:30:00Z".
std::string format_utc(UnixSeconds time);

/// Wall time on a monotonic clock and processor time of the whole process since construction.
class Stopwatch {
 public:
  Stopwatch();
  [[nodiscard]] double wall_ms() const;
  [[nodiscard]] double cpu_ms() const;

 private:
  double wall_start_ms_;
  double cpu_start_ms_;
};

}  // namespace beleg

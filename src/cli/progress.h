#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace beleg {

/// Progress of long work on standard error: a bar that redraws on a terminal, else a plain line
/// every few seconds. With rate and remaining time. Not thread-safe.
class Progress {
 public:
  Progress(std::string label, bool enabled);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(std::size_t done, std::size_t total, std::string_view extra);
  void clear();

 private:
  std::string label_;
  bool enabled_;
  bool redraw_;
  bool drawn_ = false;
  double last_ms_ = -1e9;
  Stopwatch watch_;
};

}  // namespace beleg

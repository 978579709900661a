#include "cli/progress.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "cli/session.h"

namespace beleg {
namespace {

constexpr double kRedrawMs = 100;
constexpr double kPlainLineMs = 5000;
constexpr std::size_t kBarWidth = 24;

std::string duration_text(double seconds) {
  std::array<char, 32> text{};
  const auto whole = std::lround(seconds);
  if (whole < 60) {
    std::snprintf(text.data(), text.size(), "%ld s", whole);
  } else {
    std::snprintf(text.data(), text.size(), "%ld:%02ld min", whole / 60, whole % 60);
  }
  return text.data();
}

}  // namespace

Progress::Progress(std::string label, bool enabled)
    : label_(std::move(label)), enabled_(enabled), redraw_(stderr_is_terminal()) {}

Progress::~Progress() { clear(); }

void Progress::clear() {
  if (drawn_ && redraw_) std::fputs("\r\x1b[K", stderr);
  drawn_ = false;
}

void Progress::update(std::size_t done, std::size_t total, std::string_view extra) {
  if (!enabled_) return;
  const double now = watch_.wall_ms();
  if (now - last_ms_ < (redraw_ ? kRedrawMs : kPlainLineMs)) return;
  if (!redraw_ && last_ms_ < 0) {
    last_ms_ = now;  // Short work needs no plain line at all.
    return;
  }
  last_ms_ = now;
  const double share = total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 0.0;
  const double rate = now > 0 ? static_cast<double>(done) * 1000 / now : 0.0;
  const double remaining =
      rate > 0 ? static_cast<double>(total - std::min(done, total)) / rate : 0.0;
  std::string line = label_ + " ";
  if (redraw_) {
    const auto filled = static_cast<std::size_t>(share * static_cast<double>(kBarWidth));
    line += "[" + std::string(filled, '#') + std::string(kBarWidth - filled, '.') + "] ";
  }
  std::array<char, 160> numbers{};
  std::snprintf(numbers.data(), numbers.size(), "%zu/%zu, %.1f/s, about %s left", done, total, rate,
                duration_text(remaining).c_str());
  line += numbers.data();
  if (!extra.empty()) line += ", " + std::string(extra);
  std::fprintf(stderr, redraw_ ? "\r\x1b[K%s" : "%s\n", line.c_str());
  std::fflush(stderr);
  drawn_ = true;
}

}  // namespace beleg

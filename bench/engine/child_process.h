#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace beleg {

/// What one process took, from before its start to its end.
struct ChildRun {
  int exit_code = 0;
  double wall_ms = 0;
  double cpu_ms = 0;   ///< User and system time.
  double peak_mb = 0;  ///< Largest resident memory.
};

/// Runs a program to its end; its standard output goes to `output` (replaced; empty: nowhere).
Result<ChildRun> run_child(const std::vector<std::string>& command,
                           const std::filesystem::path& output);

/// A program that runs beside this one and is killed by the destructor.
class Companion {
 public:
  static Result<Companion> start(const std::vector<std::string>& command);
  Companion(Companion&& other) noexcept : process_(other.process_) { other.process_ = 0; }
  Companion(const Companion&) = delete;
  Companion& operator=(const Companion&) = delete;
  Companion& operator=(Companion&&) = delete;
  ~Companion();

 private:
  explicit Companion(pid_t process) : process_(process) {}
  pid_t process_;
};

/// The path of the running program.
[[nodiscard]] std::string own_program();
/// Nanoseconds on the monotonic clock, which all processes share.
[[nodiscard]] std::uint64_t monotonic_ns();

}  // namespace beleg

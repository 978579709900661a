#include "child_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <ctime>

#include "base/clock.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): not every libc declares it.

namespace beleg {
namespace {

double milliseconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
}

Result<pid_t> spawn(const std::vector<std::string>& command, const std::filesystem::path& output) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& argument : command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));  // posix_spawn does not change them.
  }
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const std::string target = output.empty() ? "/dev/null" : output.string();
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, target.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0644);
  pid_t process = 0;
  const int error =
      posix_spawnp(&process, command.front().c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    return fail(ErrorCode::kIo, "cannot start " + command.front() + ": " + std::strerror(error),
                "check the path of the program");
  }
  return process;
}

}  // namespace

Result<ChildRun> run_child(const std::vector<std::string>& command,
                           const std::filesystem::path& output) {
  const Stopwatch watch;
  const pid_t process = TRY(spawn(command, output));
  int status = 0;
  rusage usage{};
  if (wait4(process, &status, 0, &usage) != process) {
    return fail(ErrorCode::kIo, "cannot wait for " + command.front());
  }
  return ChildRun{.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
                  .wall_ms = watch.wall_ms(),
                  .cpu_ms = milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime),
                  .peak_mb = static_cast<double>(usage.ru_maxrss) * 1024 / 1e6};
}

Result<Companion> Companion::start(const std::vector<std::string>& command) {
  return Companion(TRY(spawn(command, {})));
}

Companion::~Companion() {
  if (process_ == 0) return;
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
}

std::string own_program() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

std::uint64_t monotonic_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(time.tv_nsec);
}

}  // namespace beleg

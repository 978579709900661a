#include "operation.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <vector>

namespace beleg::crash {
namespace {

/// What the environment asks for; made at the first use, which may be before main().
struct Layer {
  std::string root;  ///< With a slash at its end; empty: nothing is watched.
  FaultPlan plan = FaultPlan::from_environment();
  int journal = -1;
  long operations = 0;
  std::mutex mutex;

  Layer() {
    if (const char* folder = std::getenv("BELEG_FAULT_ROOT"); folder != nullptr) {
      root = std::string(folder) + "/";
    }
    if (const char* file = std::getenv("BELEG_FAULT_JOURNAL"); file != nullptr) {
      journal = static_cast<int>(
          raw(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
      if (journal < 0) {
        std::fprintf(stderr, "fault layer: cannot write %s\n", file);
        std::_Exit(99);
      }
    }
  }
};

Layer& layer() {
  static Layer instance;
  return instance;
}

[[noreturn]] void end_process() {
  raw(SYS_kill, ::getpid(), SIGKILL);
  for (;;) ::pause();
}

void append(int file, const char* data, std::size_t size) {
  while (size > 0) {
    const long written = raw(SYS_write, file, data, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) std::_Exit(99);  // A journal with holes would prove what is not so.
    data += written;
    size -= static_cast<std::size_t>(written);
  }
}

}  // namespace

long raw_call(long number, long a, long b, long c, long d, long e, long f) {
  using Call = long (*)(long, ...);
  static const auto kCall = reinterpret_cast<Call>(::dlsym(RTLD_NEXT, "syscall"));
  return kCall(number, a, b, c, d, e, f);
}

std::string path_of(int descriptor) {
  const int before = errno;
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  char target[4096];
  const long size = raw(SYS_readlinkat, AT_FDCWD, link.c_str(), target, sizeof target);
  errno = before;
  return size <= 0 ? std::string() : std::string(target, static_cast<std::size_t>(size));
}

std::string resolve(int folder, const char* path) {
  if (path == nullptr) return {};
  std::filesystem::path full(path);
  if (full.is_relative()) {
    const std::string base =
        folder == AT_FDCWD ? std::filesystem::current_path().string() : path_of(folder);
    full = base / full;
  }
  std::string text = full.lexically_normal().string();
  while (text.size() > 1 && text.back() == '/') text.pop_back();
  return text;
}

bool is_watched(const std::string& path) {
  const std::string& root = layer().root;
  if (root.empty()) return false;
  return path.starts_with(root) || path + "/" == root;
}

Operation::Operation(std::string_view kind, std::string path, std::string second)
    : guard_(layer().mutex),
      kind_(kind),
      path_(std::move(path)),
      second_(std::move(second)),
      number_(++layer().operations),
      verdict_(layer().plan.verdict(number_, kind)) {
  if (verdict_ == Verdict::kKill) end_process();
}

Operation::~Operation() {
  if (verdict_ == Verdict::kTear) end_process();
}

bool Operation::fails() {
  if (verdict_ != Verdict::kFail) return false;
  errno = layer().plan.error();
  done(-1);
  return true;
}

std::size_t Operation::share_of(std::size_t bytes) const {
  const bool half = verdict_ == Verdict::kHalf || verdict_ == Verdict::kTear;
  return half && bytes > 1 ? bytes / 2 : bytes;
}

void Operation::about(ino_t inode, off_t offset, std::size_t length) {
  inode_ = inode;
  offset_ = offset;
  length_ = length;
}

long Operation::done(long result, const void* data) {
  const int error = errno;
  if (layer().journal >= 0) {
    const std::size_t bytes = data != nullptr && result > 0 ? static_cast<std::size_t>(result) : 0;
    std::string line = std::to_string(number_) + "\t" + std::string(kind_) + "\t" +
                       std::to_string(result) + "\t" + std::to_string(inode_) + "\t" +
                       std::to_string(offset_) + "\t" + std::to_string(length_) + "\t" +
                       std::to_string(bytes) + "\t" + path_ + "\t" + second_ + "\n";
    append(layer().journal, line.data(), line.size());
    append(layer().journal, static_cast<const char*>(data), bytes);
  }
  errno = error;
  return result;
}

}  // namespace beleg::crash

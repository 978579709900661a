#pragma once

#include <sys/types.h>

#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>

#include "fault_plan.h"

namespace beleg::crash {

/// A call to the kernel past every interception; sets errno as the function of libc does.
template <class... Arguments>
long raw(long number, Arguments... arguments);

long raw_call(long number, long a, long b, long c, long d, long e, long f);

template <class T>
long as_long(T value) {
  if constexpr (std::is_pointer_v<T>) {
    return reinterpret_cast<long>(value);
  } else {
    return static_cast<long>(value);
  }
}

template <class... Arguments>
long raw(long number, Arguments... arguments) {
  long padded[6] = {};
  std::size_t i = 0;
  ((padded[i++] = as_long(arguments)), ...);
  return raw_call(number, padded[0], padded[1], padded[2], padded[3], padded[4], padded[5]);
}

/// The file of a descriptor, or empty where it has no name.
std::string path_of(int descriptor);
/// The absolute path that `path` means below the folder of `folder` (AT_FDCWD: where we are).
std::string resolve(int folder, const char* path);
/// Is it below BELEG_FAULT_ROOT? Only such paths have operations.
bool is_watched(const std::string& path);

/// One operation on a watched file: numbered, judged by the plan, written to the journal. While one
/// lives, no other can begin, so that numbers and journal are in the order of what happened.
class Operation {
 public:
  /// Takes the next number. Ends the process here if the plan says so.
  Operation(std::string_view kind, std::string path, std::string second = {});
  ~Operation();
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  /// True: leave the operation out, return -1 (errno is set).
  [[nodiscard]] bool fails();
  /// How many of `bytes` a write may take.
  [[nodiscard]] std::size_t share_of(std::size_t bytes) const;

  /// Which file it was, and where; for the journal. `inode` 0: found by path or descriptor later.
  void about(ino_t inode, off_t offset, std::size_t length);
  /// Says what came of it, with the bytes that were written; keeps errno. Returns `result`.
  long done(long result, const void* data = nullptr);

 private:
  std::lock_guard<std::mutex> guard_;
  std::string_view kind_;
  std::string path_;
  std::string second_;
  long number_;
  Verdict verdict_;
  ino_t inode_ = 0;
  off_t offset_ = 0;
  std::size_t length_ = 0;
};

}  // namespace beleg::crash

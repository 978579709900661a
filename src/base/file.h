#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace beleg {

/// Reads a whole file. Errors: kNotFound, kPermission, kIo; kLimit when it is larger than
/// `max_bytes`; kUnsupported when it is not a regular file.
Result<std::string> read_file(const std::filesystem::path& path, std::uint64_t max_bytes);

/// Replaces `path` by `bytes` so that after a crash it holds either the old or the new content:
/// temporary file beside it, fsync, rename, fsync of the directory.
Result<void> write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

/// Flushes a directory's entries to the device, so that a rename in it survives a power loss.
Result<void> sync_directory(const std::filesystem::path& path);

/// Creates a folder and all that are missing above it, each of them flushed into the one above: a
/// file that is flushed below is worth nothing when the name of its folder is lost. Nothing to do
/// where it exists.
Result<void> create_directories_durably(const std::filesystem::path& path);

/// Flushes one file's content to the device.
Result<void> sync_file(const std::filesystem::path& path);

/// A path as one printable line for messages: control characters and invalid UTF-8 as \xNN.
std::string printable_path(const std::filesystem::path& path);

/// A read-only memory map. Movable; views from it die with it. Safe to read from many threads.
class MappedFile {
 public:
  MappedFile() = default;
  static Result<MappedFile> open(const std::filesystem::path& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  [[nodiscard]] std::span<const std::byte> bytes() const { return {data_, size_}; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

/// An advisory lock on a file, held until destruction or process end (kill -9 included).
class FileLock {
 public:
  /// Takes the lock at once, or fails with kConflict. Creates the file if need be.
  static Result<FileLock> try_acquire(const std::filesystem::path& path);
  /// False when the file at `path` is not the locked one any more: it was removed or replaced.
  [[nodiscard]] bool is_of(const std::filesystem::path& path) const;
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

 private:
  explicit FileLock(int fd) : fd_(fd) {}
  int fd_ = -1;
};

}  // namespace beleg

#include "base/file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace beleg {
namespace {

/// Owns a file descriptor for the length of one function.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

std::unexpected<Error> system_failure(std::string_view action, const std::filesystem::path& path) {
  const int number = errno;
  ErrorCode code = ErrorCode::kIo;
  std::string remedy;
  switch (number) {
    case ENOENT:
    case ENOTDIR:
      code = ErrorCode::kNotFound;
      remedy = "check the path";
      break;
    case EACCES:
    case EPERM:
      code = ErrorCode::kPermission;
      remedy = "give this user read permission, or run as its owner";
      break;
    case EROFS:
      code = ErrorCode::kPermission;
      remedy = "make the file system writable, or use another folder";
      break;
    case EIO:
      remedy = "check the disk, then run the command again";
      break;
    case ELOOP:
      code = ErrorCode::kInvalidArgument;
      remedy = "remove the loop of symbolic links";
      break;
    case ENOSPC:
      remedy = "free some disk space and run the command again";
      break;
    default:
      break;
  }
  return fail(
      code,
      "cannot " + std::string(action) + " " + printable_path(path) + ": " + std::strerror(number),
      std::move(remedy));
}

Result<void> write_all(int fd, std::string_view bytes, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0) {
      if (errno == EINTR) continue;
      return system_failure("write", path);
    }
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

}  // namespace

std::string printable_path(const std::filesystem::path& path) {
  static constexpr char kDigits[] = "0123456789abcdef";
  const std::string& raw = path.native();
  std::string text;
  std::size_t i = 0;
  while (i < raw.size()) {
    const auto byte = static_cast<unsigned char>(raw[i]);
    std::size_t length = 0;
    if (byte >= 0x20 && byte < 0x7f) length = 1;
    if (byte >= 0xc2 && byte < 0xe0) length = 2;
    if (byte >= 0xe0 && byte < 0xf0) length = 3;
    if (byte >= 0xf0 && byte < 0xf5) length = 4;
    bool valid = length > 0 && i + length <= raw.size();
    for (std::size_t j = 1; valid && j < length; ++j) {
      valid = (static_cast<unsigned char>(raw[i + j]) & 0xc0U) == 0x80U;
    }
    // U+0080 to U+009F are control characters too: a terminal may act on them.
    if (valid && length == 2 && byte == 0xc2 && static_cast<unsigned char>(raw[i + 1]) < 0xa0) {
      valid = false;
    }
    if (valid) {
      text.append(raw, i, length);
      i += length;
    } else {
      text += "\\x";
      text.push_back(kDigits[byte >> 4U]);
      text.push_back(kDigits[byte & 15U]);
      ++i;
    }
  }
  return text;
}

Result<std::string> read_file(const std::filesystem::path& path, std::uint64_t max_bytes) {
  // O_NONBLOCK: opening a named pipe must not wait for a writer; it is refused below.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return system_failure("open", path);
  struct stat info{};
  if (::fstat(file.get(), &info) != 0) return system_failure("inspect", path);
  if (!S_ISREG(info.st_mode)) {
    return fail(ErrorCode::kUnsupported, printable_path(path) + " is not a regular file",
                "give the path of a file");
  }
  if (static_cast<std::uint64_t>(info.st_size) > max_bytes) {
    return fail(ErrorCode::kLimit,
                printable_path(path) + " has " + std::to_string(info.st_size) +
                    " bytes; the limit is " + std::to_string(max_bytes),
                "split the file or raise ingest.max_file_bytes");
  }
  std::string bytes(static_cast<std::size_t>(info.st_size), '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = ::read(file.get(), bytes.data() + done, bytes.size() - done);
    if (n < 0) {
      if (errno == EINTR) continue;
      return system_failure("read", path);
    }
    if (n == 0) break;  // The file shrank while we read it: what is there is what there is.
    done += static_cast<std::size_t>(n);
  }
  bytes.resize(done);
  return bytes;
}

Result<void> sync_file(const std::filesystem::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return system_failure("open", path);
  if (::fsync(file.get()) != 0) return system_failure("flush", path);
  return {};
}

Result<void> sync_directory(const std::filesystem::path& path) {
  const Descriptor directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.get() < 0) return system_failure("open", path);
  if (::fsync(directory.get()) != 0) return system_failure("flush", path);
  return {};
}

Result<void> create_directories_durably(const std::filesystem::path& path) {
  std::error_code status;
  if (std::filesystem::is_directory(path, status)) return {};
  const std::filesystem::path parent = path.has_parent_path() ? path.parent_path() : ".";
  // The root of all, and a name with a slash at its end.
  if (parent == path) return {};
  TRY(create_directories_durably(parent));
  if (!path.has_filename()) return {};
  if (::mkdir(path.c_str(), 0777) != 0) {
    const int number = errno;
    if (!std::filesystem::is_directory(path, status)) {
      errno = number;
      return system_failure("create", path);
    }
  }
  // Also where another process made it just now: this one relies on it.
  return sync_directory(parent);
}

Result<void> write_file_atomically(const std::filesystem::path& path, std::string_view bytes) {
  std::filesystem::path temporary = path;
  temporary += ".tmp." + std::to_string(::getpid());
  {
    const Descriptor file(
        ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (file.get() < 0) return system_failure("create", temporary);
    auto written = write_all(file.get(), bytes, temporary);
    if (written && ::fsync(file.get()) != 0) written = system_failure("flush", temporary);
    if (!written) {
      ::unlink(temporary.c_str());
      return written;
    }
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    auto failure = system_failure("rename", temporary);
    ::unlink(temporary.c_str());
    return failure;
  }
  return sync_directory(path.has_parent_path() ? path.parent_path() : ".");
}

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return system_failure("open", path);
  struct stat info{};
  if (::fstat(file.get(), &info) != 0) return system_failure("inspect", path);
  MappedFile mapped;
  mapped.size_ = static_cast<std::size_t>(info.st_size);
  if (mapped.size_ == 0) return mapped;
  void* data = ::mmap(nullptr, mapped.size_, PROT_READ, MAP_SHARED, file.get(), 0);
  if (data == MAP_FAILED) {
    mapped.size_ = 0;
    return system_failure("map", path);
  }
  mapped.data_ = static_cast<const std::byte*>(data);
  return mapped;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

Result<FileLock> FileLock::try_acquire(const std::filesystem::path& path) {
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (file.get() < 0) return system_failure("open", path);
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return system_failure("lock", path);
    return fail(ErrorCode::kConflict, "another process is writing (" + printable_path(path) + ")",
                "wait for it to finish, then run the command again");
  }
  return FileLock(file.release());
}

bool FileLock::is_of(const std::filesystem::path& path) const {
  struct stat locked{};
  struct stat there{};
  return ::fstat(fd_, &locked) == 0 && ::stat(path.c_str(), &there) == 0 &&
         locked.st_dev == there.st_dev && locked.st_ino == there.st_ino;
}

FileLock::FileLock(FileLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

FileLock::~FileLock() {
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace beleg

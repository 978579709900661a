#include "store/pack_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/file.h"

namespace beleg {
namespace {

// One page: the header of a record after a small payload often comes with the one before it.
constexpr std::size_t kScanWindow = 4096;
// Where headers are damaged, everything is looked at.
constexpr std::size_t kSearchWindow = std::size_t{1} << 20U;
constexpr std::size_t kSmallestGrowingMap = std::size_t{64} << 20U;

/// Reads a file forward in windows.
class Window {
 public:
  explicit Window(const PackFile& file) : file_(file), buffer_(kScanWindow) {}

  /// The 64 bytes at `offset`, or fewer than 64 at the end of the file.
  Result<std::span<const std::byte>> header_at(std::uint64_t offset) {
    if (offset < start_ || offset + kPackHeaderBytes > start_ + filled_) {
      start_ = offset;
      filled_ = TRY(file_.read_at(offset, buffer_));
    }
    const std::size_t at = static_cast<std::size_t>(offset - start_);
    return std::span<const std::byte>(buffer_).subspan(at,
                                                       std::min(kPackHeaderBytes, filled_ - at));
  }

  void widen() { resize(kSearchWindow); }
  void narrow() { resize(kScanWindow); }

 private:
  void resize(std::size_t size) {
    if (buffer_.size() == size) return;
    buffer_.resize(size);
    filled_ = 0;
  }

  const PackFile& file_;
  std::vector<std::byte> buffer_;
  std::uint64_t start_ = 0;
  std::size_t filled_ = 0;
};

}  // namespace

std::unexpected<Error> PackFile::failure(std::string_view action) const {
  const int number = errno;
  ErrorCode code = ErrorCode::kIo;
  std::string remedy = "check the disk and run the command again";
  switch (number) {
    case ENOENT:
    case ENOTDIR:
      code = ErrorCode::kNotFound;
      remedy = "check the path; an ingest makes the file";
      break;
    case EACCES:
    case EPERM:
    case EROFS:
      code = ErrorCode::kPermission;
      remedy = "give this user read and write permission on the corpus folder";
      break;
    case ENOSPC:
    case EDQUOT:
      remedy = "free some disk space and run the command again";
      break;
    case EFBIG:
      remedy = "raise the limit on file sizes (ulimit -f) and run the command again";
      break;
    case ENOMEM:
      remedy = "raise the limit on address space (ulimit -v)";
      break;
    default:
      break;
  }
  return fail(code,
              "cannot " + std::string(action) + " " + printable_path(path_) + ": " +
                  std::generic_category().message(number),
              std::move(remedy));
}

Result<PackFile> PackFile::open(const std::filesystem::path& path, bool writable) {
  const int flags = writable ? O_RDWR | O_CREAT : O_RDONLY;
  PackFile file(::open(path.c_str(), flags | O_CLOEXEC | O_NONBLOCK, 0644), path);
  if (file.fd_ < 0) return file.failure("open");
  struct stat info{};
  if (::fstat(file.fd_, &info) != 0) return file.failure("inspect");
  if (!S_ISREG(info.st_mode)) {
    return fail(ErrorCode::kUnsupported, printable_path(path) + " is not a regular file",
                "move it away; an ingest makes the file");
  }
  return file;
}

PackFile::PackFile(PackFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      path_(std::move(other.path_)),
      maps_(std::exchange(other.maps_, {})) {}

PackFile::~PackFile() {
  for (const Map& map : maps_) ::munmap(const_cast<std::byte*>(map.data), map.size);
  if (fd_ >= 0) ::close(fd_);
}

Result<std::uint64_t> PackFile::size() const {
  struct stat info{};
  if (::fstat(fd_, &info) != 0) return failure("inspect");
  return static_cast<std::uint64_t>(info.st_size);
}

Result<std::size_t> PackFile::read_at(std::uint64_t offset, std::span<std::byte> into) const {
  std::size_t done = 0;
  while (done < into.size()) {
    const ssize_t n =
        ::pread(fd_, into.data() + done, into.size() - done, static_cast<off_t>(offset + done));
    if (n < 0) {
      if (errno == EINTR) continue;
      return failure("read");
    }
    if (n == 0) break;
    done += static_cast<std::size_t>(n);
  }
  return done;
}

Result<void> PackFile::write_at(std::uint64_t offset, std::span<const std::byte> header,
                                std::span<const std::byte> payload,
                                std::span<const std::byte> padding) {
  std::array<std::span<const std::byte>, 3> parts{header, payload, padding};
  std::size_t first = 0;
  while (true) {
    while (first < parts.size() && parts[first].empty()) ++first;
    if (first == parts.size()) return {};
    std::array<iovec, 3> vectors{};
    for (std::size_t i = first; i < parts.size(); ++i) {
      vectors[i] = {const_cast<std::byte*>(parts[i].data()), parts[i].size()};
    }
    const ssize_t n = ::pwritev(fd_, vectors.data() + first, static_cast<int>(parts.size() - first),
                                static_cast<off_t>(offset));
    if (n < 0) {
      if (errno == EINTR) continue;
      return failure("write");
    }
    auto written = static_cast<std::size_t>(n);
    offset += written;
    for (std::size_t i = first; i < parts.size() && written > 0; ++i) {
      const std::size_t taken = std::min(written, parts[i].size());
      parts[i] = parts[i].subspan(taken);
      written -= taken;
    }
  }
}

Result<void> PackFile::truncate(std::uint64_t size) {
  while (::ftruncate(fd_, static_cast<off_t>(size)) != 0) {
    if (errno != EINTR) return failure("cut");
  }
  return {};
}

Result<void> PackFile::sync() {
  if (::fdatasync(fd_) != 0) return failure("flush");
  return {};
}

Result<void> PackFile::lock_for_writing() {
  if (::flock(fd_, LOCK_EX | LOCK_NB) == 0) return {};
  if (errno != EWOULDBLOCK) return failure("lock");
  return fail(ErrorCode::kConflict, "another process is writing (" + printable_path(path_) + ")",
              "wait for it to finish, then run the command again");
}

Result<void> PackFile::map(std::uint64_t bytes, bool room_to_grow) {
  const std::size_t mapped = maps_.empty() ? 0 : maps_.back().size;
  if (bytes <= mapped) return {};
  std::size_t size = bytes;
  if (room_to_grow) size = std::max({size * 2, mapped * 2, kSmallestGrowingMap});
  void* data = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, fd_, 0);
  if (data == MAP_FAILED) return failure("map");
  maps_.push_back({static_cast<const std::byte*>(data), size});
  return {};
}

std::span<const std::byte> PackFile::bytes_at(std::uint64_t offset, std::size_t size) const {
  return {maps_.back().data + offset, size};
}

Result<PackScan> scan_pack(const PackFile& file, std::uint64_t start, const PackVisitor& found) {
  const std::uint64_t size = TRY(file.size());
  Window window(file);
  PackScan scan;
  scan.end = start;
  std::uint64_t offset = start;
  while (offset + kPackHeaderBytes <= size) {
    const std::span<const std::byte> bytes = TRY(window.header_at(offset));
    if (bytes.size() < kPackHeaderBytes) break;  // The tail was cut off under us.
    const auto record = decode_record_header(bytes.first<kPackHeaderBytes>(), offset);
    if (!record) {
      window.widen();
      offset += kPackAlignment;
      continue;
    }
    const std::uint64_t end = offset + pack_record_bytes(record->size);
    if (end > size) break;
    // What was passed over since the last good record turns out not to be the tail.
    scan.unreadable += offset - scan.end;
    found(*record, offset + kPackHeaderBytes);
    offset = scan.end = end;
    window.narrow();
  }
  return scan;
}

}  // namespace beleg

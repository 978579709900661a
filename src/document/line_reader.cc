#include "document/line_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/file.h"

namespace beleg {
namespace {

constexpr std::size_t kReadBytes = 1U << 20U;
constexpr std::size_t kPeekBytes = 4096;

std::unexpected<Error> system_failure(const char* action, const std::filesystem::path& path) {
  const int number = errno;
  ErrorCode code = ErrorCode::kIo;
  std::string remedy;
  if (number == ENOENT || number == ENOTDIR) {
    code = ErrorCode::kNotFound;
    remedy = "check the path";
  } else if (number == EACCES || number == EPERM) {
    code = ErrorCode::kPermission;
    remedy = "give this user read permission, or run as its owner";
  }
  return fail(
      code,
      std::string("cannot ") + action + " " + printable_path(path) + ": " + std::strerror(number),
      std::move(remedy));
}

}  // namespace

Result<LineReader> LineReader::open(const std::filesystem::path& path,
                                    std::uint64_t max_line_bytes) {
  // O_NONBLOCK: opening a named pipe must not wait for a writer; it is refused below.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return system_failure("open", path);
  LineReader reader(fd, path, max_line_bytes);
  struct stat info{};
  if (::fstat(fd, &info) != 0) return system_failure("inspect", path);
  if (!S_ISREG(info.st_mode)) {
    return fail(ErrorCode::kUnsupported, printable_path(path) + " is not a regular file",
                "give a file or a folder");
  }
  return reader;
}

LineReader::LineReader(int fd, std::filesystem::path path, std::uint64_t max_line_bytes)
    : fd_(fd), path_(std::move(path)), max_line_bytes_(max_line_bytes) {}

LineReader::LineReader(LineReader&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      path_(std::move(other.path_)),
      max_line_bytes_(other.max_line_bytes_),
      buffer_(std::move(other.buffer_)),
      start_(other.start_),
      end_(other.end_),
      number_(other.number_) {}

LineReader::~LineReader() {
  if (fd_ >= 0) ::close(fd_);
}

Result<bool> LineReader::fill() {
  if (start_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + start_, end_ - start_);
    end_ -= start_;
    start_ = 0;
  }
  if (buffer_.size() < end_ + kReadBytes) buffer_.resize(std::max(end_ + kReadBytes, end_ * 2));
  while (true) {
    const ssize_t n = ::read(fd_, buffer_.data() + end_, kReadBytes);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return system_failure("read", path_);
    end_ += static_cast<std::size_t>(n);
    return n > 0;
  }
}

Result<std::string_view> LineReader::peek() {
  while (end_ - start_ < kPeekBytes) {
    if (!TRY(fill())) break;
  }
  return std::string_view(buffer_).substr(start_, std::min(end_ - start_, kPeekBytes));
}

Result<LineReader::Line> LineReader::next() {
  std::size_t searched = 0;
  bool at_end = false;
  while (true) {
    const char* from = buffer_.data() + start_ + searched;
    const void* found = std::memchr(from, '\n', end_ - start_ - searched);
    const std::size_t length =
        found != nullptr
            ? static_cast<std::size_t>(static_cast<const char*>(found) - (buffer_.data() + start_))
            : end_ - start_;
    if (found != nullptr || (at_end && length > 0)) {
      Line line{.text = std::string_view(buffer_).substr(start_, length),
                .number = ++number_,
                .too_long = length > max_line_bytes_,
                .end = false};
      start_ += length + (found != nullptr ? 1 : 0);
      return line;
    }
    if (at_end) return Line{.text = {}, .number = number_, .too_long = false, .end = true};
    if (length > max_line_bytes_) break;
    searched = length;
    at_end = !TRY(fill());
  }
  // Too long: forget its bytes up to the next line.
  Line line{.text = {}, .number = ++number_, .too_long = true, .end = false};
  while (true) {
    const void* found = std::memchr(buffer_.data() + start_, '\n', end_ - start_);
    if (found != nullptr) {
      start_ = static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data()) + 1;
      return line;
    }
    start_ = end_ = 0;
    if (!TRY(fill())) return line;
  }
}

}  // namespace beleg

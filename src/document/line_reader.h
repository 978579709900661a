#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace beleg {

/// Reads a file line by line in memory bounded by the longest line allowed. Not thread-safe.
class LineReader {
 public:
  struct Line {
    std::string_view text;     ///< Without its end; until the next call.
    std::uint64_t number = 0;  ///< From 1.
    bool too_long = false;     ///< It has more than the allowed bytes; `text` says nothing.
    bool end = false;          ///< No line: the file is at its end.
  };

  /// Errors: kNotFound, kPermission, kIo; kUnsupported when it is not a regular file.
  static Result<LineReader> open(const std::filesystem::path& path, std::uint64_t max_line_bytes);
  LineReader(LineReader&& other) noexcept;
  LineReader& operator=(LineReader&&) = delete;
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;
  ~LineReader();

  Result<Line> next();

  /// The first bytes of the file, up to 4096, without moving on. Valid until next().
  Result<std::string_view> peek();

 private:
  LineReader(int fd, std::filesystem::path path, std::uint64_t max_line_bytes);
  /// Appends what the file has next to the buffer; false at its end.
  Result<bool> fill();

  int fd_ = -1;
  std::filesystem::path path_;
  std::uint64_t max_line_bytes_ = 0;
  std::string buffer_;
  std::size_t start_ = 0;  // Of what has not been given out, in the buffer.
  std::size_t end_ = 0;    // Of what has been read into the buffer.
  std::uint64_t number_ = 0;
};

}  // namespace beleg

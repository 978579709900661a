#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "base/result.h"
#include "store/pack_format.h"

namespace beleg {

/// The open file of a pack: positioned reads and writes, and memory maps that only ever grow.
class PackFile {
 public:
  static Result<PackFile> open(const std::filesystem::path& path, bool writable);
  PackFile(PackFile&& other) noexcept;
  PackFile& operator=(PackFile&&) = delete;
  PackFile(const PackFile&) = delete;
  PackFile& operator=(const PackFile&) = delete;
  ~PackFile();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  Result<std::uint64_t> size() const;
  /// Reads up to `into.size()` bytes; fewer at the end of the file.
  Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> into) const;
  /// Writes the three parts one after the other.
  Result<void> write_at(std::uint64_t offset, std::span<const std::byte> header,
                        std::span<const std::byte> payload, std::span<const std::byte> padding);
  Result<void> truncate(std::uint64_t size);
  Result<void> sync();
  /// Refuses a second writer of the same file with kConflict.
  Result<void> lock_for_writing();

  /// Makes the first `bytes` bytes reachable through bytes_at(). Earlier maps stay where they are,
  /// so that views from them live as long as this object. With `room_to_grow` the map reaches
  /// beyond the end of the file, and what is appended later appears in it.
  Result<void> map(std::uint64_t bytes, bool room_to_grow);
  /// Requires that map() covered the range and that the file has it.
  [[nodiscard]] std::span<const std::byte> bytes_at(std::uint64_t offset, std::size_t size) const;

 private:
  PackFile(int fd, std::filesystem::path path) : fd_(fd), path_(std::move(path)) {}
  [[nodiscard]] std::unexpected<Error> failure(std::string_view action) const;

  struct Map {
    const std::byte* data;
    std::size_t size;
  };

  int fd_;
  std::filesystem::path path_;
  std::vector<Map> maps_;  // Each at least twice the one before; the last is in use.
};

/// What a walk over the headers of a pack found.
struct PackScan {
  std::uint64_t end = 0;         ///< Where the next record belongs; what follows is a torn tail.
  std::uint64_t unreadable = 0;  ///< Bytes before `end` whose headers are damaged.
};

/// Called with the place of a payload in the file.
using PackVisitor = std::function<void(const PackRecord& record, std::uint64_t payload)>;

/// Reads the header of every record from `start` on, jumping over the payloads. After a damaged
/// header it goes on at the next place that holds a good one. Reads by system calls, not through a
/// map: a writer may be cutting off a torn tail meanwhile.
Result<PackScan> scan_pack(const PackFile& file, std::uint64_t start, const PackVisitor& found);

}  // namespace beleg

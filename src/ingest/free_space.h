#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "base/result.h"

namespace beleg {

/// Watches the disk of a corpus, so that an ingest stops while the corpus is still usable: its
/// receipts need some room, too.
class FreeSpace {
 public:
  /// Bytes that this user may still write below a folder. Replaced in tests.
  using Probe = std::function<Result<std::uint64_t>(const std::filesystem::path&)>;

  /// Left free in any case, for answers and for the log of the database.
  static constexpr std::uint64_t kReserveBytes = std::uint64_t{32} << 20U;
  /// What the index takes of one passage, generously; passages of one sentence take 1.6 KB.
  static constexpr std::uint64_t kIndexBytesPerPassage = 8 << 10U;
  /// What the vectors of one passage take in the pack at most: about 200 bytes for each of up to
  /// 512 tokens (docs/formats/embedding-payload.md).
  static constexpr std::uint64_t kPackBytesPerPassage = 128 << 10U;

  explicit FreeSpace(std::filesystem::path folder, Probe probe = free_bytes)
      : folder_(std::move(folder)), probe_(std::move(probe)) {}

  /// What the next batch and an index of `passages` passages need, the reserve included. A batch is
  /// written to the log and then to the database, `batch_passages` passages to the pack.
  [[nodiscard]] static std::uint64_t needed(std::uint64_t passages, std::uint64_t batch_passages);

  /// kIo when less than that is free. Where the system does not tell, all is well.
  [[nodiscard]] Result<void> require(std::uint64_t passages, std::uint64_t batch_passages) const;

  /// statvfs(3): blocks that an ordinary user may take.
  static Result<std::uint64_t> free_bytes(const std::filesystem::path& folder);

 private:
  std::filesystem::path folder_;
  Probe probe_;
};

}  // namespace beleg

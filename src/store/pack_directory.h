#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/result.h"
#include "store/pack_file.h"
#include "store/pack_format.h"

namespace beleg {

/// The copy of a pack's record headers in one small file beside it, so that opening reads 64 bytes
/// a record in one go instead of a page here and there all over a large file.
///
/// It only makes opening faster: what is missing, torn, or not of this pack is left out, and the
/// walk through the pack itself starts where the directory ends. It holds only what the pack has
/// durably, so it never knows of a record that a power loss took from the pack.
class PackDirectory {
 public:
  /// `pack` is the path of the pack; the directory stands beside it with the extension "idx".
  PackDirectory(std::filesystem::path pack, const PackIdentity& identity);

  /// Visits the records it knows and returns where in the pack they end.
  std::uint64_t load(const PackFile& pack, const PackVisitor& found);
  /// Removes what load() did not use. A writer does this before it appends: entries that fit
  /// nothing today must not seem to fit tomorrow.
  Result<void> cut() const;
  /// Notes a record at `offset` of the pack. Records after a damaged stretch are not taken in.
  void add(const PackRecord& record, std::uint64_t offset);
  /// Writes what was added, once the pack is durable.
  void write();

 private:
  [[nodiscard]] std::uint64_t bytes() const { return kPackHeaderBytes * (1 + written_); }

  std::filesystem::path path_;
  PackIdentity identity_;
  std::uint64_t written_ = 0;              // Entries in the file.
  std::uint64_t next_ = kPackHeaderBytes;  // Where in the pack the next entry's record must stand.
  std::vector<PackHeader> added_;
};

}  // namespace beleg

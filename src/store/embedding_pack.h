#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/hash.h"
#include "base/result.h"

namespace beleg {

/// Where a record stands in a pack.
struct PackLocation {
  std::uint64_t offset = 0;  ///< Of the payload, in bytes from the start of the file.
  std::uint32_t size = 0;    ///< Of the payload.
};

/// A content-addressed, append-only file of encoded passages, so that a text is encoded once per
/// model, whatever happens to generations. Record: magic, key, size, checksum, payload padded to 64
/// bytes. The key index is kept in memory and rebuilt on open from the record headers, of which a
/// copy is kept in a small file beside the pack (extension "idx", which may be deleted); a torn
/// tail (kill, power loss) is cut off by the next writer and skipped by readers. Payloads are
/// opaque here.
///
/// One writer (who holds the corpus' writer lock), many readers in any process. A reader has the
/// records that were there when it was opened; to see later ones, open another. Reads are
/// thread-safe among each other; an append must have the object for itself.
class EmbeddingPack {
 public:
  static Result<std::unique_ptr<EmbeddingPack>> open_reader(const std::filesystem::path& file);
  static Result<std::unique_ptr<EmbeddingPack>> open_writer(const std::filesystem::path& file);
  virtual ~EmbeddingPack() = default;

  [[nodiscard]] virtual std::optional<PackLocation> find(const Sha256& key) const = 0;
  [[nodiscard]] virtual std::size_t size() const = 0;  ///< Records.
  /// Bytes that open skipped because a header is damaged: their records are not found any more, so
  /// that their texts are encoded again. A damaged header of the file itself counts with its 64
  /// bytes. 0 in a good pack; a torn tail does not count.
  [[nodiscard]] virtual std::uint64_t unreadable_bytes() const = 0;
  /// The payload, from the memory map; starts at a multiple of 64 bytes. kCorrupt when it does not
  /// have its checksum. The view stays valid as long as the pack, whatever is appended meanwhile.
  [[nodiscard]] virtual Result<std::span<const std::byte>> payload(PackLocation where) const = 0;
  /// Appends; an existing key is left as it is, unless its record is damaged. Durable only after
  /// sync(). After an error (disk full) the pack is as before the call.
  virtual Result<PackLocation> append(const Sha256& key, std::span<const std::byte> payload) = 0;
  virtual Result<void> sync() = 0;
  /// Re-computes every record's checksum; returns the keys of damaged ones.
  virtual Result<std::vector<Sha256>> damaged() const = 0;
};

}  // namespace beleg

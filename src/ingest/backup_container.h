#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/ids.h"
#include "base/result.h"

namespace beleg {

inline constexpr std::uint32_t kBackupFormat = 1;

/// One file of a corpus inside a backup.
struct BackupPart {
  std::string name;
  std::uint64_t offset = 0;  ///< From the start of the backup; a multiple of 64.
  std::uint64_t size = 0;
  Sha256 hash;
};

/// What a backup says about itself.
struct BackupManifest {
  std::string corpus;  ///< The name it had.
  Generation generation{};
  std::int64_t created_at = 0;  ///< Unix seconds.
  std::int64_t documents = 0;
  std::int64_t passages = 0;
  std::int64_t missing_embeddings = 0;  ///< Were lost or damaged in the corpus already.
  std::vector<BackupPart> parts;
};

/// Writes a backup of `files` (name in the backup, path) to `temporary` and renames it to `target`,
/// which is then the whole new one, or on an error what it was. Both on one file system. Layout:
/// docs/formats/backup.md. Fills in the parts. kIo for a full disk.
Result<BackupManifest> write_backup(
    const std::filesystem::path& temporary, const std::filesystem::path& target,
    BackupManifest manifest,
    const std::vector<std::pair<std::string, std::filesystem::path>>& files);

/// True for a regular file, not a link to one, that begins as a backup does, be it whole or
/// damaged.
[[nodiscard]] bool begins_like_backup(const std::filesystem::path& path);

/// A backup whose manifest was read and has its checksum. Used by one thread.
class BackupReader {
 public:
  /// kCorrupt when it is no backup or its manifest is damaged, kUnsupported for a newer format.
  static Result<BackupReader> open(const std::filesystem::path& path);

  [[nodiscard]] const BackupManifest& manifest() const { return manifest_; }
  /// Reads every part. kCorrupt names the one that does not have its checksum.
  [[nodiscard]] Result<void> verify() const;
  /// Writes a part to a new file, durably, comparing the checksum of what is written. kCorrupt when
  /// there is no such part or it is damaged.
  [[nodiscard]] Result<void> extract(const std::string& name,
                                     const std::filesystem::path& target) const;

 private:
  std::filesystem::path path_;
  BackupManifest manifest_;
};

}  // namespace beleg

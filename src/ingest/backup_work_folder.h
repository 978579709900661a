#pragma once

#include <filesystem>
#include <utility>

#include "base/file.h"
#include "base/result.h"

namespace beleg {

/// Where a backup is put together: the folder `<target>.parts.<process>` beside it, which goes with
/// all it holds at the end. It is locked while its process lives, so that what a killed one left is
/// known for what it is.
class BackupWorkFolder {
 public:
  /// Also removes what killed backups left beside `target`, to whichever file they were: it holds
  /// texts. kIo when the folder cannot be made.
  static Result<BackupWorkFolder> create(const std::filesystem::path& target);

  ~BackupWorkFolder();
  BackupWorkFolder(BackupWorkFolder&&) noexcept;
  BackupWorkFolder& operator=(BackupWorkFolder&&) = delete;
  BackupWorkFolder(const BackupWorkFolder&) = delete;
  BackupWorkFolder& operator=(const BackupWorkFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  BackupWorkFolder(std::filesystem::path path, FileLock lock)
      : path_(std::move(path)), lock_(std::move(lock)) {}

  std::filesystem::path path_;  ///< Empty: moved from.
  FileLock lock_;
};

}  // namespace beleg

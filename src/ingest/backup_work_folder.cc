#include "ingest/backup_work_folder.h"

#include <unistd.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace beleg {
namespace {

constexpr std::string_view kSuffix = ".parts.";
constexpr const char* kLockName = "backup.lock";

bool is_work_folder(const std::filesystem::directory_entry& entry) {
  const std::string name = entry.path().filename().string();
  const std::size_t at = name.rfind(kSuffix);
  std::error_code status;
  return at != std::string::npos && at + kSuffix.size() < name.size() &&
         std::ranges::all_of(
             name.substr(at + kSuffix.size()), [](char c) { return c >= '0' && c <= '9'; }) &&
         !entry.is_symlink(status) && entry.is_directory(status);
}

/// The lock goes last: whoever is killed in between leaves a folder that is still known.
void remove_work_folder(const std::filesystem::path& path) {
  std::error_code status;
  std::vector<std::filesystem::path> parts;
  for (std::filesystem::directory_iterator entry(path, status);
       !status && entry != std::filesystem::directory_iterator(); entry.increment(status)) {
    if (entry->path().filename() != kLockName) parts.push_back(entry->path());
  }
  std::error_code ignored;
  for (const std::filesystem::path& part : parts) std::filesystem::remove_all(part, ignored);
  std::filesystem::remove(path / kLockName, ignored);
  std::filesystem::remove(path, ignored);
}

void remove_abandoned(const std::filesystem::path& folder) {
  std::error_code status;
  std::vector<std::filesystem::path> found;
  for (std::filesystem::directory_iterator entry(folder, status);
       !status && entry != std::filesystem::directory_iterator(); entry.increment(status)) {
    if (is_work_folder(*entry)) found.push_back(entry->path());
  }
  for (const std::filesystem::path& path : found) {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(path / kLockName, ignored)) {
      const auto lock = FileLock::try_acquire(path / kLockName);
      if (lock) remove_work_folder(path);
    } else {
      // Killed before it had a lock, or after it was gone: empty then. Others may have such a name.
      std::filesystem::remove(path, ignored);
    }
  }
}

}  // namespace

Result<BackupWorkFolder> BackupWorkFolder::create(const std::filesystem::path& target) {
  remove_abandoned(target.has_parent_path() ? target.parent_path() : ".");
  std::filesystem::path path = target;
  path += std::string(kSuffix) + std::to_string(::getpid());
  // Until it is locked, a backup that begins at the same moment may take it for abandoned.
  constexpr int kAttempts = 20;
  for (int attempt = 1;; ++attempt) {
    std::error_code status;
    std::filesystem::create_directories(path, status);
    if (status) {
      return fail(ErrorCode::kIo, "cannot create " + printable_path(path) + ": " + status.message(),
                  "check the free disk space and the permissions");
    }
    auto lock = FileLock::try_acquire(path / kLockName);
    if (lock && lock->is_of(path / kLockName)) {
      return BackupWorkFolder(std::move(path), *std::move(lock));
    }
    if (attempt < kAttempts) continue;
    if (!lock) return std::unexpected(lock.error());
    return fail(ErrorCode::kConflict, printable_path(path) + " is removed by another process",
                "run the command again");
  }
}

BackupWorkFolder::~BackupWorkFolder() {
  if (!path_.empty()) remove_work_folder(path_);
}

BackupWorkFolder::BackupWorkFolder(BackupWorkFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)) {}

}  // namespace beleg

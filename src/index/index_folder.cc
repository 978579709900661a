#include "index/index_folder.h"

#include <stdio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include "base/exchange_folder.h"
#include "base/file.h"

namespace beleg {
namespace {

std::unexpected<Error> folder_failure(std::string_view action, const std::filesystem::path& folder,
                                      int number) {
  return fail(
      ErrorCode::kIo,
      "cannot " + std::string(action) + " " + printable_path(folder) + ": " + std::strerror(number),
      "check the free disk space and the permissions of the corpus folder");
}

std::filesystem::path name_beside(const std::filesystem::path& target) {
  // Two threads of one process may both find an index damaged and build it again.
  static std::atomic<unsigned> number{0};
  std::filesystem::path beside = target;
  beside += ".tmp." + std::to_string(::getpid()) + "." + std::to_string(number++);
  return beside;
}

}  // namespace

TemporaryFolder::TemporaryFolder(const std::filesystem::path& target)
    : path_(name_beside(target)) {}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

Result<void> TemporaryFolder::create() const {
  std::error_code error;
  std::filesystem::remove_all(path_, error);
  std::filesystem::create_directories(path_, error);
  if (error) return folder_failure("create", path_, error.value());
  return {};
}

Result<void> TemporaryFolder::put_in_place(const std::filesystem::path& target) const {
  TRY(sync_directory(path_));
  const std::filesystem::path parent = target.has_parent_path() ? target.parent_path() : ".";
  if (::rename(path_.c_str(), target.c_str()) == 0) return sync_directory(parent);
  if (errno != ENOTEMPTY && errno != EEXIST) return folder_failure("rename", path_, errno);
  return exchange_folders(path_, target);
}

Result<void> share_folder(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::error_code error;
  std::filesystem::create_directory(to, error);
  if (error) return folder_failure("create", to, error.value());
  std::filesystem::directory_iterator entries(from, error);
  if (error) return folder_failure("list", from, error.value());
  for (const auto& entry : entries) {
    const std::filesystem::path target = to / entry.path().filename();
    std::filesystem::create_hard_link(entry.path(), target, error);
    if (!error) continue;
    std::filesystem::copy_file(entry.path(), target, error);
    if (error) return folder_failure("copy", entry.path(), error.value());
    TRY(sync_file(target));
  }
  return sync_directory(to);
}

}  // namespace beleg

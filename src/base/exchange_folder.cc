#include "base/exchange_folder.h"

#include <fcntl.h>
#include <stdio.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "base/file.h"

namespace beleg {
namespace {

std::unexpected<Error> cannot_exchange(const std::filesystem::path& target, int number) {
  const bool refused = number == EACCES || number == EPERM || number == EROFS;
  const bool full = number == ENOSPC || number == EDQUOT;
  return fail(refused ? ErrorCode::kPermission : ErrorCode::kIo,
              "cannot replace the folder " + printable_path(target) + ": " +
                  std::generic_category().message(number),
              refused ? "give this user read and write permission on the folder and the one above"
              : full  ? "free some disk space and run the command again"
                      : "check the disk, then run the command again");
}

std::filesystem::path parent_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : ".";
}

/// The same in three steps, each of which leaves all content under some name.
Result<void> exchange_by_renames(const std::filesystem::path& made,
                                 const std::filesystem::path& target) {
  std::filesystem::path aside = made;
  aside += ".old";
  if (::rename(target.c_str(), aside.c_str()) != 0) return cannot_exchange(target, errno);
  if (::rename(made.c_str(), target.c_str()) != 0) {
    const int number = errno;
    if (::rename(aside.c_str(), target.c_str()) == 0) return cannot_exchange(target, number);
    return fail(ErrorCode::kIo,
                "cannot replace the folder " + printable_path(target) + ", which is now " +
                    printable_path(aside),
                "check the disk, then rename it back");
  }
  if (::rename(aside.c_str(), made.c_str()) != 0) return cannot_exchange(made, errno);
  return {};
}

/// What exchanging fails with where the file system, or the kernel, does not know it.
bool is_unsupported(int number) {
  return number == EINVAL || number == ENOSYS || number == ENOTSUP;
}

}  // namespace

Result<void> exchange_folders(const std::filesystem::path& made,
                              const std::filesystem::path& target) {
  // Through libc, so that the fault layer of the tests stands between.
  if (::renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) != 0) {
    if (!is_unsupported(errno)) return cannot_exchange(target, errno);
    TRY(exchange_by_renames(made, target));
  }
  TRY(sync_directory(parent_of(target)));
  if (parent_of(made) != parent_of(target)) TRY(sync_directory(parent_of(made)));
  return {};
}

}  // namespace beleg

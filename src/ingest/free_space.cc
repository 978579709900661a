#include "ingest/free_space.h"

#include <sys/statvfs.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "base/file.h"
#include "store/generation_writer.h"

namespace beleg {
namespace {

std::string mebibytes(std::uint64_t bytes) { return std::to_string(bytes >> 20U) + " MiB"; }

}  // namespace

std::uint64_t FreeSpace::needed(std::uint64_t passages, std::uint64_t batch_passages) {
  return kReserveBytes + 2 * GenerationWriter::kBatchBytes + batch_passages * kPackBytesPerPassage +
         passages * kIndexBytesPerPassage;
}

Result<void> FreeSpace::require(std::uint64_t passages, std::uint64_t batch_passages) const {
  const auto free = probe_(folder_);
  if (!free) return {};
  const std::uint64_t wanted = needed(passages, batch_passages);
  if (*free >= wanted) return {};
  return fail(ErrorCode::kIo,
              "the disk of " + printable_path(folder_) + " has " + mebibytes(*free) +
                  " free; the next batch and the index of " + std::to_string(passages) +
                  " passages need " + mebibytes(wanted),
              "free some disk space");
}

Result<std::uint64_t> FreeSpace::free_bytes(const std::filesystem::path& folder) {
  struct statvfs info{};
  if (::statvfs(folder.c_str(), &info) != 0) {
    return fail(ErrorCode::kIo, "cannot inspect the disk of " + printable_path(folder) + ": " +
                                    std::generic_category().message(errno));
  }
  return static_cast<std::uint64_t>(info.f_bavail) * info.f_frsize;
}

}  // namespace beleg

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/manifest.h"

namespace beleg {

/// One file inside a zip archive (wheels and jars are zip archives).
struct ArchiveMember {
  std::string path;
  std::uint64_t bytes = 0;
};

/// Lists the files of a zip archive. Errors: kCorrupt when it is none; kLimit with more than
/// 100,000.
Result<std::vector<ArchiveMember>> list_archive(const std::filesystem::path& archive);

/// Unpacks one member to `target`, in constant memory, and reports its size and hash. Nothing of
/// the member's path is used for writing. Errors: kNotFound, kCorrupt for a damaged archive, kLimit
/// as soon as more than `max_bytes` come out, whatever the archive claims.
Result<ModelFile> unpack_member(const std::filesystem::path& archive, const std::string& member,
                                const std::filesystem::path& target, std::uint64_t max_bytes);

}  // namespace beleg

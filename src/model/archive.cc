#include "model/archive.h"

#include <zip.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "base/file.h"

namespace beleg {
namespace {

constexpr zip_int64_t kMaxMembers = 100'000;

struct ArchiveCloser {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
using ArchiveHandle = std::unique_ptr<zip_t, ArchiveCloser>;

struct MemberCloser {
  void operator()(zip_file_t* member) const { zip_fclose(member); }
};
using MemberHandle = std::unique_ptr<zip_file_t, MemberCloser>;

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

std::unexpected<Error> damaged(const std::filesystem::path& archive, std::string_view what) {
  return fail(ErrorCode::kCorrupt,
              "cannot unpack " + printable_path(archive) + ": " + std::string(what),
              "download it again");
}

Result<ArchiveHandle> open_archive(const std::filesystem::path& path) {
  int code = 0;
  ArchiveHandle archive(zip_open(path.c_str(), ZIP_RDONLY, &code));
  if (archive) return archive;
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  const std::string reason = zip_error_strerror(&error);
  zip_error_fini(&error);
  if (code == ZIP_ER_NOENT) {
    return fail(ErrorCode::kNotFound, "cannot open " + printable_path(path) + ": " + reason,
                "check the path");
  }
  return damaged(path, reason);
}

}  // namespace

Result<std::vector<ArchiveMember>> list_archive(const std::filesystem::path& archive) {
  const ArchiveHandle handle = TRY(open_archive(archive));
  const zip_int64_t count = zip_get_num_entries(handle.get(), 0);
  if (count > kMaxMembers) {
    return fail(ErrorCode::kLimit, printable_path(archive) + " has more than 100,000 members",
                "give an archive with the model's files only");
  }
  std::vector<ArchiveMember> members;
  for (zip_uint64_t i = 0; i < static_cast<zip_uint64_t>(count); ++i) {
    zip_stat_t info;
    if (zip_stat_index(handle.get(), i, 0, &info) != 0 || (info.valid & ZIP_STAT_NAME) == 0) {
      return damaged(archive, zip_strerror(handle.get()));
    }
    std::string path = info.name;
    if (path.ends_with('/')) continue;
    members.push_back({std::move(path), (info.valid & ZIP_STAT_SIZE) != 0 ? info.size : 0});
  }
  return members;
}

Result<ModelFile> unpack_member(const std::filesystem::path& archive, const std::string& member,
                                const std::filesystem::path& target, std::uint64_t max_bytes) {
  const ArchiveHandle handle = TRY(open_archive(archive));
  const zip_int64_t index = zip_name_locate(handle.get(), member.c_str(), ZIP_FL_ENC_RAW);
  if (index < 0) {
    return fail(ErrorCode::kNotFound, printable_path(archive) + " has no member " + member,
                "give an archive that has it");
  }
  const MemberHandle source(zip_fopen_index(handle.get(), static_cast<zip_uint64_t>(index), 0));
  if (!source) return damaged(archive, member + ": " + zip_strerror(handle.get()));
  std::unique_ptr<std::FILE, FileCloser> file(std::fopen(target.c_str(), "wbe"));
  if (!file) {
    return fail(ErrorCode::kIo,
                "cannot create " + printable_path(target) + ": " + std::strerror(errno),
                "check the permissions of the models folder");
  }
  Sha256Hasher hasher;
  ModelFile result;
  result.member = member;
  std::vector<char> buffer(1U << 18U);
  while (true) {
    const zip_int64_t n = zip_fread(source.get(), buffer.data(), buffer.size());
    if (n < 0) return damaged(archive, member + ": " + zip_file_strerror(source.get()));
    if (n == 0) break;
    const auto size = static_cast<std::size_t>(n);
    result.bytes += size;
    if (result.bytes > max_bytes) {
      return fail(ErrorCode::kLimit,
                  member + " in " + printable_path(archive) + " is larger than " +
                      std::to_string(max_bytes) + " bytes",
                  "check where the archive comes from");
    }
    if (std::fwrite(buffer.data(), 1, size, file.get()) != size) {
      return fail(ErrorCode::kIo,
                  "cannot write " + printable_path(target) + ": " + std::strerror(errno),
                  "free some disk space and run the command again");
    }
    hasher.update({buffer.data(), size});
  }
  if (std::fclose(file.release()) != 0) {
    return fail(ErrorCode::kIo,
                "cannot write " + printable_path(target) + ": " + std::strerror(errno),
                "free some disk space and run the command again");
  }
  result.sha256 = hasher.finish().hex();
  return result;
}

}  // namespace beleg

#include "ingest/backup_container.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <system_error>

#include "base/clock.h"
#include "base/file.h"

namespace beleg {
namespace {

using Json = nlohmann::json;

static_assert(std::endian::native == std::endian::little,
              "the header is written as it is; a big-endian machine needs byte swaps here");

constexpr std::array<char, 8> kMagic = {'B', 'E', 'L', 'E', 'G', 'B', 'A', 'K'};
constexpr std::uint64_t kAlignment = 64;
constexpr std::uint64_t kMaxManifestBytes = std::uint64_t{1} << 20U;
constexpr std::size_t kCopyBytes = std::size_t{1} << 20U;

struct Header {
  std::array<char, 8> magic = kMagic;
  std::uint32_t format = kBackupFormat;
  std::uint32_t reserved = 0;
  std::uint64_t manifest_offset = 0;
  std::uint64_t manifest_size = 0;
  std::array<std::uint8_t, 32> manifest_hash{};
};
static_assert(sizeof(Header) == kAlignment);

std::unexpected<Error> io_failure(std::string_view action, const std::filesystem::path& path) {
  const int number = errno;
  return fail(ErrorCode::kIo,
              "cannot " + std::string(action) + " " + printable_path(path) +
                  (number != 0 ? ": " + std::generic_category().message(number) : std::string()),
              "check the free disk space and the permissions");
}

std::unexpected<Error> damaged(const std::filesystem::path& path, const std::string& what) {
  return fail(ErrorCode::kCorrupt, printable_path(path) + ": " + what,
              "use another backup; nothing was changed");
}

Json to_json(const BackupManifest& manifest) {
  Json parts = Json::array();
  for (const BackupPart& part : manifest.parts) {
    parts.push_back({{"name", part.name},
                     {"offset", part.offset},
                     {"size", part.size},
                     {"sha256", part.hash.hex()}});
  }
  return {{"format", kBackupFormat},
          {"corpus", manifest.corpus},
          {"generation", static_cast<std::int64_t>(manifest.generation)},
          {"created_at", manifest.created_at},
          {"documents", manifest.documents},
          {"passages", manifest.passages},
          {"missing_embeddings", manifest.missing_embeddings},
          {"parts", std::move(parts)}};
}

Result<BackupManifest> manifest_from(const std::string& text, const std::filesystem::path& path) {
  try {
    const Json json = Json::parse(text);
    BackupManifest manifest;
    manifest.corpus = json.at("corpus").get<std::string>();
    manifest.generation = Generation{json.at("generation").get<std::int64_t>()};
    manifest.created_at = json.at("created_at").get<std::int64_t>();
    manifest.documents = json.at("documents").get<std::int64_t>();
    manifest.passages = json.at("passages").get<std::int64_t>();
    manifest.missing_embeddings = json.at("missing_embeddings").get<std::int64_t>();
    for (const Json& part : json.at("parts")) {
      manifest.parts.push_back(
          {.name = part.at("name").get<std::string>(),
           .offset = part.at("offset").get<std::uint64_t>(),
           .size = part.at("size").get<std::uint64_t>(),
           .hash = TRY(Sha256::from_hex(part.at("sha256").get<std::string>()))});
    }
    return manifest;
  } catch (const nlohmann::json::exception&) {
    return damaged(path, "the manifest does not have the form of one");
  }
}

/// Passes `size` bytes from the current place of `from` to `take`, hashing them.
Result<Sha256> pump(std::ifstream& from, std::uint64_t size, const std::filesystem::path& path,
                    const std::function<Result<void>(std::string_view)>& take) {
  std::vector<char> buffer(kCopyBytes);
  Sha256Hasher hasher;
  while (size > 0) {
    const auto want = static_cast<std::streamsize>(std::min<std::uint64_t>(size, buffer.size()));
    errno = 0;
    if (!from.read(buffer.data(), want)) return io_failure("read", path);
    const std::string_view bytes(buffer.data(), static_cast<std::size_t>(want));
    hasher.update(bytes);
    TRY(take(bytes));
    size -= static_cast<std::uint64_t>(want);
  }
  return hasher.finish();
}

/// The backup while it is written.
class Output {
 public:
  explicit Output(std::filesystem::path path)
      : path_(std::move(path)), stream_(path_, std::ios::binary | std::ios::trunc) {}

  Result<void> write(std::string_view bytes) {
    errno = 0;
    if (!stream_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()))) {
      return io_failure("write", path_);
    }
    at_ += bytes.size();
    return {};
  }
  Result<void> align() {
    static const std::string kZeros(kAlignment, '\0');
    return write(std::string_view(kZeros).substr(0, (kAlignment - at_ % kAlignment) % kAlignment));
  }
  Result<void> write_header(const Header& header) {
    stream_.seekp(0);
    return write({reinterpret_cast<const char*>(&header), sizeof header});
  }
  Result<void> close() {
    errno = 0;
    stream_.close();
    if (!stream_) return io_failure("write", path_);
    return sync_file(path_);
  }
  [[nodiscard]] std::uint64_t at() const { return at_; }

 private:
  std::filesystem::path path_;
  std::ofstream stream_;
  std::uint64_t at_ = 0;
};

Result<BackupPart> write_part(Output& output, const std::string& name,
                              const std::filesystem::path& path) {
  TRY(output.align());
  std::error_code status;
  BackupPart part{.name = name, .offset = output.at(), .hash = {}};
  part.size = std::filesystem::file_size(path, status);
  std::ifstream file(path, std::ios::binary);
  if (status || !file) return io_failure("read", path);
  part.hash =
      TRY(pump(file, part.size, path, [&](std::string_view bytes) { return output.write(bytes); }));
  return part;
}

Result<void> write_all(const std::filesystem::path& file, BackupManifest& manifest,
                       const std::vector<std::pair<std::string, std::filesystem::path>>& files) {
  Output output(file);
  TRY(output.write(std::string(sizeof(Header), '\0')));
  for (const auto& [name, path] : files) {
    manifest.parts.push_back(TRY(write_part(output, name, path)));
  }
  TRY(output.align());
  const std::string text = to_json(manifest).dump(1);
  Header header;
  header.manifest_offset = output.at();
  header.manifest_size = text.size();
  header.manifest_hash = sha256(text).bytes;
  TRY(output.write(text));
  // Last: a file without a header is no backup.
  TRY(output.write_header(header));
  return output.close();
}

}  // namespace

Result<BackupManifest> write_backup(
    const std::filesystem::path& temporary, const std::filesystem::path& target,
    BackupManifest manifest,
    const std::vector<std::pair<std::string, std::filesystem::path>>& files) {
  std::error_code status;
  auto written = write_all(temporary, manifest, files);
  if (written) {
    std::filesystem::rename(temporary, target, status);
    if (status) {
      errno = status.value();
      written = io_failure("rename", temporary);
    }
  }
  if (!written) {
    std::filesystem::remove(temporary, status);
    return std::unexpected(std::move(written.error()));
  }
  TRY(sync_directory(target.has_parent_path() ? target.parent_path() : "."));
  return manifest;
}

bool begins_like_backup(const std::filesystem::path& path) {
  std::error_code status;
  if (std::filesystem::symlink_status(path, status).type() != std::filesystem::file_type::regular) {
    return false;
  }
  std::array<char, 8> magic{};
  std::ifstream(path, std::ios::binary).read(magic.data(), magic.size());
  return magic == kMagic;
}

Result<BackupReader> BackupReader::open(const std::filesystem::path& path) {
  std::error_code status;
  const std::uint64_t file_size = std::filesystem::file_size(path, status);
  if (status) {
    return fail(ErrorCode::kNotFound,
                "cannot open " + printable_path(path) + ": " + status.message(), "check the path");
  }
  std::ifstream file(path, std::ios::binary);
  Header header;
  if (!file || file_size < sizeof header ||
      !file.read(reinterpret_cast<char*>(&header), sizeof header) || header.magic != kMagic) {
    return damaged(path, "not a backup of Beleg, or its header is damaged");
  }
  if (header.format != kBackupFormat) {
    return fail(ErrorCode::kUnsupported,
                printable_path(path) + " has format " + std::to_string(header.format) +
                    "; this Beleg reads format " + std::to_string(kBackupFormat),
                "update Beleg");
  }
  if (header.manifest_size > kMaxManifestBytes || header.manifest_offset > file_size ||
      header.manifest_size > file_size - header.manifest_offset) {
    return damaged(path, "the manifest is missing: the file is cut off, or its header is damaged");
  }
  if (header.manifest_offset + header.manifest_size != file_size) {
    return damaged(path, "bytes follow the manifest that no backup has written");
  }
  std::string text(header.manifest_size, '\0');
  file.seekg(static_cast<std::streamoff>(header.manifest_offset));
  if (!file.read(text.data(), static_cast<std::streamsize>(text.size()))) {
    return io_failure("read", path);
  }
  if (sha256(text).bytes != header.manifest_hash) {
    return damaged(path, "the manifest is damaged: it does not have its checksum");
  }
  BackupReader reader;
  reader.path_ = path;
  reader.manifest_ = TRY(manifest_from(text, path));
  for (const BackupPart& part : reader.manifest_.parts) {
    if (part.offset > file_size || part.size > file_size - part.offset) {
      return damaged(path, "the part " + part.name + " is cut off");
    }
  }
  return reader;
}

Result<void> BackupReader::verify() const {
  std::ifstream file(path_, std::ios::binary);
  if (!file) return io_failure("open", path_);
  for (const BackupPart& part : manifest_.parts) {
    file.seekg(static_cast<std::streamoff>(part.offset));
    const Sha256 hash =
        TRY(pump(file, part.size, path_, [](std::string_view) { return Result<void>(); }));
    if (hash != part.hash) {
      return damaged(path_, "the part " + part.name + " is damaged: it does not have its checksum");
    }
  }
  return {};
}

Result<void> BackupReader::extract(const std::string& name,
                                   const std::filesystem::path& target) const {
  const auto part = std::ranges::find(manifest_.parts, name, &BackupPart::name);
  if (part == manifest_.parts.end()) return damaged(path_, "the part " + name + " is missing");
  std::ifstream file(path_, std::ios::binary);
  if (!file) return io_failure("open", path_);
  file.seekg(static_cast<std::streamoff>(part->offset));
  Output output(target);
  const Sha256 hash = TRY(
      pump(file, part->size, path_, [&](std::string_view bytes) { return output.write(bytes); }));
  TRY(output.close());
  if (hash == part->hash) return {};
  return damaged(path_, "the part " + name + " is damaged: it does not have its checksum");
}

}  // namespace beleg

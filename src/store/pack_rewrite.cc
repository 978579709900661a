#include "store/pack_rewrite.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <span>
#include <system_error>
#include <vector>

#include "base/file.h"
#include "store/pack_directory.h"
#include "store/pack_file.h"
#include "store/pack_format.h"

namespace beleg {
namespace {

/// Filler records are this large at most, so that the checksum of their zeros is quickly made.
constexpr std::uint32_t kMaxFillerPayload = std::uint32_t{1} << 20U;

struct FoundRecord {
  PackRecord record;
  std::uint64_t payload = 0;  ///< Offset in the file.
};

/// The new file with its directory, under names of their own until both are whole.
class NewPack {
 public:
  static Result<NewPack> create(const std::filesystem::path& beside) {
    std::filesystem::path path = beside;
    path.replace_extension("new.pack");
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
    std::filesystem::remove(directory_of(path), ignored);
    NewPack pack(TRY(PackFile::open(path, true)), path);
    TRY(pack.file_.write_at(0, encode_file_header(PackFileKind::kPack, pack.identity_), {}, {}));
    return pack;
  }

  /// Appends a record at the offset it had, behind fillers.
  Result<void> add(const PackRecord& record, std::uint64_t offset,
                   std::span<const std::byte> payload) {
    TRY(fill_up_to(offset));
    static constexpr std::array<std::byte, kPackAlignment> kZeros{};
    const std::size_t padding = pack_record_bytes(record.size) - kPackHeaderBytes - record.size;
    TRY(file_.write_at(offset, encode_record_header(record, offset), payload,
                       std::span(kZeros).first(padding)));
    directory_.add(record, offset);
    end_ = offset + pack_record_bytes(record.size);
    return {};
  }

  Result<void> finish() {
    TRY(file_.sync());
    directory_.write();
    return {};
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  static std::filesystem::path directory_of(std::filesystem::path pack) {
    return pack.replace_extension("idx");
  }

 private:
  NewPack(PackFile file, std::filesystem::path path)
      : file_(std::move(file)), path_(std::move(path)), directory_(path_, identity_) {}

  Result<void> fill_up_to(std::uint64_t offset) {
    static const std::vector<std::byte> kZeros(kMaxFillerPayload);
    while (end_ < offset) {
      const std::uint64_t room = offset - end_ - kPackHeaderBytes;
      PackRecord filler;
      filler.size = static_cast<std::uint32_t>(std::min<std::uint64_t>(room, kMaxFillerPayload));
      filler.checksum = checksum64(std::span(kZeros).first(filler.size));
      // The zeros themselves are a hole in the file.
      TRY(file_.write_at(end_, encode_record_header(filler, end_), {}, {}));
      directory_.add(filler, end_);
      end_ += pack_record_bytes(filler.size);
    }
    return {};
  }

  PackFile file_;
  std::filesystem::path path_;
  PackIdentity identity_ = new_pack_identity();
  PackDirectory directory_;
  std::uint64_t end_ = kPackHeaderBytes;
};

Result<void> rename_over(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::error_code status;
  std::filesystem::rename(from, to, status);
  if (!status) return {};
  return fail(ErrorCode::kIo, "cannot rename " + printable_path(from) + ": " + status.message(),
              "check the disk and run the command again");
}

Result<void> put_in_place(const NewPack& pack, const std::filesystem::path& file) {
  TRY(rename_over(pack.path(), file));
  const std::filesystem::path old_directory = NewPack::directory_of(file);
  const std::filesystem::path new_directory = NewPack::directory_of(pack.path());
  // The old one holds the keys of what is gone. Nothing depends on there being one.
  std::error_code status;
  std::filesystem::remove(old_directory, status);
  if (std::filesystem::exists(new_directory, status)) {
    TRY(rename_over(new_directory, old_directory));
  }
  return sync_directory(file.has_parent_path() ? file.parent_path() : ".");
}

}  // namespace

Result<PackRewrite> rewrite_pack(const std::filesystem::path& file,
                                 const std::function<bool(const Sha256&)>& keep) {
  std::error_code status;
  if (!std::filesystem::exists(file, status) && !status) return PackRewrite{};
  PackFile old = TRY(PackFile::open(file, true));
  TRY(old.lock_for_writing());
  PackRewrite rewrite;
  std::map<Sha256, std::uint64_t> last;  // Of two records of a key the later one counts.
  std::vector<FoundRecord> found;
  TRY(scan_pack(old, kPackHeaderBytes, [&](const PackRecord& record, std::uint64_t payload) {
    if (record.key == kFillerKey) return;
    if (!keep(record.key)) {
      ++rewrite.dropped;
      return;
    }
    last[record.key] = payload;
    found.push_back({record, payload});
  }));

  NewPack pack = TRY(NewPack::create(file));
  std::vector<std::byte> payload;
  for (const FoundRecord& one : found) {
    if (last[one.record.key] != one.payload) {
      ++rewrite.dropped;
      continue;
    }
    payload.resize(one.record.size);
    if (TRY(old.read_at(one.payload, payload)) != payload.size() ||
        checksum64(payload) != one.record.checksum) {
      std::filesystem::remove(pack.path(), status);
      return fail(ErrorCode::kCorrupt,
                  printable_path(file) + ": the record at offset " + std::to_string(one.payload) +
                      " is damaged",
                  "ingest again, which encodes its text anew");
    }
    TRY(pack.add(one.record, one.payload - kPackHeaderBytes, payload));
    ++rewrite.kept;
  }
  TRY(pack.finish());
  TRY(put_in_place(pack, file));
  return rewrite;
}

}  // namespace beleg

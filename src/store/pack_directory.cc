#include "store/pack_directory.h"

#include <algorithm>
#include <array>
#include <span>
#include <system_error>
#include <utility>

#include "base/file.h"

namespace beleg {
namespace {

/// At most the first `limit` bytes; none when the file cannot be read, which is as good as not
/// having one.
std::vector<std::byte> read_start(const std::filesystem::path& path, std::uint64_t limit) {
  const auto file = PackFile::open(path, false);
  if (!file) return {};
  const auto size = file->size();
  if (!size) return {};
  std::vector<std::byte> bytes(std::min(*size, limit));
  const auto read = file->read_at(0, bytes);
  bytes.resize(read.value_or(0));
  return bytes;
}

}  // namespace

PackDirectory::PackDirectory(std::filesystem::path pack, const PackIdentity& identity)
    : path_(std::move(pack.replace_extension("idx"))), identity_(identity) {}

std::uint64_t PackDirectory::load(const PackFile& pack, const PackVisitor& found) {
  const auto pack_size = pack.size();
  if (!pack_size) return next_;
  // A record has no less bytes in the pack than in the directory.
  const std::vector<std::byte> file = read_start(path_, *pack_size);
  const std::span<const std::byte> bytes(file);
  const PackHeader expected = encode_file_header(PackFileKind::kDirectory, identity_);
  if (bytes.size() < kPackHeaderBytes ||
      !std::ranges::equal(bytes.first(kPackHeaderBytes), expected)) {
    return next_;
  }
  std::vector<std::pair<PackRecord, std::uint64_t>> records;
  records.reserve(bytes.size() / kPackHeaderBytes - 1);
  std::uint64_t end = next_;
  std::span<const std::byte> last;
  for (std::size_t at = kPackHeaderBytes; at + kPackHeaderBytes <= bytes.size();
       at += kPackHeaderBytes) {
    const std::span<const std::byte> entry = bytes.subspan(at, kPackHeaderBytes);
    const auto record = decode_record_header(entry.first<kPackHeaderBytes>(), end);
    if (!record || end + pack_record_bytes(record->size) > *pack_size) break;
    records.emplace_back(*record, end + kPackHeaderBytes);
    end += pack_record_bytes(record->size);
    last = entry;
  }
  if (records.empty()) return next_;
  // A pack that was put back from a backup and appended to since differs at its end, if anywhere.
  PackHeader in_pack{};
  const auto read = pack.read_at(records.back().second - kPackHeaderBytes, in_pack);
  if (!read || !std::ranges::equal(last, in_pack)) return next_;
  for (const auto& [record, payload] : records) found(record, payload);
  written_ = records.size();
  next_ = end;
  return next_;
}

Result<void> PackDirectory::cut() const {
  std::error_code status;
  const std::uint64_t size = std::filesystem::file_size(path_, status);
  if (status || size == bytes()) return {};
  PackFile file = TRY(PackFile::open(path_, true));
  return file.truncate(written_ == 0 ? 0 : bytes());
}

void PackDirectory::add(const PackRecord& record, std::uint64_t offset) {
  if (offset != next_) return;
  added_.push_back(encode_record_header(record, offset));
  next_ += pack_record_bytes(record.size);
}

void PackDirectory::write() {
  if (added_.empty()) return;
  // Failures (disk full) are left for the next time: nothing depends on this file.
  auto file = PackFile::open(path_, true);
  if (!file) return;
  if (written_ == 0) {
    const PackHeader header = encode_file_header(PackFileKind::kDirectory, identity_);
    if (!file->write_at(0, header, {}, {})) return;
  }
  if (!file->write_at(bytes(), std::as_bytes(std::span(added_)), {}, {})) return;
  written_ += added_.size();
  added_.clear();
}

}  // namespace beleg

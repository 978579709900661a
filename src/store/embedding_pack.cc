#include "store/embedding_pack.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/file.h"
#include "store/pack_directory.h"
#include "store/pack_file.h"
#include "store/pack_format.h"
#include "store/pack_index.h"

namespace beleg {
namespace {

class FileEmbeddingPack final : public EmbeddingPack {
 public:
  FileEmbeddingPack(PackFile file, bool writable) : file_(std::move(file)), writable_(writable) {}

  /// Finds the records; a writer also makes the header and cuts off a torn tail.
  Result<void> load();

  [[nodiscard]] std::optional<PackLocation> find(const Sha256& key) const override {
    const PackLocation* where = index_.find(key);
    return where == nullptr ? std::nullopt : std::optional(*where);
  }
  [[nodiscard]] std::size_t size() const override { return index_.entries().size(); }
  [[nodiscard]] std::uint64_t unreadable_bytes() const override { return unreadable_; }

  [[nodiscard]] Result<std::span<const std::byte>> payload(PackLocation where) const override;
  Result<PackLocation> append(const Sha256& key, std::span<const std::byte> payload) override;
  Result<void> sync() override;
  [[nodiscard]] Result<std::vector<Sha256>> damaged() const override;

 private:
  enum class FileHeader : std::uint8_t { kGood, kUnfinished, kDamaged };
  Result<FileHeader> read_file_header();
  Result<void> write_file_header();
  Result<void> prepare_writing(FileHeader header);

  PackFile file_;
  bool writable_;
  PackIdentity identity_;
  std::optional<PackDirectory> directory_;  // Empty where the file header does not say whose.
  PackIndex index_;
  std::uint64_t end_ = 0;
  std::uint64_t flushed_ = 0;  // Up to where the last flush, or an earlier process, left the file.
  std::uint64_t unreadable_ = 0;
};

/// kUnfinished: a creation that was interrupted left less than a header.
Result<FileEmbeddingPack::FileHeader> FileEmbeddingPack::read_file_header() {
  PackHeader bytes{};
  const std::size_t size = TRY(file_.read_at(0, bytes));
  if (size < bytes.size()) {
    const PackHeader any = encode_file_header(PackFileKind::kPack, identity_);
    const std::size_t fixed = std::min(size, kPackFixedBytes);
    const bool ours =
        std::ranges::equal(std::span(bytes).first(fixed), std::span(any).first(fixed));
    return ours ? FileHeader::kUnfinished : FileHeader::kDamaged;
  }
  // A power loss may leave the length, but not yet the bytes.
  if (bytes == PackHeader{} && TRY(file_.size()) == bytes.size()) return FileHeader::kUnfinished;
  const auto identity = decode_file_header(PackFileKind::kPack, bytes);
  if (!identity) return FileHeader::kDamaged;
  if (identity->version > kPackVersion) {
    return fail(ErrorCode::kUnsupported,
                printable_path(file_.path()) + " has format " + std::to_string(identity->version) +
                    ", written by a newer Beleg; this one reads up to format " +
                    std::to_string(kPackVersion),
                "update Beleg");
  }
  identity_ = *identity;
  return identity_.version == kPackVersion ? FileHeader::kGood : FileHeader::kDamaged;
}

Result<void> FileEmbeddingPack::write_file_header() {
  identity_ = new_pack_identity();
  const PackHeader header = encode_file_header(PackFileKind::kPack, identity_);
  TRY(file_.write_at(0, header, {}, {}));
  if (auto flushed = file_.sync(); !flushed) {
    // As in sync(): the next writer must not take it for a header that is safe.
    static_cast<void>(file_.truncate(0));
    return flushed;
  }
  const std::filesystem::path& path = file_.path();
  return sync_directory(path.has_parent_path() ? path.parent_path() : ".");
}

Result<void> FileEmbeddingPack::load() {
  const FileHeader header = TRY(read_file_header());
  const PackVisitor keep = [&](const PackRecord& record, std::uint64_t payload) {
    if (record.key == kFillerKey) return;
    index_.put(record.key, {payload, record.size});  // Of two of a key the later one is good.
  };
  std::uint64_t start = kPackHeaderBytes;
  if (header == FileHeader::kGood) {
    directory_.emplace(file_.path(), identity_);
    start = directory_->load(file_, keep);
  }
  const PackScan scan =
      TRY(scan_pack(file_, start, [&](const PackRecord& record, std::uint64_t payload) {
        keep(record, payload);
        if (writable_ && directory_) directory_->add(record, payload - kPackHeaderBytes);
      }));
  end_ = flushed_ = scan.end;
  unreadable_ = scan.unreadable;
  if (header == FileHeader::kDamaged) {
    // Good records behind a damaged header are a damaged pack; anything else is no pack at all, and
    // a writer must not touch it.
    if (index_.entries().empty()) {
      return fail(ErrorCode::kCorrupt, printable_path(file_.path()) + " is not an embedding pack",
                  "restore it from a backup, or move it away and ingest again");
    }
    unreadable_ += kPackHeaderBytes;
  }
  if (header == FileHeader::kUnfinished && !writable_) return {};
  if (writable_) TRY(prepare_writing(header));
  return file_.map(end_, writable_);
}

/// Makes the file such that the next record belongs at end_.
Result<void> FileEmbeddingPack::prepare_writing(FileHeader header) {
  if (header != FileHeader::kGood) TRY(write_file_header());
  if (!directory_) directory_.emplace(file_.path(), identity_);
  TRY(directory_->cut());
  if (TRY(file_.size()) > end_) TRY(file_.truncate(end_));
  return {};
}

Result<std::span<const std::byte>> FileEmbeddingPack::payload(PackLocation where) const {
  if (where.offset < 2 * kPackHeaderBytes || where.offset % kPackAlignment != 0 ||
      where.offset > end_ || where.size > end_ - where.offset) {
    return fail(
        ErrorCode::kInvalidArgument,
        printable_path(file_.path()) + ": no record at offset " + std::to_string(where.offset),
        "find the key again");
  }
  const std::uint64_t header = where.offset - kPackHeaderBytes;
  const auto record = decode_record_header(
      file_.bytes_at(header, kPackHeaderBytes).first<kPackHeaderBytes>(), header);
  const std::span<const std::byte> bytes = file_.bytes_at(where.offset, where.size);
  if (!record || record->size != where.size || record->checksum != checksum64(bytes)) {
    return fail(ErrorCode::kCorrupt,
                printable_path(file_.path()) + ": the record at offset " +
                    std::to_string(where.offset) + " is damaged",
                "ingest again, which encodes its text anew");
  }
  return bytes;
}

Result<PackLocation> FileEmbeddingPack::append(const Sha256& key,
                                               std::span<const std::byte> payload_bytes) {
  if (!writable_) {
    return fail(ErrorCode::kInternal,
                printable_path(file_.path()) + " is open for reading; a record was to be appended");
  }
  // A damaged record is written anew: the later one of a key counts.
  if (const PackLocation* known = index_.find(key); known != nullptr && payload(*known)) {
    return *known;
  }
  if (payload_bytes.size() > kPackMaxPayload) {
    return fail(ErrorCode::kLimit,
                printable_path(file_.path()) + ": a record of " +
                    std::to_string(payload_bytes.size()) + " bytes; the limit is " +
                    std::to_string(kPackMaxPayload),
                "use smaller passages");
  }
  static constexpr std::array<std::byte, kPackAlignment> kZeros{};
  const auto size = static_cast<std::uint32_t>(payload_bytes.size());
  const std::uint64_t end = end_ + pack_record_bytes(size);
  TRY(file_.map(end, true));
  const PackRecord record{key, size, checksum64(payload_bytes)};
  const PackHeader header = encode_record_header(record, end_);
  const std::size_t padding = end - end_ - kPackHeaderBytes - size;
  if (auto written = file_.write_at(end_, header, payload_bytes, std::span(kZeros).first(padding));
      !written) {
    // If this fails too, a torn tail is left: the next record overwrites it, readers skip it.
    static_cast<void>(file_.truncate(end_));
    return std::unexpected(std::move(written.error()));
  }
  if (directory_) directory_->add(record, end_);
  const PackLocation where{end_ + kPackHeaderBytes, size};
  end_ = end;
  index_.put(key, where);
  return where;
}

Result<void> FileEmbeddingPack::sync() {
  if (!writable_) return {};
  if (auto flushed = file_.sync(); !flushed) {
    // Linux takes pages for clean whose flush failed: a second flush would succeed without writing
    // them, and records that can still be read would be gone after a power loss. So they go now.
    static_cast<void>(file_.truncate(flushed_));
    end_ = flushed_;
    return flushed;
  }
  flushed_ = end_;
  if (directory_) directory_->write();
  return {};
}

Result<std::vector<Sha256>> FileEmbeddingPack::damaged() const {
  std::vector<Sha256> keys;
  for (const PackIndex::Entry& entry : index_.entries()) {
    if (!payload(entry.where)) keys.push_back(entry.key);
  }
  return keys;
}

Result<std::unique_ptr<EmbeddingPack>> open_pack(const std::filesystem::path& path, bool writable) {
  PackFile file = TRY(PackFile::open(path, writable));
  if (writable) TRY(file.lock_for_writing());
  auto pack = std::make_unique<FileEmbeddingPack>(std::move(file), writable);
  TRY(pack->load());
  return pack;
}

}  // namespace

Result<std::unique_ptr<EmbeddingPack>> EmbeddingPack::open_reader(
    const std::filesystem::path& file) {
  return open_pack(file, false);
}

Result<std::unique_ptr<EmbeddingPack>> EmbeddingPack::open_writer(
    const std::filesystem::path& file) {
  return open_pack(file, true);
}

}  // namespace beleg

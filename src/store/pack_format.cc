#include "store/pack_format.h"

#include <bit>
#include <cstring>
#include <random>

namespace beleg {
namespace {

static_assert(std::endian::native == std::endian::little,
              "the pack is read in place; a big-endian machine needs byte swaps here");

constexpr char kPackMagic[8] = {'B', 'E', 'L', 'E', 'G', 'P', 'A', 'K'};
constexpr char kDirectoryMagic[8] = {'B', 'E', 'L', 'E', 'G', 'I', 'D', 'X'};
constexpr std::size_t kMagicBytes = 8;
constexpr char kRecordMagic[4] = {'B', 'R', 'E', 'C'};

// Offsets of the fields in a header.
constexpr std::size_t kFileVersionAt = 8;
constexpr std::size_t kFileAlignmentAt = 12;
constexpr std::size_t kFileIdAt = 16;
constexpr std::size_t kRecordVersionAt = 4;
constexpr std::size_t kRecordKeyAt = 8;
constexpr std::size_t kRecordSizeAt = 40;
constexpr std::size_t kRecordPayloadChecksumAt = 48;
constexpr std::size_t kHeaderChecksumAt = 56;

const char* magic_of(PackFileKind kind) {
  return kind == PackFileKind::kPack ? kPackMagic : kDirectoryMagic;
}

template <class Number>
void put(PackHeader& header, std::size_t at, Number value) {
  std::memcpy(header.data() + at, &value, sizeof value);
}

template <class Number>
Number get(std::span<const std::byte, kPackHeaderBytes> header, std::size_t at) {
  Number value{};
  std::memcpy(&value, header.data() + at, sizeof value);
  return value;
}

/// Over the first 56 bytes and the place of the header.
std::uint64_t header_checksum(std::span<const std::byte, kPackHeaderBytes> header,
                              std::uint64_t offset) {
  PackHeader hashed;
  std::memcpy(hashed.data(), header.data(), kHeaderChecksumAt);
  put(hashed, kHeaderChecksumAt, offset);
  return checksum64(hashed);
}

}  // namespace

PackIdentity new_pack_identity() {
  PackIdentity identity;
  std::random_device random;
  for (std::size_t i = 0; i < identity.id.size(); i += sizeof(unsigned)) {
    const unsigned word = random();
    std::memcpy(identity.id.data() + i, &word, sizeof word);
  }
  return identity;
}

PackHeader encode_file_header(PackFileKind kind, const PackIdentity& identity) {
  PackHeader header{};
  std::memcpy(header.data(), magic_of(kind), kMagicBytes);
  put(header, kFileVersionAt, identity.version);
  put(header, kFileAlignmentAt, static_cast<std::uint32_t>(kPackAlignment));
  std::memcpy(header.data() + kFileIdAt, identity.id.data(), identity.id.size());
  put(header, kHeaderChecksumAt, header_checksum(header, 0));
  return header;
}

std::optional<PackIdentity> decode_file_header(PackFileKind kind,
                                               std::span<const std::byte, kPackHeaderBytes> bytes) {
  if (std::memcmp(bytes.data(), magic_of(kind), kMagicBytes) != 0) return std::nullopt;
  if (get<std::uint64_t>(bytes, kHeaderChecksumAt) != header_checksum(bytes, 0)) {
    return std::nullopt;
  }
  PackIdentity identity;
  identity.version = get<std::uint32_t>(bytes, kFileVersionAt);
  std::memcpy(identity.id.data(), bytes.data() + kFileIdAt, identity.id.size());
  return identity;
}

PackHeader encode_record_header(const PackRecord& record, std::uint64_t offset) {
  PackHeader header{};
  std::memcpy(header.data(), kRecordMagic, sizeof kRecordMagic);
  put(header, kRecordVersionAt, kPackVersion);
  std::memcpy(header.data() + kRecordKeyAt, record.key.bytes.data(), record.key.bytes.size());
  put(header, kRecordSizeAt, record.size);
  put(header, kRecordPayloadChecksumAt, record.checksum);
  put(header, kHeaderChecksumAt, header_checksum(header, offset));
  return header;
}

std::optional<PackRecord> decode_record_header(std::span<const std::byte, kPackHeaderBytes> bytes,
                                               std::uint64_t offset) {
  if (std::memcmp(bytes.data(), kRecordMagic, sizeof kRecordMagic) != 0) return std::nullopt;
  if (get<std::uint32_t>(bytes, kRecordVersionAt) != kPackVersion) return std::nullopt;
  if (get<std::uint64_t>(bytes, kHeaderChecksumAt) != header_checksum(bytes, offset)) {
    return std::nullopt;
  }
  PackRecord record;
  std::memcpy(record.key.bytes.data(), bytes.data() + kRecordKeyAt, record.key.bytes.size());
  record.size = get<std::uint32_t>(bytes, kRecordSizeAt);
  record.checksum = get<std::uint64_t>(bytes, kRecordPayloadChecksumAt);
  if (record.size > kPackMaxPayload) return std::nullopt;
  return record;
}

}  // namespace beleg

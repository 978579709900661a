#include "index/section_file.h"

#include <array>
#include <bit>
#include <cstring>
#include <fstream>
#include <limits>

#include "base/hash.h"

namespace beleg {
namespace {

static_assert(std::endian::native == std::endian::little,
              "the derived files are little-endian and used in place");

constexpr std::uint64_t kAlignment = 64;
constexpr std::uint32_t kMaxSections = 4096;

std::uint64_t align_up(std::uint64_t offset) {
  return (offset + kAlignment - 1) / kAlignment * kAlignment;
}

std::uint64_t magic_number(std::string_view letters) {
  std::uint64_t number = 0;
  std::memcpy(&number, letters.data(), std::min<std::size_t>(letters.size(), sizeof number));
  return number;
}

/// Over the header without its last field, and the table.
std::uint64_t header_checksum(const SectionFileHeader& header,
                              std::span<const SectionEntry> table) {
  std::vector<std::byte> bytes(offsetof(SectionFileHeader, checksum) + table.size_bytes());
  std::memcpy(bytes.data(), &header, offsetof(SectionFileHeader, checksum));
  if (!table.empty()) {
    std::memcpy(bytes.data() + offsetof(SectionFileHeader, checksum), table.data(),
                table.size_bytes());
  }
  return checksum64(bytes);
}

}  // namespace

void SectionFileWriter::add(std::uint32_t kind, std::uint32_t part,
                            std::span<const std::byte> bytes) {
  Pending section;
  section.entry.kind = kind;
  section.entry.part = part;
  section.entry.size = bytes.size();
  section.entry.checksum = checksum64(bytes);
  section.bytes = bytes;
  pending_.push_back(section);
}

Result<void> SectionFileWriter::write(const std::filesystem::path& path) const {
  SectionFileHeader header;
  header.magic = magic_number(kind_.magic);
  header.version = kind_.version;
  header.sections = static_cast<std::uint32_t>(pending_.size());
  header.rows = identity_.rows;
  header.build = identity_.build;

  std::vector<SectionEntry> table;
  std::uint64_t offset = align_up(sizeof header + pending_.size() * sizeof(SectionEntry));
  for (const Pending& section : pending_) {
    table.push_back(section.entry);
    table.back().offset = offset;
    offset = align_up(offset + section.entry.size);
  }
  header.file_size = offset;
  header.checksum = header_checksum(header, table);

  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  const auto put = [&out](std::span<const std::byte> bytes) {
    static constexpr std::array<char, kAlignment> kZeros{};
    out.write(reinterpret_cast<const char*>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
    out.write(kZeros.data(), static_cast<std::streamsize>(align_up(bytes.size()) - bytes.size()));
  };
  std::vector<std::byte> head(sizeof header + table.size() * sizeof(SectionEntry));
  std::memcpy(head.data(), &header, sizeof header);
  if (!table.empty()) {
    std::memcpy(head.data() + sizeof header, table.data(), table.size() * sizeof(SectionEntry));
  }
  put(head);
  for (const Pending& section : pending_) put(section.bytes);
  out.close();
  if (!out) {
    return fail(ErrorCode::kIo, "cannot write " + printable_path(path),
                "check the free disk space and the permissions of the corpus folder");
  }
  return sync_file(path);
}

std::unexpected<Error> SectionFile::damaged(std::string_view why) const {
  return fail(ErrorCode::kCorrupt, printable_path(path_) + " is damaged: " + std::string(why),
              "rebuild the index from the corpus");
}

Result<SectionFile> SectionFile::open(const std::filesystem::path& path, SectionFileKind kind) {
  SectionFile opened;
  opened.path_ = path;
  opened.file_ = TRY(MappedFile::open(path));
  const std::span<const std::byte> bytes = opened.file_.bytes();
  SectionFileHeader header;
  if (bytes.size() < sizeof header) return opened.damaged("it is shorter than its header");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic != magic_number(kind.magic)) {
    return opened.damaged("it does not start with " + std::string(kind.magic));
  }
  if (header.version != kind.version) {
    return opened.damaged("its format version is " + std::to_string(header.version) +
                          ", this build reads " + std::to_string(kind.version));
  }
  if (header.file_size != bytes.size()) {
    return opened.damaged("it has " + std::to_string(bytes.size()) + " bytes, its header says " +
                          std::to_string(header.file_size));
  }
  if (header.sections > kMaxSections ||
      bytes.size() - sizeof header < header.sections * sizeof(SectionEntry)) {
    return opened.damaged("its section table does not fit");
  }
  opened.entries_.resize(header.sections);
  if (header.sections > 0) {
    std::memcpy(opened.entries_.data(), bytes.data() + sizeof header,
                header.sections * sizeof(SectionEntry));
  }
  if (header_checksum(header, opened.entries_) != header.checksum) {
    return opened.damaged("the checksum of its header is wrong");
  }
  for (const SectionEntry& entry : opened.entries_) {
    if (entry.offset % kAlignment != 0 || entry.offset > bytes.size() ||
        entry.size > bytes.size() - entry.offset) {
      return opened.damaged("a section lies outside the file");
    }
  }
  if (header.rows > std::numeric_limits<std::uint32_t>::max()) {
    return opened.damaged("it claims more rows than an index can have");
  }
  opened.identity_ = {header.rows, header.build};
  return opened;
}

bool SectionFile::has(std::uint32_t kind, std::uint32_t part) const {
  for (const SectionEntry& entry : entries_) {
    if (entry.kind == kind && entry.part == part) return true;
  }
  return false;
}

Result<std::span<const std::byte>> SectionFile::bytes(std::uint32_t kind,
                                                      std::uint32_t part) const {
  for (const SectionEntry& entry : entries_) {
    if (entry.kind == kind && entry.part == part) {
      return file_.bytes().subspan(entry.offset, entry.size);
    }
  }
  return damaged("section " + std::to_string(kind) + "." + std::to_string(part) + " is missing");
}

std::vector<std::string> SectionFile::verify() const {
  std::vector<std::string> findings;
  for (const SectionEntry& entry : entries_) {
    if (checksum64(file_.bytes().subspan(entry.offset, entry.size)) != entry.checksum) {
      findings.push_back(printable_path(path_) + ": the checksum of section " +
                         std::to_string(entry.kind) + "." + std::to_string(entry.part) +
                         " is wrong");
    }
  }
  return findings;
}

}  // namespace beleg

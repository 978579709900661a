#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/file.h"
#include "base/result.h"

namespace beleg {

/// What every derived file is made of: a header, a table of sections, the sections. See
/// docs/formats/rows.md, "Container". Little-endian; sections start at multiples of 64 bytes.
struct SectionFileHeader {
  std::uint64_t magic = 0;         ///< Eight ASCII letters.
  std::uint32_t version = 0;       ///< Of the format that `magic` names.
  std::uint32_t sections = 0;      ///< Entries of the table that follows the header.
  std::uint64_t file_size = 0;     ///< In bytes: a truncated file is recognised without reading it.
  std::uint64_t rows = 0;          ///< Of the index: the same in all its files.
  std::uint64_t build = 0;         ///< Checksum of the passage ids: the same in all its files.
  std::uint64_t reserved[2] = {};  ///< Zero.
  std::uint64_t checksum = 0;      ///< XXH3 of the header up to here and of the table.
};
static_assert(sizeof(SectionFileHeader) == 64);

struct SectionEntry {
  std::uint32_t kind = 0;
  std::uint32_t part = 0;  ///< Which part of the index, where it has several.
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint64_t checksum = 0;  ///< XXH3 of the section.
};
static_assert(sizeof(SectionEntry) == 32);

/// Identity of a kind of file.
struct SectionFileKind {
  std::string_view magic;  ///< Eight letters.
  std::uint32_t version = 0;
};

/// What ties the files of one index together.
struct IndexIdentity {
  std::uint64_t rows = 0;
  std::uint64_t build = 0;
  friend bool operator==(const IndexIdentity&, const IndexIdentity&) = default;
};

/// Collects sections and writes the file. Borrows the bytes of the sections until write().
class SectionFileWriter {
 public:
  SectionFileWriter(SectionFileKind kind, IndexIdentity identity)
      : kind_(kind), identity_(identity) {}

  void add(std::uint32_t kind, std::uint32_t part, std::span<const std::byte> bytes);
  template <class T>
  void add_values(std::uint32_t kind, std::uint32_t part, const std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T>);
    add(kind, part, std::as_bytes(std::span<const T>(values)));
  }
  void add_text(std::uint32_t kind, std::uint32_t part, std::string_view text) {
    add(kind, part, std::as_bytes(std::span<const char>(text)));
  }
  /// Writes and flushes to the device. The name is durable only after the folder is flushed too.
  Result<void> write(const std::filesystem::path& path) const;

 private:
  struct Pending {
    SectionEntry entry;
    std::span<const std::byte> bytes;
  };
  SectionFileKind kind_;
  IndexIdentity identity_;
  std::vector<Pending> pending_;
};

/// A mapped file of sections. open() proves that the header is whole and that every section lies
/// inside the file; the contents are only proved by verify(). Immutable, thread-safe.
class SectionFile {
 public:
  SectionFile() = default;
  static Result<SectionFile> open(const std::filesystem::path& path, SectionFileKind kind);

  [[nodiscard]] IndexIdentity identity() const { return identity_; }
  [[nodiscard]] std::uint64_t size() const { return file_.size(); }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] bool has(std::uint32_t kind, std::uint32_t part) const;

  /// The bytes of a section; kCorrupt when the file has none of this kind and part.
  [[nodiscard]] Result<std::span<const std::byte>> bytes(std::uint32_t kind,
                                                         std::uint32_t part) const;
  /// The section as values; kCorrupt also when it is not `count` whole values.
  template <class T>
  [[nodiscard]] Result<std::span<const T>> values(std::uint32_t kind, std::uint32_t part,
                                                  std::uint64_t count) const {
    static_assert(std::is_trivially_copyable_v<T>);
    const std::span<const std::byte> raw = TRY(bytes(kind, part));
    if (raw.size() % sizeof(T) != 0 || raw.size() / sizeof(T) != count) {
      return damaged("section " + std::to_string(kind) + "." + std::to_string(part) + " has " +
                     std::to_string(raw.size()) + " bytes, not " + std::to_string(count) +
                     " values of " + std::to_string(sizeof(T)));
    }
    return std::span<const T>(reinterpret_cast<const T*>(raw.data()), raw.size() / sizeof(T));
  }
  /// One line per section whose checksum is wrong.
  [[nodiscard]] std::vector<std::string> verify() const;
  /// The failure that says that this file is damaged, and why.
  [[nodiscard]] std::unexpected<Error> damaged(std::string_view why) const;

 private:
  MappedFile file_;
  std::filesystem::path path_;
  IndexIdentity identity_;
  std::vector<SectionEntry> entries_;
};

}  // namespace beleg

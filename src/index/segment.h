#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "index/dense_index.h"
#include "index/lexical_builder.h"
#include "index/lexical_segment.h"
#include "index/row_table.h"
#include "index/token_index.h"

namespace beleg {

/// An immutable set of rows with everything they are found by: four files in a folder, mapped.
/// Thread-safe.
struct IndexSegment {
  RowTable table;
  LexicalSegment lexical;
  DenseIndex dense;
  TokenIndex tokens;

  /// kCorrupt names the file that cannot be used.
  static Result<IndexSegment> open(const std::filesystem::path& folder,
                                   const std::filesystem::path& pack);

  [[nodiscard]] IndexIdentity identity() const { return table.file().identity(); }
  [[nodiscard]] std::vector<const SectionFile*> files() const {
    return {&table.file(), &lexical.file(), &dense.file(), &tokens.file()};
  }
};

/// Collects the rows of one segment and writes its files.
class SegmentBuilder {
 public:
  /// `dims` of the vectors.
  SegmentBuilder(std::uint32_t dims, const LexicalForm& form);

  /// As IndexBuilder::add.
  Result<void> add(const RowAttributes& attributes, const IndexedText& text,
                   std::span<const std::byte> payload, std::uint64_t offset);
  [[nodiscard]] std::size_t rows() const { return table_.rows(); }
  /// Bytes that it holds, about.
  [[nodiscard]] std::size_t memory() const;
  /// Writes into an empty folder, and is done. `pack` has the payloads.
  Result<void> write(const std::filesystem::path& folder, const std::filesystem::path& pack);

 private:
  std::uint32_t dims_;
  RowTableBuilder table_;
  LexicalSegmentBuilder lexical_;
  DenseIndexBuilder dense_;
  TokenIndexBuilder tokens_;
};

}  // namespace beleg

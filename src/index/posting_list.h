#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "index/lexical_format.h"

namespace beleg {

/// One document of a posting list.
struct Posting {
  std::uint32_t document = 0;
  FieldFrequencies frequencies;
};

/// Packs a list (documents ascending) into its stored form.
[[nodiscard]] std::string encode_postings(std::span<const Posting> postings);

/// Up to 128 postings, unpacked. Frequencies are signed (and never negative): signed numbers turn
/// into floats several at a time on every processor.
struct PostingBlock {
  std::uint32_t count = 0;
  bool in_title = false;  ///< False: all of `title` is zero and was not written.
  bool in_headings = false;
  std::array<std::uint32_t, kDocumentsPerBlock> documents;
  std::array<std::int32_t, kDocumentsPerBlock> body;
  std::array<std::int32_t, kDocumentsPerBlock> title;
  std::array<std::int32_t, kDocumentsPerBlock> headings;
};

/// A stored list. Whatever its bytes are, no read leaves them and no document is ≥ `documents`.
class PostingList {
 public:
  PostingList() = default;
  /// `postings` is the whole section, with its slack at the end.
  PostingList(std::span<const std::byte> postings, const TermEntry& entry, std::uint32_t documents);

  [[nodiscard]] std::uint32_t blocks() const { return blocks_; }
  /// Unpacks block `index`; false when it is damaged.
  [[nodiscard]] bool decode(std::uint32_t index, PostingBlock& block) const;
  /// True when `document` is in the list.
  [[nodiscard]] bool contains(std::uint32_t document) const;

 private:
  /// Of lists with more than one block.
  struct BlockEntry {
    std::uint32_t last_document = 0;
    std::uint32_t end = 0;  ///< In bytes from the first block.
  };
  [[nodiscard]] BlockEntry block_entry(std::uint32_t index) const;

  std::span<const std::byte> section_;  // Up to its end: unpacking reads ahead.
  std::size_t list_begin_ = 0;
  std::size_t blocks_begin_ = 0;
  std::size_t list_end_ = 0;
  std::uint32_t documents_ = 0;
  std::uint32_t frequency_ = 0;
  std::uint32_t blocks_ = 0;
};

}  // namespace beleg

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "index/lexical_format.h"

namespace beleg {

/// One document of a posting list.
struct Posting {
  std::uint32_t document = 0;
  FieldFrequencies frequencies;
  /// Where the term stands, as encode_positions() wrote it; empty without positions.
  std::string_view positions;
};

/// What bounds the scores of a block: every document of it has at most this frequency and at least
/// this length for one of the pairs.
struct Impact {
  std::uint16_t frequency = 0;  ///< By the weights of the fields, in units, rounded up.
  std::uint8_t length_class = 0;
  /// Stands for any frequency.
  static constexpr std::uint16_t kUnbounded = 0xffff;
};
inline constexpr std::size_t kImpacts = 3;

/// Weights by which impacts and length classes were made.
struct ImpactWeights {
  float title = 1.0F;
  float headings = 1.0F;
};

/// Where the documents of a list are and what they weigh.
struct EncodedPostings {
  std::string list;
  std::string positions;
};

/// Packs a list (documents ascending) into its stored form. `length_classes` has one class for
/// every document of the part.
[[nodiscard]] EncodedPostings encode_postings(std::span<const Posting> postings,
                                              std::span<const std::uint8_t> length_classes,
                                              ImpactWeights weights);

/// Up to 128 postings, unpacked. Frequencies are signed (and never negative): signed numbers turn
/// into floats several at a time on every processor.
struct PostingBlock {
  std::uint32_t count = 0;
  bool in_title = false;  ///< False: all of `title` is zero and was not written.
  bool in_headings = false;
  alignas(64) std::array<std::uint32_t, kDocumentsPerBlock> documents;
  alignas(64) std::array<std::int32_t, kDocumentsPerBlock> body;
  alignas(64) std::array<std::int32_t, kDocumentsPerBlock> title;
  alignas(64) std::array<std::int32_t, kDocumentsPerBlock> headings;
};

/// A stored list. Whatever its bytes are, no read leaves them and no document is ≥ `documents`.
class PostingList {
 public:
  PostingList() = default;
  /// `postings` is the whole section, with its slack at the end.
  PostingList(std::span<const std::byte> postings, const TermEntry& entry, std::uint32_t documents);

  [[nodiscard]] std::uint32_t blocks() const { return blocks_; }
  /// How many documents it has.
  [[nodiscard]] std::uint32_t size() const { return frequency_; }
  /// Unpacks block `index`; false when it is damaged.
  [[nodiscard]] bool decode(std::uint32_t index, PostingBlock& block) const;
  /// Unpacks only the documents of a block.
  [[nodiscard]] bool decode_documents(std::uint32_t index, PostingBlock& block) const;
  /// Unpacks the rest of a block whose documents are there.
  [[nodiscard]] bool decode_frequencies(std::uint32_t index, PostingBlock& block) const;
  /// The frequencies of one posting of a block of `count`; zeros when the block is damaged.
  [[nodiscard]] FieldFrequencies frequencies_at(std::uint32_t index, std::uint32_t posting,
                                                std::uint32_t count) const;
  /// The first block that may have a document ≥ `document`; blocks() when there is none. Looks only
  /// at blocks from `from` on.
  [[nodiscard]] std::uint32_t block_with(std::uint32_t document, std::uint32_t from) const;
  /// The last document of a block; the last of the part for a list of one block.
  [[nodiscard]] std::uint32_t last_document(std::uint32_t index) const;
  /// Bounds of a block; for a list of one block, which stores none, a single unbounded pair.
  [[nodiscard]] std::array<Impact, kImpacts> impacts(std::uint32_t index) const;
  /// True when `document` is in the list.
  [[nodiscard]] bool contains(std::uint32_t document) const;
  /// The frequencies in `document`; empty when it is not in the list.
  [[nodiscard]] std::optional<FieldFrequencies> frequencies_of(std::uint32_t document) const;
  /// Where the positions of a block begin, in bytes from the term's first.
  [[nodiscard]] std::uint32_t positions_begin(std::uint32_t index) const {
    return index == 0 ? 0 : block_entry(index - 1).positions_end;
  }

 private:
  /// Of lists with more than one block.
  struct BlockEntry {
    std::uint32_t last_document = 0;
    std::uint32_t end = 0;            ///< In bytes from the first block.
    std::uint32_t positions_end = 0;  ///< In bytes from the term's first position.
    std::array<std::uint16_t, kImpacts> frequencies{};
    std::array<std::uint8_t, kImpacts> length_classes{};
    std::uint8_t reserved[3] = {};
  };
  static_assert(sizeof(BlockEntry) == 24);
  friend EncodedPostings encode_postings(std::span<const Posting> postings,
                                         std::span<const std::uint8_t> length_classes,
                                         ImpactWeights weights);
  struct Layout;

  /// A place in the list.
  struct Place {
    std::uint32_t block = 0;
    std::uint32_t posting = 0;
    std::uint32_t count = 0;  ///< Of the block's postings.
  };
  [[nodiscard]] std::optional<Place> find(std::uint32_t document) const;
  [[nodiscard]] BlockEntry block_entry(std::uint32_t index) const;
  [[nodiscard]] std::optional<Layout> open_block(std::uint32_t index, PostingBlock& block) const;
  [[nodiscard]] bool decode_documents(const Layout& layout, PostingBlock& block) const;
  static void decode_frequencies(const Layout& layout, PostingBlock& block);

  std::span<const std::byte> section_;  // Up to its end: unpacking reads ahead.
  std::size_t list_begin_ = 0;
  std::size_t blocks_begin_ = 0;
  std::size_t list_end_ = 0;
  std::uint32_t documents_ = 0;
  std::uint32_t frequency_ = 0;
  std::uint32_t blocks_ = 0;
};

}  // namespace beleg

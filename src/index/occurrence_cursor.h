#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "index/lexical_part.h"
#include "index/text_condition.h"

namespace beleg {

/// Walks over one posting list in order of documents, and tells where in a document the term
/// stands. Whatever the bytes are, no access leaves the part: a damaged list ends early.
class OccurrenceCursor {
 public:
  static constexpr std::uint32_t kEnd = std::numeric_limits<std::uint32_t>::max();

  /// Borrows the part. Stands on the first document.
  OccurrenceCursor(const LexicalPart& part, const TermEntry& entry);

  /// The document that it stands on; kEnd behind the last.
  [[nodiscard]] std::uint32_t document() const { return document_; }
  /// Moves to the first document ≥ `target`; stays when it stands on it or behind.
  void seek(std::uint32_t target);
  /// True when the term stands in this field of document(). Not at the end.
  [[nodiscard]] bool stands_in(TextField field);
  /// Appends the positions of the term in a field of document(), ascending; nothing without
  /// positions. Not at the end.
  void append_positions(TextField field, std::vector<std::uint32_t>& positions);

 private:
  void load_block(std::uint32_t index);
  /// Unpacks the frequencies of the block; false when it is damaged.
  bool load_frequencies();
  [[nodiscard]] bool stands_in(TextField field, std::uint32_t posting) const;
  /// Moves place_ to the runs of the posting that it stands on.
  bool find_place();

  PostingList postings_;
  std::span<const std::byte> positions_;
  std::unique_ptr<PostingBlock> block_;  // Large: cursors move, blocks stay.
  std::uint32_t index_ = 0;              // Of the block.
  std::uint32_t at_ = 0;                 // In the block.
  std::uint32_t document_ = kEnd;
  bool has_frequencies_ = false;
  std::uint32_t placed_ = 0;  // The posting whose runs begin at place_.
  std::size_t place_ = 0;
  std::vector<std::uint32_t> run_;
};

}  // namespace beleg

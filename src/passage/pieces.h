#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "document/document.h"
#include "passage/chunker.h"
#include "passage/graphemes.h"
#include "text/utf8.h"

namespace beleg {

/// The smallest unit that passages are made of: a block, or a part of one that is too long.
struct Piece {
  ByteSpan bytes;                ///< Without white space at its ends; at grapheme borders.
  std::uint32_t tokens = 0;      ///< At least 1.
  std::uint32_t block = 0;       ///< Index into the cut blocks.
  bool whole_sentences = false;  ///< May be repeated as overlap.
};

/// A block in bytes, or text that lies in no block.
struct CutBlock {
  ByteSpan bytes;
  BlockKind kind = BlockKind::kParagraph;
  std::uint8_t level = 0;
  std::uint32_t page = 0;
};

/// The document's blocks in bytes, trimmed, with text that no block covers as paragraphs in
/// between. Errors: kInvalidArgument when blocks overlap, are out of order or leave the text.
Result<std::vector<CutBlock>> cut_blocks(const ParsedDocument& document,
                                         const CodePointIndex& index);

/// Cuts blocks, in order, into pieces of at most `max_tokens`. Each part of the text is counted
/// once, and once more for each level (block, sentence or row, word, graphemes) at which it proves
/// too long.
class PieceCutter {
 public:
  /// Text, blocks, settings and counter must outlive the cutter.
  PieceCutter(std::string_view text, std::string_view language, const std::vector<CutBlock>& blocks,
              const ChunkSettings& settings, const TokenCounter& count_tokens);

  /// Moves on to a block; blocks are visited in order.
  void enter(std::uint32_t block);
  /// The entered block as one piece; empty when it is too long, or when it has no characters that
  /// the piece before does not have.
  [[nodiscard]] std::vector<Piece> whole();
  /// The entered block as sentences, or rows of tables and code, or parts of these.
  [[nodiscard]] std::vector<Piece> parts();

 private:
  void cut_sentence(ByteSpan sentence);
  void cut_word(ByteSpan word);
  void add(ByteSpan bytes, std::uint32_t tokens, bool whole_sentences);
  [[nodiscard]] std::uint32_t weigh(ByteSpan bytes) const;
  [[nodiscard]] std::string_view slice(ByteSpan bytes) const;
  [[nodiscard]] std::vector<ByteSpan> rows(ByteSpan bytes) const;

  std::string_view text_;
  std::string_view language_;
  const std::vector<CutBlock>& blocks_;
  const ChunkSettings& settings_;
  const TokenCounter& count_tokens_;
  GraphemeBorders borders_;
  std::vector<Piece> pieces_;
  std::uint32_t block_ = 0;
  std::uint32_t floor_ = 0;     // Bytes: the end of the last piece before the entered block.
  std::uint32_t last_end_ = 0;  // Bytes: the end of the last piece.
};

}  // namespace beleg

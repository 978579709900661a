#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "document/document.h"

namespace beleg {

/// Writes a document's plain text and its blocks together. Between blocks stands an empty line; a
/// block that turns out empty leaves no trace. Not thread-safe.
class TextBuilder {
 public:
  /// Ends the open block, if any, and begins another.
  void begin_block(BlockKind kind, std::uint8_t level = 0);
  void end_block();
  [[nodiscard]] bool in_block() const { return open_; }

  /// Adds text whose runs of white space mean one blank (none at the block's ends), without soft
  /// hyphens and zero-width blanks. Requires an open block and valid UTF-8.
  void append_flowing(std::string_view text);
  /// Adds text as it is: code. Requires an open block.
  void append_verbatim(std::string_view text);
  /// A line break inside the open block; blanks around it vanish.
  void append_line_break();

  [[nodiscard]] std::size_t bytes() const { return text_.size(); }
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const std::vector<Block>& blocks() const { return blocks_; }

  /// Ends the open block and hands text and blocks over.
  void finish(ParsedDocument& document);

 private:
  [[nodiscard]] bool at_line_start() const;
  void trim_end();

  std::string text_;
  std::vector<Block> blocks_;
  bool open_ = false;
  bool pending_blank_ = false;
  Block block_;
  std::size_t separator_start_ = 0;  // Bytes: where the separator before the open block begins.
  std::size_t block_start_ = 0;      // Bytes.
  std::size_t counted_bytes_ = 0;    // Up to here the code points are counted …
  std::uint32_t counted_code_points_ = 0;  // … and are this many.
};

}  // namespace beleg

#include "document/text_builder.h"

#include <algorithm>
#include <array>
#include <utility>

#include "text/utf8.h"

namespace beleg {
namespace {

constexpr std::string_view kNoBreakSpace = "\xC2\xA0";

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// Length of a character that shows nothing (soft hyphen, zero-width space, byte order mark) at the
/// front of `text`, else 0.
std::size_t invisible_length(std::string_view text) {
  if (text.starts_with("\xC2\xAD")) return 2;
  if (text.starts_with("\xE2\x80\x8B") || text.starts_with("\xEF\xBB\xBF")) return 3;
  return 0;
}

bool may_be_invisible(char c) { return c == '\xC2' || c == '\xE2' || c == '\xEF'; }

}  // namespace

void TextBuilder::begin_block(BlockKind kind, std::uint8_t level) {
  end_block();
  separator_start_ = text_.size();
  if (!text_.empty()) text_ += "\n\n";
  block_start_ = text_.size();
  block_ = Block{.kind = kind, .level = level, .page = 0, .span = {}};
  pending_blank_ = false;
  open_ = true;
}

void TextBuilder::end_block() {
  if (!open_) return;
  open_ = false;
  trim_end();
  if (text_.size() <= block_start_) {
    text_.resize(separator_start_);
    return;
  }
  const std::string_view text = text_;
  const auto code_points = [&](std::size_t from, std::size_t to) {
    return count_code_points(text.substr(from, to - from));
  };
  block_.span.start = counted_code_points_ + code_points(counted_bytes_, block_start_);
  block_.span.end = block_.span.start + code_points(block_start_, text_.size());
  counted_bytes_ = text_.size();
  counted_code_points_ = block_.span.end;
  blocks_.push_back(block_);
}

bool TextBuilder::at_line_start() const {
  return text_.size() == block_start_ || text_.back() == '\n';
}

void TextBuilder::append_flowing(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    if (is_blank(text[i])) {
      pending_blank_ = true;
      ++i;
      continue;
    }
    if (may_be_invisible(text[i])) {
      if (const std::size_t skip = invisible_length(text.substr(i)); skip > 0) {
        i += skip;
        continue;
      }
    }
    std::size_t end = i + 1;
    while (end < text.size() && !is_blank(text[end]) && !may_be_invisible(text[end])) ++end;
    if (pending_blank_ && !at_line_start()) text_.push_back(' ');
    pending_blank_ = false;
    text_.append(text, i, end - i);
    i = end;
  }
}

void TextBuilder::append_verbatim(std::string_view text) {
  pending_blank_ = false;
  text_ += text;
}

void TextBuilder::append_line_break() {
  pending_blank_ = false;
  if (!at_line_start()) text_.push_back('\n');
}

void TextBuilder::trim_end() {
  const std::string_view text = text_;
  std::size_t end = text.size();
  while (end > block_start_) {
    if (is_blank(text[end - 1])) {
      --end;
    } else if (end >= block_start_ + 2 && text.substr(end - 2, 2) == kNoBreakSpace) {
      end -= 2;
    } else {
      break;
    }
  }
  text_.resize(end);
}

void TextBuilder::finish(ParsedDocument& document) {
  end_block();
  document.text = std::move(text_);
  document.blocks = std::move(blocks_);
  *this = TextBuilder();
}

}  // namespace beleg

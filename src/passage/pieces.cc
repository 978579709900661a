#include "passage/pieces.h"

#include <algorithm>
#include <string>
#include <utility>

#include "text/sentences.h"

namespace beleg {
namespace {

/// A word piece model makes one unknown token of a word of any length. Longer than this many bytes
/// per token no real text is, so a passage cannot grow without bound.
constexpr std::uint32_t kMostBytesPerToken = 32;
constexpr std::uint32_t kFirstGuessBytesPerToken = 4;

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

ByteSpan trimmed(std::string_view text, ByteSpan span) {
  while (span.start < span.end && is_blank(text[span.start])) ++span.start;
  while (span.end > span.start && is_blank(text[span.end - 1])) --span.end;
  return span;
}

}  // namespace

Result<std::vector<CutBlock>> cut_blocks(const ParsedDocument& document,
                                         const CodePointIndex& index) {
  const std::string_view text = document.text;
  std::vector<CutBlock> blocks;
  blocks.reserve(document.blocks.size() + 1);
  std::uint32_t covered = 0;
  std::uint32_t page = 0;
  const auto add = [&](CutBlock block) {
    block.bytes = trimmed(text, block.bytes);
    if (block.bytes.size() > 0) blocks.push_back(block);
  };
  for (std::size_t i = 0; i < document.blocks.size(); ++i) {
    const Block& block = document.blocks[i];
    const bool inside = block.span.start <= block.span.end && block.span.end <= index.size();
    const ByteSpan bytes = inside ? index.to_bytes(block.span) : ByteSpan{};
    if (!inside || bytes.start < covered) {
      return fail(ErrorCode::kInvalidArgument,
                  "block " + std::to_string(i) + " overlaps another or leaves the text",
                  "ingest the document again");
    }
    add({.bytes = {covered, bytes.start}, .kind = BlockKind::kParagraph, .level = 0, .page = page});
    add({.bytes = bytes, .kind = block.kind, .level = block.level, .page = block.page});
    covered = bytes.end;
    page = block.page;
  }
  add({.bytes = {covered, static_cast<std::uint32_t>(text.size())},
       .kind = BlockKind::kParagraph,
       .level = 0,
       .page = page});
  return blocks;
}

PieceCutter::PieceCutter(std::string_view text, std::string_view language,
                         const std::vector<CutBlock>& blocks, const ChunkSettings& settings,
                         const TokenCounter& count_tokens)
    : text_(text),
      language_(language),
      blocks_(blocks),
      settings_(settings),
      count_tokens_(count_tokens),
      borders_(text) {}

std::string_view PieceCutter::slice(ByteSpan bytes) const {
  return text_.substr(bytes.start, bytes.size());
}

std::uint32_t PieceCutter::weigh(ByteSpan bytes) const {
  return std::max({1U, count_tokens_(slice(bytes)), bytes.size() / kMostBytesPerToken});
}

void PieceCutter::enter(std::uint32_t block) {
  block_ = block;
  floor_ = last_end_;
}

std::vector<Piece> PieceCutter::whole() {
  last_end_ = floor_;
  pieces_.clear();
  const ByteSpan bytes = blocks_[block_].bytes;
  const std::uint32_t tokens = weigh(bytes);
  if (tokens <= settings_.max_tokens) add(bytes, tokens, false);
  return std::move(pieces_);
}

std::vector<Piece> PieceCutter::parts() {
  last_end_ = floor_;
  pieces_.clear();
  const CutBlock& block = blocks_[block_];
  if (block.kind == BlockKind::kTable || block.kind == BlockKind::kCode) {
    for (const ByteSpan row : rows(block.bytes)) cut_sentence(row);
  } else {
    for (const ByteSpan sentence : split_sentences(slice(block.bytes), language_)) {
      cut_sentence({block.bytes.start + sentence.start, block.bytes.start + sentence.end});
    }
  }
  return std::move(pieces_);
}

/// Appends a piece, its ends moved outwards to grapheme borders, but never into the piece before
/// it.
void PieceCutter::add(ByteSpan bytes, std::uint32_t tokens, bool whole_sentences) {
  const ByteSpan moved{std::max(borders_.at_or_before(bytes.start), last_end_),
                       std::max(borders_.at_or_after(bytes.end), last_end_)};
  if (moved.end <= moved.start) return;
  if (moved.start < bytes.start || moved.end > bytes.end) {
    tokens = weigh(moved);
    if (tokens > settings_.max_tokens) return cut_word(moved);  // Cuts at borders: it ends here.
  }
  last_end_ = moved.end;
  pieces_.push_back(
      {.bytes = moved, .tokens = tokens, .block = block_, .whole_sentences = whole_sentences});
}

std::vector<ByteSpan> PieceCutter::rows(ByteSpan bytes) const {
  std::vector<ByteSpan> found;
  std::uint32_t start = bytes.start;
  while (start < bytes.end) {
    const std::size_t newline = text_.find('\n', start);
    const std::uint32_t end = newline < bytes.end ? static_cast<std::uint32_t>(newline) : bytes.end;
    // The indent of code belongs to its line, the line end does not.
    if (trimmed(text_, {start, end}).size() > 0) found.push_back({start, end});
    start = end + 1;
  }
  return found;
}

/// A sentence or row that is too long is cut at blanks, as late as possible.
void PieceCutter::cut_sentence(ByteSpan sentence) {
  const std::uint32_t all_tokens = weigh(sentence);
  if (all_tokens <= settings_.max_tokens) return add(sentence, all_tokens, true);
  ByteSpan run{sentence.start, sentence.start};
  std::uint32_t run_tokens = 0;
  const auto flush = [&](std::uint32_t next_start) {
    if (run.size() > 0) add(run, run_tokens, false);
    run = {next_start, next_start};
    run_tokens = 0;
  };
  std::uint32_t at = sentence.start;
  while (at < sentence.end) {
    if (is_blank(text_[at])) {
      ++at;
      continue;
    }
    ByteSpan word{at, at};
    while (word.end < sentence.end && !is_blank(text_[word.end])) ++word.end;
    at = word.end;
    const std::uint32_t tokens = weigh(word);
    if (run_tokens + tokens > settings_.max_tokens) flush(word.start);
    if (tokens > settings_.max_tokens) {
      cut_word(word);
      run = {at, at};
      continue;
    }
    if (run.size() == 0) run.start = word.start;
    run.end = word.end;
    run_tokens += tokens;
  }
  flush(at);
}

/// A word without blanks that is too long (a script that writes none, or data) is cut at graphemes.
void PieceCutter::cut_word(ByteSpan word) {
  std::uint32_t at = word.start;
  while (at < word.end) {
    std::uint32_t length = settings_.max_tokens * kFirstGuessBytesPerToken;
    std::uint32_t end = at;
    std::uint32_t tokens = 0;
    while (true) {
      end = std::min(borders_.at_or_before(std::min(at + length, word.end)), word.end);
      if (end <= at) {  // One grapheme is longer than that: it stays whole.
        end = std::max(borders_.at_or_after(at + 1), at + 1);
        tokens = settings_.max_tokens;
        break;
      }
      tokens = weigh({at, end});
      if (tokens <= settings_.max_tokens) break;
      length = (end - at) / 2;
    }
    add({at, end}, tokens, false);
    at = end;
  }
}

}  // namespace beleg

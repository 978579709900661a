#include "passage/chunker.h"

#include <algorithm>
#include <string>
#include <utility>

#include "document/document.h"
#include "passage/pieces.h"
#include "text/utf8.h"

namespace beleg {
namespace {

constexpr std::uint32_t kLeastMaxTokens = 32;
constexpr std::uint32_t kMostMaxTokens = 480;  // Encoders read 512, prefixes and titles included.
constexpr std::size_t kLongestHeading = 400;   // Bytes of a heading that a path repeats.

Result<void> check_settings(const ChunkSettings& settings) {
  if (settings.max_tokens < kLeastMaxTokens || settings.max_tokens > kMostMaxTokens) {
    return fail(ErrorCode::kInvalidArgument,
                "chunk.max_tokens is " + std::to_string(settings.max_tokens),
                "give a number from 32 to 480");
  }
  if (settings.overlap_tokens > settings.max_tokens / 2) {
    return fail(ErrorCode::kInvalidArgument,
                "chunk.overlap_tokens is " + std::to_string(settings.overlap_tokens),
                "give at most half of chunk.max_tokens");
  }
  return {};
}

/// White space in runs as one blank, without it at the ends.
std::string in_one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    if (c == ' ' || (c >= '\t' && c <= '\r')) {
      if (!line.empty() && line.back() != ' ') line.push_back(' ');
    } else {
      line.push_back(c);
    }
  }
  if (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

/// The open headings at a place of the document.
class HeadingPath {
 public:
  HeadingPath(std::string_view text, std::string_view title)
      : text_(text), title_(in_one_line(title)) {}

  void enter(const CutBlock& heading) {
    while (!open_.empty() && open_.back().level >= heading.level) open_.pop_back();
    const bool first = std::exchange(first_, false);
    std::string name = name_of(heading);
    if (first && name == title_) name.clear();
    open_.push_back({.level = heading.level, .name = std::move(name)});
  }

  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const Heading& heading : open_) {
      if (!heading.name.empty()) names.push_back(heading.name);
    }
    return names;
  }

 private:
  struct Heading {
    std::uint8_t level = 0;
    std::string name;  ///< Empty for the document's title.
  };

  /// The first line of the block: a second one is the underline of plain text.
  [[nodiscard]] std::string name_of(const CutBlock& heading) const {
    std::string_view line = text_.substr(heading.bytes.start, heading.bytes.size());
    line = line.substr(0, line.find('\n'));
    if (line.size() > kLongestHeading) {
      std::size_t end = kLongestHeading;
      while ((static_cast<unsigned char>(line[end]) & 0xc0U) == 0x80U) --end;
      line = line.substr(0, end);
    }
    return in_one_line(line);
  }

  std::string_view text_;
  std::string title_;
  bool first_ = true;
  std::vector<Heading> open_;
};

/// A passage in the making.
struct Draft {
  std::vector<Piece> pieces;
  std::size_t repeated = 0;  ///< How many pieces at the front are overlap.
  std::uint32_t tokens = 0;
  bool has_content = false;  ///< Something other than headings, and not repeated.
  std::uint32_t section = 0;
  std::vector<std::string> heading_path;

  [[nodiscard]] bool has_own() const { return pieces.size() > repeated; }
};

class Packer {
 public:
  Packer(const ParsedDocument& document, const std::vector<CutBlock>& blocks,
         const CodePointIndex& index, const ChunkSettings& settings,
         const TokenCounter& count_tokens)
      : blocks_(blocks),
        index_(index),
        settings_(settings),
        path_(document.text, document.meta.title),
        cutter_(document.text, document.meta.language, blocks, settings, count_tokens) {}

  std::vector<Passage> pack() {
    for (std::uint32_t i = 0; i < blocks_.size(); ++i) {
      cutter_.enter(i);
      blocks_[i].kind == BlockKind::kHeading ? take_heading(blocks_[i]) : take_content();
    }
    if (!current_.has_content) attach_headings();
    close_section();
    emit(std::move(previous_));
    return std::move(passages_);
  }

 private:
  void take_heading(const CutBlock& heading) {
    if (current_.has_content) {
      close_section();
      ++section_;
      current_ = Draft{};
    }
    path_.enter(heading);
    append_each(whole_or_parts());
  }

  void take_content() {
    std::vector<Piece> pieces = settings_.overlap_tokens > 0 ? cutter_.parts() : whole_or_parts();
    const std::uint32_t total = sum(pieces);
    if (total > settings_.max_tokens) return append_long(pieces, total);
    if (current_.tokens + total > settings_.max_tokens) {
      if (current_.has_content) {
        flush();
        make_room(total);
      } else if (current_.has_own()) {
        // A heading keeps at least the first sentences of what follows it.
        if (pieces.size() == 1) pieces = cutter_.parts();
        return append_each(pieces);
      } else {
        make_room(total);
      }
    }
    for (const Piece& piece : pieces) append(piece);
  }

  std::vector<Piece> whole_or_parts() {
    std::vector<Piece> pieces = cutter_.whole();
    return pieces.empty() ? cutter_.parts() : pieces;
  }

  static std::uint32_t sum(const std::vector<Piece>& pieces) {
    std::uint32_t tokens = 0;
    for (const Piece& piece : pieces) tokens += piece.tokens;
    return tokens;
  }

  void append(const Piece& piece) {
    const bool content = blocks_[piece.block].kind != BlockKind::kHeading;
    if (!current_.has_own()) current_.section = section_;
    if (content ? !current_.has_content : true) current_.heading_path = path_.names();
    current_.has_content = current_.has_content || content;
    current_.tokens += piece.tokens;
    current_.pieces.push_back(piece);
  }

  void append_each(const std::vector<Piece>& pieces) {
    for (const Piece& piece : pieces) {
      if (current_.tokens + piece.tokens > settings_.max_tokens && current_.has_own()) flush();
      make_room(piece.tokens);
      append(piece);
    }
  }

  /// A block of more than one passage is spread evenly, so that no crumb is left at its end.
  void append_long(const std::vector<Piece>& pieces, std::uint32_t total) {
    const std::uint32_t most = settings_.max_tokens;
    if (current_.has_content && current_.tokens > most / 2) flush();
    std::uint32_t left = total;
    std::uint32_t target = share(left);
    for (const Piece& piece : pieces) {
      const std::uint32_t with = current_.tokens + piece.tokens;
      const bool enough = current_.has_content && current_.tokens + piece.tokens / 2 > target;
      if (current_.has_own() && (with > most || enough)) {
        flush();
        target = share(left);
      }
      make_room(piece.tokens);
      append(piece);
      left -= piece.tokens;
    }
  }

  /// Size of each passage when `left` tokens, beside those of the current one, are spread evenly:
  /// n passages hold all tokens and n - 1 times the overlap.
  [[nodiscard]] std::uint32_t share(std::uint32_t left) const {
    const std::uint32_t most = settings_.max_tokens;
    const std::uint32_t overlap = settings_.overlap_tokens;
    const std::uint32_t all = std::max(current_.tokens + left, overlap + 1);
    const std::uint32_t passages = (all - overlap + most - overlap - 1) / (most - overlap);
    return (all + (passages - 1) * overlap) / passages;
  }

  /// Drops repeated sentences from the front until `tokens` fit. Only before the first own piece.
  void make_room(std::uint32_t tokens) {
    if (current_.has_own()) return;
    while (current_.repeated > 0 && current_.tokens + tokens > settings_.max_tokens) {
      current_.tokens -= current_.pieces.front().tokens;
      current_.pieces.erase(current_.pieces.begin());
      --current_.repeated;
    }
  }

  /// Ends the current passage inside a section; the next one begins with its last sentences.
  void flush() {
    if (!current_.has_own()) return;
    Draft next;
    std::size_t first = current_.pieces.size();
    while (first > current_.repeated + 1) {
      const Piece& piece = current_.pieces[first - 1];
      const bool repeatable =
          piece.whole_sentences && blocks_[piece.block].kind != BlockKind::kHeading;
      if (!repeatable || next.tokens + piece.tokens > settings_.overlap_tokens) break;
      next.tokens += piece.tokens;
      --first;
    }
    next.pieces.assign(current_.pieces.begin() + static_cast<std::ptrdiff_t>(first),
                       current_.pieces.end());
    next.repeated = next.pieces.size();
    emit(std::exchange(previous_, std::exchange(current_, std::move(next))));
  }

  /// Ends the last passage of a section. A crumb joins the passage before it where both fit into
  /// one, or takes over some of its blocks.
  void close_section() {
    if (!current_.has_own()) return;
    if (previous_.section == current_.section && previous_.has_content &&
        settings_.overlap_tokens == 0 && current_.tokens < settings_.max_tokens / 8) {
      take_over_blocks();
    }
    if (!current_.pieces.empty()) {
      emit(std::exchange(previous_, std::exchange(current_, Draft{})));
    }
  }

  void take_over_blocks() {
    std::vector<Piece>& from = previous_.pieces;
    std::vector<Piece>& to = current_.pieces;
    if (previous_.tokens + current_.tokens <= settings_.max_tokens) {
      from.insert(from.end(), to.begin(), to.end());
      previous_.tokens += current_.tokens;
      current_ = Draft{};
      return;
    }
    while (from.size() > 1 && current_.tokens < settings_.max_tokens / 4) {
      const Piece& last = from.back();
      const bool stays = blocks_[from[from.size() - 2].block].kind == BlockKind::kHeading;
      if (stays || current_.tokens + last.tokens > previous_.tokens - last.tokens) break;
      current_.tokens += last.tokens;
      previous_.tokens -= last.tokens;
      to.insert(to.begin(), last);
      from.pop_back();
    }
  }

  /// Headings at the end of a document, with nothing below them, go with the passage before them.
  void attach_headings() {
    if (!current_.has_own() || previous_.pieces.empty() ||
        previous_.tokens + current_.tokens > settings_.max_tokens) {
      return;
    }
    previous_.pieces.insert(previous_.pieces.end(), current_.pieces.begin(), current_.pieces.end());
    previous_.tokens += current_.tokens;
    current_ = Draft{};
  }

  void emit(Draft draft) {
    if (draft.pieces.empty()) return;
    const ByteSpan bytes{draft.pieces.front().bytes.start, draft.pieces.back().bytes.end};
    passages_.push_back({.span = index_.to_code_points(bytes),
                         .bytes = bytes,
                         .ordinal = static_cast<std::uint32_t>(passages_.size()),
                         .page = blocks_[draft.pieces.front().block].page,
                         .heading_path = std::move(draft.heading_path)});
  }

  const std::vector<CutBlock>& blocks_;
  const CodePointIndex& index_;
  const ChunkSettings& settings_;
  HeadingPath path_;
  PieceCutter cutter_;
  std::vector<Passage> passages_;
  Draft previous_;  // Finished, but its last blocks may still move on.
  Draft current_;
  std::uint32_t section_ = 1;
};

}  // namespace

Result<std::vector<Passage>> cut_passages(const ParsedDocument& document,
                                          const ChunkSettings& settings,
                                          const TokenCounter& count_tokens) {
  TRY(check_settings(settings));
  if (document.text.size() > INT32_MAX) {
    return fail(ErrorCode::kLimit, "the document's text has more than 2 GiB", "split the document");
  }
  const CodePointIndex index(document.text);
  const std::vector<CutBlock> blocks = TRY(cut_blocks(document, index));
  return Packer(document, blocks, index, settings, count_tokens).pack();
}

}  // namespace beleg

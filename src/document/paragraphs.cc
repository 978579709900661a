#include "document/paragraphs.h"

#include <algorithm>

#include "text/utf8.h"

namespace beleg {
namespace {

constexpr std::string_view kBlank = " \t\r\n\f\v";
constexpr std::size_t kLongestHeading = 100;  // Bytes.
constexpr std::size_t kShortestUnderline = 3;
constexpr std::size_t kFewestCapitals = 4;

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

/// 1 for a line under a heading of the first level, 2 for the second, 0 for any other line.
std::uint8_t underline_level(std::string_view line, std::size_t title_bytes) {
  line = trimmed(line);
  if (line.size() < kShortestUnderline || line.size() * 2 < title_bytes) return 0;
  const char sign = line.front();
  if (std::string_view("=-~*#^").find(sign) == std::string_view::npos) return 0;
  if (line.find_first_not_of(sign) != std::string_view::npos) return 0;
  return sign == '=' || sign == '#' || sign == '*' ? 1 : 2;
}

bool is_capitals(std::string_view line) {
  std::size_t capitals = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c >= 'a' && c <= 'z') return false;
    // Lower-case letters of Latin-1: ß and à to ÿ are C3 9F to C3 BF.
    if (c == '\xC3' && i + 1 < line.size() && static_cast<unsigned char>(line[i + 1]) >= 0x9f) {
      return false;
    }
    capitals += c >= 'A' && c <= 'Z' ? 1 : 0;
  }
  const bool sentence = line.ends_with('.') || line.ends_with(',') || line.ends_with(';');
  return capitals >= kFewestCapitals && !sentence && line.size() <= kLongestHeading;
}

/// Level of the heading that a paragraph is, or 0.
std::uint8_t heading_level(std::string_view paragraph) {
  const std::size_t end = paragraph.find('\n');
  const std::string_view first = trimmed(paragraph.substr(0, end));
  if (first.empty() || first.size() > kLongestHeading) return 0;
  if (end == std::string_view::npos) return is_capitals(first) ? 2 : 0;
  return underline_level(paragraph.substr(end + 1), first.size());
}

class ParagraphFinder {
 public:
  ParagraphFinder(std::string_view text, ParagraphRules rules) : text_(text), rules_(rules) {
    if (text.find('\f') != std::string_view::npos) page_ = 1;
  }

  std::vector<Block> find() {
    std::size_t line = 0;
    while (line < text_.size()) {
      const std::size_t end = std::min(text_.find('\n', line), text_.size());
      read_line(line, end);
      line = end + 1;
    }
    close(text_.size());
    return std::move(blocks_);
  }

 private:
  void read_line(std::size_t start, std::size_t end) {
    while (page_ > 0) {
      const std::size_t feed = text_.substr(start, end - start).find('\f');
      if (feed == std::string_view::npos) break;
      read_piece(start, start + feed);
      close(start + feed);
      ++page_;
      start += feed + 1;
    }
    read_piece(start, end);
  }

  void read_piece(std::size_t start, std::size_t end) {
    const std::string_view line = text_.substr(start, end - start);
    if (trimmed(line).empty()) return close(start);
    if (!open_) {
      open_ = true;
      start_ = start;
      lines_ = 1;
      return;
    }
    ++lines_;
    // A title and its underline end at once, even if the text follows on the next line.
    if (rules_.headings && lines_ == 2 && heading_level(text_.substr(start_, end - start_)) > 0) {
      close(end);
    }
  }

  void close(std::size_t end) {
    if (!open_) return;
    open_ = false;
    const std::string_view raw = text_.substr(start_, end - start_);
    const std::size_t first = raw.find_first_not_of(kBlank);
    if (first == std::string_view::npos) return;
    const std::string_view paragraph = trimmed(raw);
    Block block;
    block.page = page_;
    if (rules_.headings) block.level = heading_level(paragraph);
    if (block.level > 0) block.kind = BlockKind::kHeading;
    const std::size_t from = start_ + first;
    code_points_ += count_code_points(text_.substr(counted_, from - counted_));
    block.span.start = code_points_;
    code_points_ += count_code_points(paragraph);
    block.span.end = code_points_;
    counted_ = from + paragraph.size();
    blocks_.push_back(block);
  }

  std::string_view text_;
  ParagraphRules rules_;
  std::vector<Block> blocks_;
  std::uint32_t page_ = 0;
  bool open_ = false;
  std::size_t start_ = 0;    // Of the open paragraph, in bytes.
  std::size_t lines_ = 0;    // Of the open paragraph.
  std::size_t counted_ = 0;  // Bytes up to which code points are counted.
  std::uint32_t code_points_ = 0;
};

}  // namespace

std::vector<Block> find_paragraphs(std::string_view text, ParagraphRules rules) {
  return ParagraphFinder(text, rules).find();
}

}  // namespace beleg

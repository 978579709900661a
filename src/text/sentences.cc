#include "text/sentences.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <array>
#include <string>

#include "text/abbreviations.h"
#include "text/case_fold.h"
#include "text/characters.h"

namespace beleg {
namespace {

enum class StopKind : std::uint8_t {
  kNone,
  kPoint,        // "." alone: may be part of an abbreviation, ordinal or initial.
  kPlain,        // "!", "?", "…", "..." and their kin; white space must follow.
  kIdeographic,  // "。": ends the sentence at once.
};

struct Stop {
  StopKind kind = StopKind::kNone;
  std::size_t start = 0;
  std::size_t end = 0;  // After the last stop character.
};

bool is_white(char32_t c) {
  return c == ' ' || (c >= '\t' && c <= '\r') || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

bool is_closing(char32_t c) {
  switch (c) {
    case ')':
    case ']':
    case '}':
    case '"':
    case '\'':
    case 0xAB:    // «, which closes in German.
    case 0xBB:    // »
    case 0x2018:  // ‘ closes a German inner quotation.
    case 0x2019:
    case 0x201C:  // “ closes in German.
    case 0x201D:
    case 0x2039:
    case 0x203A:
    case 0x300D:
    case 0x300F:
    case 0x3011:
    case 0xFF09:
      return true;
    default:
      return false;
  }
}

bool is_opening(char32_t c) {
  switch (c) {
    case '(':
    case '[':
    case '{':
    case '"':
    case '\'':
    case 0xA1:
    case 0xAB:
    case 0xBB:
    case 0xBF:
    case 0x2018:
    case 0x2019:
    case 0x201A:
    case 0x201C:
    case 0x201D:
    case 0x201E:
    case 0x2039:
    case 0x203A:
      return true;
    default:
      return false;
  }
}

StopKind stop_kind(char32_t c) {
  switch (c) {
    case '.':
      return StopKind::kPoint;
    case '!':
    case '?':
    case 0x2026:  // …
    case 0x203C:
    case 0x203D:
    case 0x2047:
    case 0x2048:
    case 0x2049:
    case 0x0589:  // Armenian full stop.
    case 0x061F:  // Arabic question mark.
    case 0x06D4:  // Urdu full stop.
    case 0x0964:  // Danda.
    case 0x0965:
      return StopKind::kPlain;
    case 0x3002:
    case 0xFF01:
    case 0xFF0E:
    case 0xFF1F:
    case 0xFF61:
      return StopKind::kIdeographic;
    default:
      return StopKind::kNone;
  }
}

// Bytes that can begin a stop or an empty line; all others are passed over at once.
constexpr std::array<bool, 256> kInteresting = [] {
  std::array<bool, 256> interesting{};
  for (const unsigned c :
       {0x0AU, 0x0CU, 0x2EU, 0x21U, 0x3FU, 0xD6U, 0xD8U, 0xDBU, 0xE0U, 0xE2U, 0xE3U, 0xEFU}) {
    interesting[c] = true;
  }
  return interesting;
}();

class SentenceSplitter {
 public:
  SentenceSplitter(std::string_view text, std::string_view language)
      : text_(text), language_(language) {}

  std::vector<ByteSpan> split() {
    std::size_t i = start_ = skip_white(0);
    while (i < text_.size()) {
      if (!kInteresting[static_cast<unsigned char>(text_[i])]) {
        ++i;
        continue;
      }
      if (const std::size_t after = empty_line_end(i); after != i) {
        finish(i);
        start_ = i = after;
        continue;
      }
      const Stop stop = stop_at(i);
      if (stop.kind == StopKind::kNone) {
        i += decode_at(text_, i).length;
        continue;
      }
      const std::size_t end = skip_closing(stop.end);
      if (ends_sentence(stop, end)) {
        finish(end);
        start_ = skip_white(end);
      }
      i = stop.end;
      if (start_ > i) i = start_;
    }
    finish(text_.size());
    return std::move(sentences_);
  }

 private:
  [[nodiscard]] DecodedChar at(std::size_t position) const {
    return position < text_.size() ? decode_at(text_, position) : DecodedChar{0, 0};
  }

  // Emits [start_, end) without white space behind it; start_ has none before it.
  void finish(std::size_t end) {
    const std::size_t start = start_;
    while (end > start) {
      std::size_t last = end - 1;
      while (last > start && (static_cast<unsigned char>(text_[last]) & 0xC0U) == 0x80U) --last;
      if (!is_white(decode_at(text_, last).code_point)) break;
      end = last;
    }
    if (start >= end) return;
    sentences_.push_back({static_cast<std::uint32_t>(start), static_cast<std::uint32_t>(end)});
  }

  [[nodiscard]] std::size_t skip_white(std::size_t position) const {
    while (position < text_.size()) {
      const DecodedChar c = decode_at(text_, position);
      if (!is_white(c.code_point)) break;
      position += c.length;
    }
    return position;
  }

  // If a line break at `position` is followed by an empty line (or is a page or paragraph break),
  // the start of what follows; otherwise `position`.
  [[nodiscard]] std::size_t empty_line_end(std::size_t position) const {
    if (text_[position] == '\f' || text_.substr(position).starts_with("\u2029")) {
      return skip_white(position);
    }
    if (text_[position] != '\n') return position;
    std::size_t i = position + 1;
    while (i < text_.size() && (text_[i] == ' ' || text_[i] == '\t' || text_[i] == '\r')) ++i;
    return i < text_.size() && text_[i] == '\n' ? skip_white(i) : position;
  }

  [[nodiscard]] Stop stop_at(std::size_t position) const {
    Stop stop{stop_kind(at(position).code_point), position, position};
    if (stop.kind == StopKind::kNone) return stop;
    while (true) {
      const DecodedChar c = at(stop.end);
      const StopKind next = c.length == 0 ? StopKind::kNone : stop_kind(c.code_point);
      if (next == StopKind::kNone) break;
      // "..." and "?!" are plain stops.
      if (stop.end > position && stop.kind == StopKind::kPoint) stop.kind = StopKind::kPlain;
      stop.end += c.length;
    }
    return stop;
  }

  // Quotes, brackets and reference marks like "[12]" right behind a stop belong to its sentence.
  [[nodiscard]] std::size_t skip_closing(std::size_t position) const {
    while (position < text_.size()) {
      const DecodedChar c = decode_at(text_, position);
      if (c.code_point == '[') {
        std::size_t i = position + 1;
        while (i < text_.size() && text_[i] >= '0' && text_[i] <= '9') ++i;
        if (i == position + 1 || i >= text_.size() || text_[i] != ']') break;
        position = i + 1;
        continue;
      }
      if (!is_closing(c.code_point)) break;
      position += c.length;
    }
    return position;
  }

  [[nodiscard]] bool ends_sentence(const Stop& stop, std::size_t end) const {
    if (end >= text_.size() || stop.kind == StopKind::kIdeographic) return true;
    const std::size_t next = skip_white(end);
    if (next == end) return stop.kind == StopKind::kPoint && end == stop.end && misses_space(stop);
    if (next >= text_.size()) return true;
    std::size_t word = next;
    while (word < text_.size() && is_opening(decode_at(text_, word).code_point)) {
      word += decode_at(text_, word).length;
    }
    const CharClass next_class =
        word < text_.size() ? class_at(text_, word).char_class : CharClass::kSeparator;
    if (next_class == CharClass::kLower && has_case(word)) return false;
    if (stop.kind != StopKind::kPoint) return true;
    // Behind a quotation the point is a full stop; "(ca. 8 lb.) Dampf" may go on.
    const bool bracket = end > stop.end && (text_[stop.end] == ')' || text_[stop.end] == ']');
    if (end != stop.end && !bracket) return true;
    return point_ends_sentence(stop.start, word, next_class);
  }

  [[nodiscard]] bool has_case(std::size_t position) const {
    const auto c = static_cast<UChar32>(decode_at(text_, position).code_point);
    return u_toupper(c) != c || c == 0xDF;
  }

  // "…am Ende.Die Nächste": the space was lost.
  [[nodiscard]] bool misses_space(const Stop& stop) const {
    const std::size_t next = stop.end;
    if (stop.start < 3 || class_at(text_, next).char_class != CharClass::kUpper) return false;
    for (std::size_t i = stop.start - 3; i < stop.start; ++i) {
      const CharClass c = byte_class(text_[i]);
      if (c != CharClass::kLower && c != CharClass::kNonAscii) return false;
    }
    const std::size_t end = word_end(next);
    return end < text_.size() && text_[end] == ' ' &&
           is_sentence_starter(folded(next, end), language_);
  }

  [[nodiscard]] std::size_t word_end(std::size_t position) const {
    while (position < text_.size()) {
      const ClassAt c = class_at(text_, position);
      if (c.char_class != CharClass::kLower && c.char_class != CharClass::kUpper &&
          c.char_class != CharClass::kMark && c.char_class != CharClass::kIgnorable) {
        break;
      }
      position += c.length;
    }
    return position;
  }

  // Start of the run of letters, digits and points that ends at `end`.
  [[nodiscard]] std::size_t word_start(std::size_t end) const {
    std::size_t start = end;
    while (start > start_) {
      std::size_t before = start - 1;
      while (before > start_ && (static_cast<unsigned char>(text_[before]) & 0xC0U) == 0x80U) {
        --before;
      }
      const CharClass c = class_at(text_, before).char_class;
      const bool inside = c == CharClass::kLower || c == CharClass::kUpper ||
                          c == CharClass::kDigit || c == CharClass::kMark ||
                          c == CharClass::kIgnorable || text_[before] == '.';
      if (!inside) break;
      start = before;
    }
    return start;
  }

  [[nodiscard]] std::string folded(std::size_t start, std::size_t end) const {
    std::string word;
    append_folded(text_.substr(start, end - start), word);
    return word;
  }

  [[nodiscard]] bool point_ends_sentence(std::size_t point, std::size_t next,
                                         CharClass next_class) const;
  [[nodiscard]] bool ordinal_ends_sentence(std::size_t number_start, std::size_t digits,
                                           const std::string& next_word, bool starter) const;

  std::string_view text_;
  std::string_view language_;
  std::size_t start_ = 0;  // Of the sentence in the making.
  std::vector<ByteSpan> sentences_;
};

bool all_digits(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
}

bool is_roman_numeral(std::string_view word) {
  return word.size() <= 6 &&
         std::ranges::all_of(word, [](char c) { return c == 'I' || c == 'V' || c == 'X'; });
}

// Words after which a number with a point is an ordinal: "am 3. Tag", "der 4. Teil".
bool announces_ordinal(std::string_view word) {
  constexpr auto kWords = std::to_array<std::string_view>(
      {"ab",     "am",     "bis",   "das",   "dem", "den",   "der",   "des",  "die",
       "ihr",    "ihre",   "ihrem", "ihren", "im",  "jeder", "jedes", "sein", "seine",
       "seinem", "seinen", "seit",  "und",   "vom", "vor",   "zum",   "zur"});
  return std::ranges::binary_search(kWords, word);
}

// A number with a point in German: an ordinal inside its sentence, or the sentence's last word?
bool SentenceSplitter::ordinal_ends_sentence(std::size_t number_start, std::size_t digits,
                                             const std::string& next_word, bool starter) const {
  if (follows_ordinal(next_word)) return false;
  if (starter || digits > 3) return true;
  std::size_t end = number_start;
  while (end > start_ && text_[end - 1] == ' ') --end;
  const std::size_t start = word_start(end);
  return !announces_ordinal(folded(start, end));
}

bool SentenceSplitter::point_ends_sentence(std::size_t point, std::size_t next,
                                           CharClass next_class) const {
  const std::size_t start = word_start(point);
  const std::string_view word = text_.substr(start, point - start);
  // An ellipsis with spaces: ". . ."
  if (word.empty()) return text_[next] != '.';
  const std::size_t next_end = word_end(next);
  const std::string next_word = folded(next, next_end);
  const bool initial_follows =
      next_word.size() == 1 && next_end < text_.size() && text_[next_end] == '.';
  const bool starter = !initial_follows && is_sentence_starter(next_word, language_);
  const bool german = language_ != "en";

  if (all_digits(word)) {
    // "1. Einleitung": the number of a heading or list item stays with it.
    if (start == start_) return word.size() > 3;
    if (next_class == CharClass::kDigit) return !(german && word.size() <= 2);
    return !german || ordinal_ends_sentence(start, word.size(), next_word, starter);
  }
  const std::string lower = folded(start, point);
  if (next_class == CharClass::kDigit && is_abbreviation_before_number(lower)) return false;
  const std::size_t letters = static_cast<std::size_t>(
      std::ranges::count_if(word, [](char c) { return (c & 0xC0) != 0x80; }));
  if (letters == 1) {
    // The "s" of "100 Gbit/s." is no initial.
    if (start > start_ && text_[start - 1] == '/') return true;
    // "J. Smith", "z. B.": the letter before it with its own point settles it.
    const bool in_row = start >= 2 && text_[start - 1] == ' ' && text_[start - 2] == '.';
    return starter && !in_row;
  }
  if (german && is_roman_numeral(word)) return starter;
  switch (abbreviation_kind(lower, language_)) {
    case AbbreviationKind::kInside:
      return false;
    case AbbreviationKind::kAnywhere:
      return starter;
    case AbbreviationKind::kNone:
      break;
  }
  // "N.A.T.O" and the like: initials and acronyms with points.
  if (word.find('.') != std::string_view::npos && word.size() <= 8 && !all_digits(word)) {
    std::size_t longest = 0;
    std::size_t run = 0;
    for (const char c : word) {
      run = c == '.' ? 0 : run + 1;
      longest = std::max(longest, run);
    }
    if (longest == 1) return starter;
  }
  return true;
}

}  // namespace

std::vector<ByteSpan> split_sentences(std::string_view text, std::string_view language) {
  return SentenceSplitter(text, language).split();
}

}  // namespace beleg

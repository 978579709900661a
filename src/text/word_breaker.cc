#include "text/word_breaker.h"

#include <unicode/ubrk.h>
#include <unicode/utext.h>

#include <array>
#include <bit>
#include <cstring>
#include <memory>

#include "text/characters.h"

namespace beleg {
namespace {

bool is_word_class(CharClass c) {
  return c == CharClass::kLower || c == CharClass::kUpper || c == CharClass::kDigit;
}

bool is_letter_class(CharClass c) { return c == CharClass::kLower || c == CharClass::kUpper; }

CharClass class_or_separator(std::string_view text, std::size_t position) {
  return position < text.size() ? class_at(text, position).char_class : CharClass::kSeparator;
}

ByteSpan byte_span(std::size_t start, std::size_t end) {
  return {static_cast<std::uint32_t>(start), static_cast<std::uint32_t>(end)};
}

// Class of the character before `position`, ignorable ones passed over.
CharClass class_before(std::string_view text, std::size_t position) {
  while (position > 0) {
    do --position;
    while (position > 0 && (static_cast<unsigned char>(text[position]) & 0xC0U) == 0x80U);
    const CharClass c = class_at(text, position).char_class;
    if (c != CharClass::kIgnorable && c != CharClass::kMark) return c;
  }
  return CharClass::kSeparator;
}

bool is_run_class(CharClass c) {
  return is_word_class(c) || c == CharClass::kMark || c == CharClass::kIgnorable;
}

// What a character inside a token adds to its traits.
constexpr std::uint32_t traits_of(CharClass c) {
  switch (c) {
    case CharClass::kLower:
      return kHasLower;
    case CharClass::kUpper:
      return std::uint32_t{kHasUpper} | kHasInnerUpper;
    case CharClass::kDigit:
      return kHasDigit;
    default:
      return 0;
  }
}

// Of ASCII letters and digits; 0 for all other bytes.
constexpr std::array<std::uint32_t, 256> kByteTraits = [] {
  std::array<std::uint32_t, 256> traits{};
  for (std::size_t byte = 0; byte < traits.size(); ++byte) {
    traits[byte] = traits_of(kByteClasses[byte]);
  }
  return traits;
}();

// Which of eight ASCII characters are letters and digits; the top bit of a byte says so.
struct EightCharacters {
  std::uint64_t lower = 0;
  std::uint64_t upper = 0;
  std::uint64_t digit = 0;
  std::size_t length = 0;  // Of the letters and digits that they start with.
};

// Arithmetic within the bytes of one number: adding to bytes below 128 carries nothing into their
// neighbours, and reaches the top bit from a certain byte on.
EightCharacters classify_eight(const char* characters) {
  constexpr std::uint64_t kEach = 0x0101010101010101ULL;
  constexpr std::uint64_t kTop = kEach * 0x80U;
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, characters, sizeof bytes);
  const auto between = [](std::uint64_t ascii, std::uint64_t first, std::uint64_t last) {
    return (ascii + kEach * (0x80U - first)) & ~(ascii + kEach * (0x80U - last - 1U));
  };
  const std::uint64_t ascii = bytes & ~kTop;
  EightCharacters eight;
  eight.lower = between(ascii, 'a', 'z') & ~bytes & kTop;
  eight.upper = between(ascii, 'A', 'Z') & ~bytes & kTop;
  eight.digit = between(ascii, '0', '9') & ~bytes & kTop;
  const std::uint64_t others = ~(eight.lower | eight.upper | eight.digit) & kTop;
  if constexpr (std::endian::native == std::endian::little) {
    eight.length = static_cast<std::size_t>(std::countr_zero(others)) / 8;
  } else {
    eight.length = static_cast<std::size_t>(std::countl_zero(others)) / 8;
  }
  return eight;
}

// Of the letters and digits that they start with, at least one.
std::uint32_t traits_of_first(const EightCharacters& eight, bool starts_token) {
  const std::size_t rest = 64 - 8 * eight.length;
  std::uint64_t mask = ~std::uint64_t{0};
  std::uint64_t first = 0xffU;
  if constexpr (std::endian::native == std::endian::little) {
    mask >>= rest;
  } else {
    mask <<= rest;
    first <<= 56U;
  }
  std::uint32_t traits = 0;
  if ((eight.lower & mask) != 0) traits |= kHasLower;
  if ((eight.upper & mask) != 0) traits |= kHasUpper;
  if ((eight.digit & mask) != 0) traits |= kHasDigit;
  if (starts_token) mask &= ~first;
  if ((eight.upper & mask) != 0) traits |= kHasInnerUpper;
  return traits;
}

// Whether the run before `position` certainly ends its token: what follows is no punctuation, or
// punctuation with white space behind it.
bool ends_plainly(std::string_view text, std::size_t position) {
  if (position == text.size()) return true;
  const char c = text[position];
  if (byte_class(c) == CharClass::kSeparator) return true;
  const bool sentence_sign = c == '.' || c == ',' || c == ':';
  return sentence_sign && position + 1 < text.size() &&
         byte_class(text[position + 1]) == CharClass::kSeparator;
}

struct BreakIteratorCloser {
  void operator()(UBreakIterator* iterator) const { ubrk_close(iterator); }
};

// One per thread: opening loads ICU's rules, and an iterator is not thread-safe.
UBreakIterator* word_iterator() {
  thread_local std::unique_ptr<UBreakIterator, BreakIteratorCloser> iterator = [] {
    UErrorCode status = U_ZERO_ERROR;
    std::unique_ptr<UBreakIterator, BreakIteratorCloser> opened(
        ubrk_open(UBRK_WORD, "", nullptr, 0, &status));
    if (U_FAILURE(status)) opened.reset();
    return opened;
  }();
  return iterator.get();
}

bool ends_url(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte <= ' ' || byte == 0x7FU || c == '<' || c == '>' || c == '"' || c == '`' || c == '{' ||
         c == '}' || c == '|' || c == '^';
}

// Punctuation behind a URL that belongs to the sentence around it.
bool trims_from_url_end(char last, bool has_parenthesis) {
  if (last == ')') return !has_parenthesis;
  return std::string_view(".,;:!?'*_]").find(last) != std::string_view::npos;
}

}  // namespace

// Word characters from `position` on. `token_start` tells which of them is the first of the token.
std::size_t WordBreaker::scan_run(std::size_t position, std::size_t token_start,
                                  std::uint32_t& traits) const {
  std::uint32_t found = 0;
  while (position < text_.size()) {
    // The first character's capital is no inner one.
    const bool starts_token = position == token_start;
    if (position + 8 <= text_.size()) {
      const EightCharacters eight = classify_eight(text_.data() + position);
      if (eight.length > 0) {
        found |= traits_of_first(eight, starts_token);
        position += eight.length;
        continue;
      }
    }
    const std::uint32_t bits = kByteTraits[static_cast<unsigned char>(text_[position])];
    if (bits != 0) {
      found |= starts_token ? bits & ~std::uint32_t{kHasInnerUpper} : bits;
      ++position;
      continue;
    }
    if (byte_class(text_[position]) != CharClass::kNonAscii) break;
    const ClassAt here = class_at(text_, position);
    if (!is_run_class(here.char_class)) break;
    found |= traits_of(here.char_class);
    if (starts_token) found &= ~std::uint32_t{kHasInnerUpper};
    if (here.length > 1) found |= kHasNonAscii;
    position += here.length;
  }
  traits |= found;
  return position;
}

// If punctuation at `position` ties the run before it to another one, the start of that run;
// otherwise `position` itself.
std::size_t WordBreaker::connected_run(std::size_t position, std::size_t token_start,
                                       std::uint32_t& traits) const {
  const ClassAt here = class_at(text_, position);
  std::size_t after = position + here.length;
  const CharClass next = class_or_separator(text_, after);
  switch (here.char_class) {
    case CharClass::kHyphen:
      if (!is_word_class(next)) return position;
      traits |= kHasHyphen;
      return after;
    case CharClass::kApostrophe: {
      const CharClass before = class_before(text_, position);
      const bool letters = is_letter_class(before) && is_letter_class(next);
      // "10'000" is Swiss; one digit before is a measure in feet or minutes.
      const bool digits = before == CharClass::kDigit && next == CharClass::kDigit;
      if (!letters && !digits) return position;
      traits |= letters ? kHasApostrophe : kHasConnector;
      return after;
    }
    case CharClass::kConnector:
      break;
    default:
      return position;
  }
  const char c = text_[position];
  switch (c) {
    case ',':
      if (class_before(text_, position) != CharClass::kDigit || next != CharClass::kDigit) {
        return position;
      }
      break;
    case '*':
      if (!is_letter_class(class_before(text_, position)) || next != CharClass::kLower) {
        return position;
      }
      break;
    case '_':
      while (after < text_.size() && text_[after] == '_') ++after;
      break;
    case ':':
      if (after < text_.size() && (text_[after] == ':' || text_[after] == '\\')) ++after;
      break;
    default:
      break;
  }
  if (after == position || !is_word_class(class_or_separator(text_, after))) return position;
  if (position == token_start) return position;
  traits |= kHasConnector;
  return after;
}

// "C++", "g++", "C#", "F#": the symbols belong to the name. Returns the end of the token.
std::size_t WordBreaker::symbol_suffix(std::size_t position, std::size_t token_start) const {
  if (position >= text_.size() || (text_[position] != '+' && text_[position] != '#')) {
    return position;
  }
  if (!is_letter_class(class_before(text_, position)) || position - token_start > 3) {
    return position;
  }
  std::size_t end = position;
  if (text_[position] == '#') {
    end = position + 1;
  } else if (position + 1 < text_.size() && text_[position + 1] == '+') {
    end = position + 2;
  }
  const CharClass next = class_or_separator(text_, end);
  return is_word_class(next) || next == CharClass::kMark ? position : end;
}

bool WordBreaker::starts_url(std::size_t start, std::size_t position) const {
  const std::string_view rest = text_.substr(position);
  if (rest.starts_with("://") && rest.size() > 3 && !ends_url(rest[3])) return true;
  const std::string_view run = text_.substr(start, position - start);
  const auto is_w = [](char c) { return c == 'w' || c == 'W'; };
  return run.size() == 3 && is_w(run[0]) && is_w(run[1]) && is_w(run[2]) && rest.size() > 1 &&
         rest[0] == '.' && is_word_class(class_or_separator(text_, position + 1));
}

std::size_t WordBreaker::scan_url(std::size_t position) const {
  const std::size_t start = position;
  while (position < text_.size() && !ends_url(text_[position])) {
    const ClassAt here = class_at(text_, position);
    // Typographic quotes and the like end a URL; letters of any script may stand in it.
    if (here.length > 1 && here.char_class == CharClass::kSeparator) break;
    position += here.length;
  }
  const bool has_parenthesis =
      text_.substr(start, position - start).find('(') != std::string_view::npos;
  while (position > start && trims_from_url_end(text_[position - 1], has_parenthesis)) --position;
  return position;
}

void WordBreaker::queue_dictionary_run(std::size_t start) {
  std::size_t end = start;
  while (end < text_.size()) {
    const ClassAt here = class_at(text_, end);
    if (here.char_class != CharClass::kDictionary && here.char_class != CharClass::kMark &&
        here.char_class != CharClass::kIgnorable) {
      break;
    }
    end += here.length;
  }
  queue_.clear();
  queue_next_ = 0;
  position_ = end;
  UBreakIterator* iterator = word_iterator();
  UErrorCode status = U_ZERO_ERROR;
  UText utext = UTEXT_INITIALIZER;
  utext_openUTF8(&utext, text_.data() + start, static_cast<std::int64_t>(end - start), &status);
  if (iterator != nullptr && U_SUCCESS(status)) ubrk_setUText(iterator, &utext, &status);
  if (iterator == nullptr || U_FAILURE(status)) {
    queue_.push_back(byte_span(start, end));
    utext_close(&utext);
    return;
  }
  std::int32_t from = ubrk_first(iterator);
  for (std::int32_t to = ubrk_next(iterator); to != UBRK_DONE; to = ubrk_next(iterator)) {
    queue_.push_back(
        byte_span(start + static_cast<std::size_t>(from), start + static_cast<std::size_t>(to)));
    from = to;
  }
  utext_close(&utext);
}

bool WordBreaker::next(RawToken& token) {
  if (queue_next_ < queue_.size()) {
    token = {queue_[queue_next_++], kIsDictionaryWord | kHasNonAscii | kHasLower};
    return true;
  }
  while (position_ < text_.size()) {
    if (kByteTraits[static_cast<unsigned char>(text_[position_])] != 0) break;
    const ClassAt here = class_at(text_, position_);
    if (here.char_class == CharClass::kDictionary) {
      queue_dictionary_run(position_);
      return next(token);
    }
    if (is_word_class(here.char_class)) break;
    position_ += here.length;
  }
  if (position_ >= text_.size()) return false;

  const std::size_t start = position_;
  std::uint32_t traits = 0;
  std::size_t end = scan_run(start, start, traits);
  if (ends_plainly(text_, end)) {
    position_ = end;
    token = {byte_span(start, end), traits};
    return true;
  }
  if (end < text_.size() && starts_url(start, end)) {
    const std::size_t url_end = scan_url(end);
    // A scheme with nothing but punctuation behind it is no URL.
    const std::size_t address = text_[end] == ':' ? end + 3 : end;
    if (url_end > address) {
      position_ = url_end;
      token = {byte_span(start, url_end), traits | kIsUrl | kHasConnector};
      return true;
    }
  }
  while (end < text_.size()) {
    const std::size_t run = connected_run(end, start, traits);
    if (run == end) break;
    end = scan_run(run, start, traits);
  }
  const std::size_t with_symbols = symbol_suffix(end, start);
  if (with_symbols != end) traits |= kHasConnector;
  position_ = with_symbols;
  token = {byte_span(start, with_symbols), traits};
  return true;
}

}  // namespace beleg

#include "model/wordpiece_tokenizer.h"

#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/utf16.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>

namespace beleg {
namespace {

/// What becomes of one character of the input.
enum class CharKind : std::uint8_t {
  kText,    ///< Part of a word.
  kAlone,   ///< A word of its own: punctuation, or a CJK ideograph.
  kSpace,   ///< Ends a word.
  kDrop,    ///< Vanishes; what stands around it is one word.
  kAccent,  ///< Vanishes into the character before it, which then covers its bytes too.
};

/// A character and what it is replaced by.
struct CharMap {
  CharKind kind = CharKind::kDrop;
  std::uint8_t chars = 0;  // Code points in `bytes`.
  std::uint8_t size = 0;
  std::array<char, 17> bytes{};  // Canonical decompositions have at most four code points.

  [[nodiscard]] std::string_view text() const { return {bytes.data(), size}; }
  void append(UChar32 c) {
    if (size + 4U > bytes.size()) return;
    std::size_t length = size;
    U8_APPEND_UNSAFE(bytes.data(), length, c);
    size = static_cast<std::uint8_t>(length);
    ++chars;
  }
};

// Characters below this are looked up in a table: it covers the alphabets, and all punctuation but
// that of CJK.
constexpr UChar32 kTableSize = 0x3000;

/// The blocks that the reference implementation of BERT names as Chinese characters.
bool is_chinese(UChar32 c) {
  return (c >= 0x4e00 && c <= 0x9fff) || (c >= 0x3400 && c <= 0x4dbf) ||
         (c >= 0x20000 && c <= 0x2a6df) || (c >= 0x2a700 && c <= 0x2b73f) ||
         (c >= 0x2b740 && c <= 0x2b81f) || (c >= 0x2b920 && c <= 0x2ceaf) ||
         (c >= 0xf900 && c <= 0xfaff) || (c >= 0x2f800 && c <= 0x2fa1f);
}

bool is_control(UChar32 c) {
  if (c == '\t' || c == '\n' || c == '\r') return false;
  return (U_GET_GC_MASK(c) & (U_GC_CC_MASK | U_GC_CF_MASK | U_GC_CO_MASK)) != 0;
}

bool is_punctuation(UChar32 c) {
  if (c < 0x80) {
    return (c >= 33 && c <= 47) || (c >= 58 && c <= 64) || (c >= 91 && c <= 96) ||
           (c >= 123 && c <= 126);
  }
  return (U_GET_GC_MASK(c) & U_GC_P_MASK) != 0;
}

/// The code point at `i`, which moves behind it; negative for bytes that are not UTF-8.
UChar32 next_code_point(std::string_view text, std::size_t& i) {
  UChar32 c = 0;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"  // Inside ICU's macro.
  U8_NEXT(text.data(), i, text.size(), c);
#pragma GCC diagnostic pop
  return c;
}

/// The work space of one call: a normalised word and where its bytes come from.
struct Word {
  std::string bytes;
  std::vector<ByteSpan> origins;  // One per byte of `bytes`.
  std::uint32_t chars = 0;

  void append(std::string_view text, std::uint32_t count, ByteSpan origin) {
    bytes += text;
    origins.insert(origins.end(), text.size(), origin);
    chars += count;
  }
  void clear() {
    bytes.clear();
    origins.clear();
    chars = 0;
  }
};

}  // namespace

struct WordPieceTokenizer::State {
  WordPieceOptions options;
  ByteTrie pieces;
  std::array<ByteTrie::Node, 256> continuations{};  // Children of the node of the prefix.
  std::vector<CharMap> table;
  const UNormalizer2* decomposer = nullptr;

  [[nodiscard]] CharMap map(UChar32 c) const;
  void append_decomposed(UChar32 c, CharMap& mapped) const;
  void add_character(UChar32 c, ByteSpan origin, Word& word, std::vector<Token>& tokens) const;
  std::size_t add_ascii_run(std::string_view text, std::size_t start, Word& word) const;
  void flush(Word& word, std::vector<Token>& tokens) const;
};

void WordPieceTokenizer::State::append_decomposed(UChar32 c, CharMap& mapped) const {
  const auto add = [&](UChar32 part) {
    if (!options.lowercase) {
      mapped.append(part);
    } else if (part == 0x130) {  // The only lower case of two characters: i, dot above.
      mapped.append('i');
      mapped.append(0x307);
    } else {
      mapped.append(u_tolower(part));
    }
  };
  if (!options.strip_accents) return add(c);
  std::array<UChar, 32> parts{};
  UErrorCode error = U_ZERO_ERROR;
  const std::int32_t length = unorm2_getDecomposition(
      decomposer, c, parts.data(), static_cast<std::int32_t>(parts.size()), &error);
  if (length < 0 || U_FAILURE(error) != 0) {
    if (u_charType(c) != U_NON_SPACING_MARK) add(c);
    return;
  }
  for (std::int32_t i = 0; i < length;) {
    UChar32 part = 0;
    U16_NEXT(parts.data(), i, length, part);
    if (u_charType(part) != U_NON_SPACING_MARK) add(part);
  }
}

CharMap WordPieceTokenizer::State::map(UChar32 c) const {
  CharMap mapped;
  if (options.clean_text && (c == 0 || c == 0xfffd || is_control(c))) return mapped;
  if (u_isUWhiteSpace(c) != 0) {
    mapped.kind = CharKind::kSpace;
    return mapped;
  }
  append_decomposed(c, mapped);
  if (mapped.size == 0) {
    mapped.kind = CharKind::kAccent;
    return mapped;
  }
  std::size_t at = 0;
  const UChar32 first = next_code_point(mapped.text(), at);
  const bool alone = (options.handle_chinese_chars && is_chinese(c)) || is_punctuation(first);
  mapped.kind = alone ? CharKind::kAlone : CharKind::kText;
  return mapped;
}

void WordPieceTokenizer::State::add_character(UChar32 c, ByteSpan origin, Word& word,
                                              std::vector<Token>& tokens) const {
  CharMap computed;
  const CharMap* mapped = &computed;
  if (c < kTableSize) {
    mapped = &table[static_cast<std::size_t>(c)];
  } else {
    computed = map(c);
  }
  switch (mapped->kind) {
    case CharKind::kText:
      word.append(mapped->text(), mapped->chars, origin);
      break;
    case CharKind::kAlone:
      flush(word, tokens);
      word.append(mapped->text(), mapped->chars, origin);
      flush(word, tokens);
      break;
    case CharKind::kSpace:
      flush(word, tokens);
      break;
    case CharKind::kAccent:
      if (!word.origins.empty() && word.origins.back().end == origin.start) {
        const std::uint32_t last = word.origins.back().start;
        for (std::size_t i = word.origins.size(); i-- > 0 && word.origins[i].start == last;) {
          word.origins[i].end = origin.end;
        }
      }
      break;
    case CharKind::kDrop:
      break;
  }
}

/// Most of any text: adds the letters and digits of ASCII from `start` on; returns where they end.
std::size_t WordPieceTokenizer::State::add_ascii_run(std::string_view text, std::size_t start,
                                                     Word& word) const {
  std::size_t i = start;
  for (; i < text.size(); ++i) {
    const auto byte = static_cast<std::uint8_t>(text[i]);
    if (byte >= 0x80 || table[byte].kind != CharKind::kText) break;
    const auto offset = static_cast<std::uint32_t>(i);
    word.bytes.push_back(table[byte].bytes[0]);
    word.origins.push_back({offset, offset + 1});
  }
  word.chars += static_cast<std::uint32_t>(i - start);
  return i;
}

/// Cuts the word into pieces, longest first from the left. A word that cannot be cut is unknown.
void WordPieceTokenizer::State::flush(Word& word, std::vector<Token>& tokens) const {
  if (word.bytes.empty()) return;
  const std::size_t first = tokens.size();
  const std::size_t size = word.bytes.size();
  std::size_t position = word.chars > options.max_word_chars ? size + 1 : 0;
  while (position < size) {
    auto byte = static_cast<std::uint8_t>(word.bytes[position]);
    ByteTrie::Node node = position == 0 ? pieces.child(ByteTrie::kRoot, byte) : continuations[byte];
    TokenId best = -1;
    std::size_t best_end = position;
    for (std::size_t end = position + 1; node != ByteTrie::kNone; ++end) {
      if (const TokenId id = pieces.value(node); id >= 0) {
        best = id;
        best_end = end;
      }
      if (end == size) break;
      node = pieces.child(node, static_cast<std::uint8_t>(word.bytes[end]));
    }
    if (best < 0) {
      position = size + 1;
      break;
    }
    tokens.push_back({best, {word.origins[position].start, word.origins[best_end - 1].end}});
    position = best_end;
  }
  if (position > size) {
    tokens.resize(first);
    tokens.push_back({options.unknown_id, {word.origins.front().start, word.origins.back().end}});
  }
  word.clear();
}

WordPieceTokenizer::WordPieceTokenizer(std::unique_ptr<State> state) : state_(std::move(state)) {}
WordPieceTokenizer::~WordPieceTokenizer() = default;

Result<std::unique_ptr<WordPieceTokenizer>> WordPieceTokenizer::create(
    std::span<const ByteTrie::Entry> vocabulary, const WordPieceOptions& options) {
  if (vocabulary.empty()) return fail(ErrorCode::kCorrupt, "the vocabulary is empty");
  auto state = std::make_unique<State>();
  state->options = options;
  UErrorCode error = U_ZERO_ERROR;
  state->decomposer = unorm2_getNFDInstance(&error);
  if (U_FAILURE(error) != 0) {
    return fail(ErrorCode::kUnavailable, "ICU's normalisation data cannot be read",
                "install ICU's data files");
  }
  state->pieces = ByteTrie(vocabulary);
  ByteTrie::Node prefix = ByteTrie::kRoot;
  for (const char c : options.continuing_prefix) {
    if (prefix != ByteTrie::kNone) {
      prefix = state->pieces.child(prefix, static_cast<std::uint8_t>(c));
    }
  }
  state->continuations.fill(ByteTrie::kNone);
  for (std::uint32_t byte = 0; prefix != ByteTrie::kNone && byte < 256; ++byte) {
    state->continuations[byte] = state->pieces.child(prefix, static_cast<std::uint8_t>(byte));
  }
  state->options.continuing_prefix = {};  // The view may die.
  state->table.reserve(kTableSize);
  for (UChar32 c = 0; c < kTableSize; ++c) state->table.push_back(state->map(c));
  return std::unique_ptr<WordPieceTokenizer>(new WordPieceTokenizer(std::move(state)));
}

std::vector<Token> WordPieceTokenizer::tokenize(std::string_view text) const {
  return tokenize(text, std::numeric_limits<std::size_t>::max());
}

std::vector<Token> WordPieceTokenizer::tokenize(std::string_view text, std::size_t limit) const {
  text = text.substr(0, UINT32_MAX - 1);
  std::vector<Token> tokens;
  constexpr std::size_t kLastWord = 16;  // What the last word may add to the limit, usually.
  tokens.reserve(std::min(text.size() / 4 + 2, std::min(limit, text.size()) + kLastWord));
  Word word;
  bool after_invalid = false;
  for (std::size_t i = 0; i < text.size() && tokens.size() <= limit;) {
    const std::size_t start = i;
    if (static_cast<std::uint8_t>(text[i]) < 0x80) {
      i = state_->add_ascii_run(text, i, word);
      if (i > start) {
        after_invalid = false;
        continue;
      }
    }
    const UChar32 c = next_code_point(text, i);
    const ByteSpan origin = {static_cast<std::uint32_t>(start), static_cast<std::uint32_t>(i)};
    if (c >= 0) {
      state_->add_character(c, origin, word, tokens);
    } else if (after_invalid && word.bytes.empty()) {
      tokens.back().span.end = origin.end;
    } else {
      state_->flush(word, tokens);
      tokens.push_back({state_->options.unknown_id, origin});
    }
    after_invalid = c < 0;
  }
  state_->flush(word, tokens);
  return tokens;
}

}  // namespace beleg

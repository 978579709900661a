#include "model/unigram_tokenizer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "model/byte_trie.h"

namespace beleg {
namespace {

constexpr std::string_view kWordMark = "\xe2\x96\x81";  // U+2581
// Stands in a word for a byte that is no UTF-8. No piece can hold it, so it becomes unknown.
constexpr char kInvalidByte = '\xff';
// SentencePiece gives an unknown character this much less than the least likely piece.
constexpr double kUnknownPenalty = 10.0;

// Length of the well-formed UTF-8 sequence at the front of `text` (not empty), or 0.
std::size_t sequence_length(std::string_view text) {
  const auto at = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const auto follows = [&](std::size_t i) { return (at(i) & 0xc0U) == 0x80U; };
  const std::uint8_t lead = at(0);
  if (lead < 0x80) return 1;
  if (lead < 0xc2) return 0;
  if (lead < 0xe0) return text.size() >= 2 && follows(1) ? 2 : 0;
  if (lead < 0xf0) {
    if (text.size() < 3 || !follows(1) || !follows(2)) return 0;
    if (lead == 0xe0 && at(1) < 0xa0) return 0;  // Overlong.
    if (lead == 0xed && at(1) > 0x9f) return 0;  // A surrogate.
    return 3;
  }
  if (lead > 0xf4 || text.size() < 4 || !follows(1) || !follows(2) || !follows(3)) return 0;
  if (lead == 0xf0 && at(1) < 0x90) return 0;
  if (lead == 0xf4 && at(1) > 0x8f) return 0;
  return 4;
}

// White space of Unicode beyond ASCII; the word mark stands for a space too.
bool is_wide_space(std::string_view sequence) {
  if (sequence.size() == 2) return sequence == "\xc2\x85" || sequence == "\xc2\xa0";
  if (sequence.size() != 3) return false;
  if (sequence == kWordMark || sequence == "\xe1\x9a\x80" || sequence == "\xe3\x80\x80")
    return true;
  if (sequence == "\xe2\x81\x9f") return true;
  if (!sequence.starts_with("\xe2\x80")) return false;
  const auto last = static_cast<std::uint8_t>(sequence[2]);
  return last <= 0x8a || last == 0xa8 || last == 0xa9 || last == 0xaf;
}

bool is_ascii_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// The bytes of the input that one byte of a normalised word was made from.
struct Origin {
  std::uint32_t start = 0;
  std::uint32_t end = 0;
};

// The best way to reach a byte of a word.
struct Step {
  double score = -std::numeric_limits<double>::infinity();
  std::uint32_t from = 0;
  TokenId id = 0;
};

// One normalised word, with its mark, and the work space of its segmentation.
struct Word {
  std::string bytes;
  std::vector<Origin> origins;
  std::vector<Step> steps;

  void append(std::string_view sequence, Origin origin) {
    if (bytes.empty()) {
      bytes = kWordMark;
      origins.assign(kWordMark.size(), {origin.start, origin.start});
    }
    bytes += sequence;
    origins.insert(origins.end(), sequence.size(), origin);
  }
  void clear() {
    bytes.clear();
    origins.clear();
  }
};

}  // namespace

struct UnigramTokenizer::State {
  ByteTrie pieces;
  ByteTrie rules;
  std::vector<float> scores;
  std::vector<std::string> replacements;
  // An ASCII byte that no rule begins with, and that is no white space.
  std::array<bool, 128> is_plain{};
  // An ASCII byte whose rules all go on with a byte that is not ASCII.
  std::array<bool, 128> is_plain_before_ascii{};
  TokenId unknown_id = 0;
  double unknown_score = 0.0;
  bool fuse_unknown = true;

  void build_plain_tables();
  void normalise(std::string_view text, std::size_t limit, std::vector<Token>& tokens) const;
  void append_normalised(std::string_view sequence, Origin origin, Word& word,
                         std::vector<Token>& tokens) const;
  std::size_t longest_rule(std::string_view text, std::int32_t& rule) const;
  void flush(Word& word, std::vector<Token>& tokens) const;
  void find_best_path(Word& word) const;
};

void UnigramTokenizer::State::build_plain_tables() {
  for (std::uint8_t c = 0; c < 128; ++c) {
    const ByteTrie::Node node = rules.child(ByteTrie::kRoot, c);
    const bool is_space = is_ascii_space(static_cast<char>(c));
    is_plain[c] = node == ByteTrie::kNone && !is_space;
    is_plain_before_ascii[c] = is_plain[c];
    if (node == ByteTrie::kNone || is_space || rules.value(node) >= 0) continue;
    is_plain_before_ascii[c] = true;
    for (std::uint8_t next = 0; next < 128; ++next) {
      if (rules.child(node, next) != ByteTrie::kNone) is_plain_before_ascii[c] = false;
    }
  }
}

std::size_t UnigramTokenizer::State::longest_rule(std::string_view text, std::int32_t& rule) const {
  std::size_t length = 0;
  ByteTrie::Node node = ByteTrie::kRoot;
  for (std::size_t i = 0; i < text.size(); ++i) {
    node = rules.child(node, static_cast<std::uint8_t>(text[i]));
    if (node == ByteTrie::kNone) break;
    if (rules.value(node) >= 0) {
      rule = rules.value(node);
      length = i + 1;
    }
  }
  return length;
}

// Adds one code point that is already normalised; white space ends the word.
void UnigramTokenizer::State::append_normalised(std::string_view sequence, Origin origin,
                                                Word& word, std::vector<Token>& tokens) const {
  const bool is_space =
      sequence.size() == 1 ? is_ascii_space(sequence[0]) : is_wide_space(sequence);
  if (is_space) {
    flush(word, tokens);
  } else {
    word.append(sequence, origin);
  }
}

void UnigramTokenizer::State::normalise(std::string_view text, std::size_t limit,
                                        std::vector<Token>& tokens) const {
  Word word;
  for (std::size_t i = 0; i < text.size() && tokens.size() <= limit;) {
    const auto start = static_cast<std::uint32_t>(i);
    const auto lead = static_cast<std::uint8_t>(text[i]);
    if (lead < 0x80 && (is_plain[lead] || (is_plain_before_ascii[lead] && i + 1 < text.size() &&
                                           static_cast<std::uint8_t>(text[i + 1]) < 0x80))) {
      word.append(text.substr(i, 1), {start, start + 1});
      ++i;
      continue;
    }
    const std::string_view rest = text.substr(i);
    const std::size_t length = sequence_length(rest);
    if (length == 0) {
      word.append({&kInvalidByte, 1}, {start, start + 1});
      ++i;
      continue;
    }
    std::int32_t rule = 0;
    const std::size_t matched = longest_rule(rest, rule);
    if (matched == 0) {
      append_normalised(rest.substr(0, length), {start, static_cast<std::uint32_t>(i + length)},
                        word, tokens);
      i += length;
      continue;
    }
    i += matched;
    std::string_view replacement = replacements[static_cast<std::size_t>(rule)];
    while (!replacement.empty()) {
      const std::size_t bytes = std::max<std::size_t>(1, sequence_length(replacement));
      append_normalised(replacement.substr(0, bytes), {start, static_cast<std::uint32_t>(i)}, word,
                        tokens);
      replacement.remove_prefix(bytes);
    }
  }
  flush(word, tokens);
}

// Viterbi over the bytes; pieces are whole UTF-8, so only ends of code points are ever reached.
void UnigramTokenizer::State::find_best_path(Word& word) const {
  const std::string_view bytes = word.bytes;
  std::vector<Step>& steps = word.steps;
  steps.assign(bytes.size() + 1, Step{});
  steps[0].score = 0.0;
  const auto relax = [&](std::size_t to, double score, std::size_t from, TokenId id) {
    if (score > steps[to].score) steps[to] = {score, static_cast<std::uint32_t>(from), id};
  };
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const double score = steps[i].score;
    if (score == -std::numeric_limits<double>::infinity()) continue;
    ByteTrie::Node node = ByteTrie::kRoot;
    for (std::size_t j = i; j < bytes.size(); ++j) {
      node = pieces.child(node, static_cast<std::uint8_t>(bytes[j]));
      if (node == ByteTrie::kNone) break;
      const TokenId id = pieces.value(node);
      if (id >= 0) {
        relax(j + 1, score + static_cast<double>(scores[static_cast<std::size_t>(id)]), i, id);
      }
    }
    const std::size_t character = std::max<std::size_t>(1, sequence_length(bytes.substr(i)));
    relax(i + character, score + unknown_score, i, unknown_id);
  }
}

void UnigramTokenizer::State::flush(Word& word, std::vector<Token>& tokens) const {
  if (word.bytes.empty()) return;
  find_best_path(word);
  const std::size_t first = tokens.size();
  for (std::size_t end = word.bytes.size(); end > 0;) {
    const Step& step = word.steps[end];
    const ByteSpan span = {word.origins[step.from].start, word.origins[end - 1].end};
    Token* later = tokens.size() > first ? &tokens.back() : nullptr;
    if (fuse_unknown && step.id == unknown_id && later != nullptr && later->id == unknown_id) {
      later->span.start = span.start;
    } else {
      tokens.push_back({step.id, span});
    }
    end = step.from;
  }
  std::reverse(tokens.begin() + static_cast<std::ptrdiff_t>(first), tokens.end());
  word.clear();
}

UnigramTokenizer::UnigramTokenizer(std::unique_ptr<State> state) : state_(std::move(state)) {}
UnigramTokenizer::~UnigramTokenizer() = default;

Result<std::unique_ptr<UnigramTokenizer>> UnigramTokenizer::create(
    const UnigramVocabulary& vocabulary, std::span<const NormalizationRule> rules,
    const UnigramOptions& options) {
  const std::size_t count = vocabulary.pieces.size();
  const auto in_range = [&](TokenId id) { return id >= 0 && static_cast<std::size_t>(id) < count; };
  if (vocabulary.scores.size() != count || count > INT32_MAX) {
    return fail(ErrorCode::kCorrupt, "unigram vocabulary: " + std::to_string(count) + " pieces, " +
                                         std::to_string(vocabulary.scores.size()) + " scores");
  }
  if (!in_range(vocabulary.unknown_id) || !std::ranges::all_of(vocabulary.control_ids, in_range)) {
    return fail(ErrorCode::kCorrupt, "unigram vocabulary: unknown or control id out of range");
  }
  if (!std::ranges::all_of(vocabulary.scores, [](float s) { return std::isfinite(s); })) {
    return fail(ErrorCode::kCorrupt, "unigram vocabulary: a score is not a finite number");
  }
  auto state = std::make_unique<State>();
  std::vector<bool> is_control(count, false);
  for (TokenId id : vocabulary.control_ids) is_control[static_cast<std::size_t>(id)] = true;
  is_control[static_cast<std::size_t>(vocabulary.unknown_id)] = true;
  std::vector<ByteTrie::Entry> entries;
  entries.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_control[i]) entries.push_back({vocabulary.pieces[i], static_cast<TokenId>(i)});
  }
  state->pieces = ByteTrie(entries);
  state->scores.assign(vocabulary.scores.begin(), vocabulary.scores.end());
  entries.clear();
  for (const NormalizationRule& rule : rules) {
    entries.push_back({rule.from, static_cast<std::int32_t>(state->replacements.size())});
    state->replacements.emplace_back(rule.to);
  }
  state->rules = ByteTrie(entries);
  state->build_plain_tables();
  state->unknown_id = vocabulary.unknown_id;
  state->unknown_score =
      static_cast<double>(*std::ranges::min_element(vocabulary.scores)) - kUnknownPenalty;
  state->fuse_unknown = options.fuse_unknown;
  return std::unique_ptr<UnigramTokenizer>(new UnigramTokenizer(std::move(state)));
}

std::vector<Token> UnigramTokenizer::tokenize(std::string_view text) const {
  return tokenize(text, std::numeric_limits<std::size_t>::max());
}

std::vector<Token> UnigramTokenizer::tokenize(std::string_view text, std::size_t limit) const {
  std::vector<Token> tokens;
  text = text.substr(0, UINT32_MAX - 1);
  constexpr std::size_t kLastWord = 16;  // What the last word may add to the limit, usually.
  tokens.reserve(std::min(text.size() / 3 + 2, std::min(limit, text.size()) + kLastWord));
  state_->normalise(text, limit, tokens);
  return tokens;
}

std::uint32_t UnigramTokenizer::vocabulary_size() const {
  return static_cast<std::uint32_t>(state_->scores.size());
}

}  // namespace beleg

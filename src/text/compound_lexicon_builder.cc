#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

#include "text/analyzer.h"
#include "text/case_fold.h"
#include "text/characters.h"
#include "text/compound_lexicon.h"
#include "text/german_base_words.h"
#include "text/german_fold.h"
#include "text/identifier.h"
#include "text/latin1.h"
#include "text/stop_words.h"
#include "text/word_breaker.h"
#include "text/word_cache.h"

namespace beleg {
namespace {

// Added to the count of every shipped word, so that one never seen in the corpus is still a part.
constexpr std::uint32_t kShippedCount = 3;
constexpr std::size_t kMinPartLetters = 4;
constexpr std::size_t kMaxPartLetters = 30;
// A word seen once may be a misspelling; a long capitalised one is believed all the same.
constexpr std::size_t kMinLettersSeenOnce = 6;
// Words in lower case are adjectives or verbs: safe as parts only when longer and not rare.
constexpr std::size_t kMinLowerCaseLetters = 5;
constexpr std::size_t kMinLowerCaseHeadLetters = 6;
constexpr std::uint32_t kMinLowerCaseCount = 2;
constexpr std::size_t kMaxNounEnding = 2;
// "wohnen" → "wohn", "Schule" → "schul": the shortest such form.
constexpr std::size_t kMinDerivedLetters = 4;
constexpr std::size_t kMinStemLetters = 3;

struct ViewHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view view) const {
    return std::hash<std::string_view>()(view);
  }
};

template <class Visit>
void for_each_word(std::string_view words, Visit visit) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (end > 0) visit(words.substr(0, end));
    words.remove_prefix(std::min(end + 1, words.size()));
  }
}

bool is_never_part(std::string_view latin1) {
  static const std::unordered_set<std::string, ViewHash, std::equal_to<>> kNeverParts = [] {
    std::unordered_set<std::string, ViewHash, std::equal_to<>> words;
    for_each_word(german_never_parts(), [&](std::string_view word) {
      if (std::optional<std::string> letters = utf8_to_latin1(word)) words.insert(*letters);
    });
    return words;
  }();
  return kNeverParts.contains(latin1);
}

struct WordCounts {
  std::uint32_t total = 0;
  std::uint32_t capitalised = 0;  // Where the sentence does not ask for a capital.
  std::uint32_t lower_case = 0;

  WordCounts& operator+=(const WordCounts& other) {
    total += other.total;
    capitalised += other.capitalised;
    lower_case += other.lower_case;
    return *this;
  }
  [[nodiscard]] bool is_noun() const { return capitalised > lower_case; }
};

using CountMap = std::unordered_map<std::string, WordCounts, ViewHash, std::equal_to<>>;

// Whether a capital at `start` may be due to the beginning of a sentence, quotation or heading.
bool may_start_sentence(std::string_view text, std::size_t start) {
  std::size_t i = start;
  while (i > 0 && (text[i - 1] == ' ' || text[i - 1] == '\t')) --i;
  if (i == 0) return true;
  const char before = text[i - 1];
  const bool letter_or_digit = (before >= 'a' && before <= 'z') ||
                               (before >= 'A' && before <= 'Z') || (before >= '0' && before <= '9');
  if (letter_or_digit || before == ',' || before == ';' || before == ')') return false;
  // An umlaut or ß before the space is a letter; all else outside ASCII is quotes and dashes.
  const bool latin_letter = i >= 2 && static_cast<unsigned char>(text[i - 2]) == 0xC3U;
  return !latin_letter;
}

using EntryMap = std::unordered_map<std::string, LexiconEntry, ViewHash, std::equal_to<>>;

void add_entry(EntryMap& entries, const std::string& word, std::uint32_t count,
               std::uint8_t flags) {
  if (word.size() < 2 || word.size() > kMaxPartLetters) return;
  LexiconEntry& entry = entries[word];
  entry.word = word;
  entry.count += count;
  entry.flags = static_cast<std::uint8_t>(entry.flags | flags);
}

void add_stem(EntryMap& entries, const std::string& word, std::uint32_t count, std::uint8_t flags) {
  const std::string stem = lexicon_stem(word);
  if (stem.size() < kMinStemLetters || is_never_part(stem)) return;
  // Where word and stem are the same string, the count is already there.
  add_entry(entries, stem, stem == word ? 0 : count, flags);
}

std::vector<LexiconEntry> sorted_entries(const EntryMap& entries) {
  std::vector<LexiconEntry> sorted;
  sorted.reserve(entries.size());
  for (const auto& [word, entry] : entries) sorted.push_back(entry);
  std::ranges::sort(sorted, {}, &LexiconEntry::word);
  return sorted;
}

void add_shipped(EntryMap& entries, BaseWordKind kind, std::uint8_t flags,
                 std::uint8_t stem_flags) {
  for_each_word(german_base_words(kind), [&](std::string_view utf8) {
    const std::optional<std::string> word = utf8_to_latin1(utf8);
    if (!word) return;
    add_entry(entries, *word, kShippedCount, flags);
    if (stem_flags != 0) add_stem(entries, *word, kShippedCount, stem_flags);
  });
}

void add_shipped_words(EntryMap& entries) {
  constexpr auto kNounFlags = static_cast<std::uint8_t>(kModifier | kHead | kSimplexWord);
  constexpr auto kStemFlags = static_cast<std::uint8_t>(kStem | kSimplexWord);
  add_shipped(entries, BaseWordKind::kNoun, kNounFlags, kStemFlags);
  add_shipped(entries, BaseWordKind::kSimplex, kNounFlags, kStemFlags);
  add_shipped(entries, BaseWordKind::kShortNoun, kModifier | kHead, kStem);
  add_shipped(entries, BaseWordKind::kAdjective, kModifier | kHead, kStem);
  add_shipped(entries, BaseWordKind::kVerbStem, kModifier, 0);
  add_shipped(entries, BaseWordKind::kBoundForm, kModifier, 0);
}

// By folded word in Latin-1.
using CountsByWord = CountMap;

bool ends_with_inflection(std::string_view word) {
  return word.ends_with("en") || word.ends_with("em") || word.ends_with("es");
}

// Verbs with a prefix make compounds by their noun, not by their stem.
bool has_verb_prefix(std::string_view verb) {
  constexpr auto kPrefixes = std::to_array<std::string_view>(
      {"ab",  "an",  "auf",  "aus", "be",    "bei", "dar", "ein", "ent", "er", "ge", "her",
       "hin", "mit", "nach", "um",  "unter", "ver", "vor", "weg", "zer", "zu", "zur"});
  return std::ranges::any_of(kPrefixes,
                             [&](std::string_view prefix) { return verb.starts_with(prefix); });
}

// "wohnen" where "wohnt" is seen too: not "offen", not "wichtigen".
bool is_simple_infinitive(const std::string& word, const CountsByWord& words) {
  if (!word.ends_with("en") || word.size() < kMinDerivedLetters + 2 || has_verb_prefix(word)) {
    return false;
  }
  const auto third_person = words.find(word.substr(0, word.size() - 2) + "t");
  return third_person != words.end() && !third_person->second.is_noun();
}

void add_noun(EntryMap& entries, const std::string& word, const WordCounts& counts) {
  if (counts.total < 2 && word.size() < kMinLettersSeenOnce) return;
  add_entry(entries, word, counts.total, kModifier | kHead);
  if (counts.total > 1) add_stem(entries, word, counts.total, kStem);
  if (word.ends_with('e') && word.size() > kMinDerivedLetters + 1 && counts.total > 1) {
    add_entry(entries, word.substr(0, word.size() - 1), counts.total / 2, kModifier);
  }
}

void add_lower_case(EntryMap& entries, const std::string& word, const WordCounts& counts,
                    const CountsByWord& words) {
  if (counts.total < kMinLowerCaseCount || word.size() < kMinLowerCaseLetters) return;
  if (is_simple_infinitive(word, words)) {
    add_entry(entries, word.substr(0, word.size() - 2), counts.total / 2, kModifier);
  } else if (!ends_with_inflection(word)) {
    const bool head = word.size() >= kMinLowerCaseHeadLetters;
    add_entry(entries, word, counts.total, head ? kModifier | kHead : std::uint8_t{kModifier});
  }
}

// Adjectives and verbs that look like compounds of a noun: "romantischen" is no table of a novel.
void keep_whole_what_is_no_noun(EntryMap& entries, const CountsByWord& words) {
  const DictionaryLexicon lexicon(sorted_entries(entries));
  for (const auto& [word, counts] : words) {
    if (counts.is_noun() || counts.lower_case < kMinLowerCaseCount) continue;
    const std::vector<std::string> parts = lexicon.split(latin1_to_utf8(word));
    if (parts.empty()) continue;
    const std::string head = utf8_to_latin1(parts.back()).value_or(std::string());
    auto found = words.find(head);
    const std::string stem = lexicon_stem(head);
    // Longer endings make adjectives of nouns: "extremistisch".
    if (found == words.end() && stem.size() + kMaxNounEnding >= head.size()) {
      found = words.find(stem);
    }
    if (found == words.end() || !found->second.is_noun()) continue;
    add_entry(entries, word, counts.total, kSimplexWord);
    add_stem(entries, word, 0, kSimplexWord);
  }
}

}  // namespace

struct CompoundLexiconBuilder::State {
  CountMap counts;  // By word folded for case, not yet for German spelling.
  WordKey key;      // The word being counted, or `folded`.
  std::string folded;

  void count(std::string_view text, std::size_t start, std::string_view token,
             std::uint32_t traits) {
    std::string_view word_folded;
    if ((traits & kHasNonAscii) == 0 ? key.fold_ascii(token) : key.fold_latin1(token)) {
      word_folded = key.word();
    } else {
      folded.clear();
      append_folded(token, folded);
      word_folded = folded;
    }
    auto found = counts.find(word_folded);
    if (found == counts.end()) found = counts.emplace(word_folded, WordCounts{}).first;
    WordCounts& word = found->second;
    ++word.total;
    if ((traits & kHasUpper) == 0) {
      ++word.lower_case;
    } else if ((traits & kHasInnerUpper) == 0 && (traits & kHasLower) != 0 &&
               !may_start_sentence(text, start)) {
      ++word.capitalised;
    }
  }
};

CompoundLexiconBuilder::CompoundLexiconBuilder() : state_(std::make_unique<State>()) {}
CompoundLexiconBuilder::~CompoundLexiconBuilder() = default;

void CompoundLexiconBuilder::add_text(std::string_view text) {
  WordBreaker breaker(text);
  RawToken token;
  constexpr std::uint32_t kNoWord = kHasConnector | kHasApostrophe | kIsUrl | kIsDictionaryWord;
  while (breaker.next(token)) {
    if ((token.traits & kNoWord) != 0 || token.span.size() > 2 * kMaxPartLetters) continue;
    const std::string_view word = text.substr(token.span.start, token.span.size());
    if ((token.traits & kHasHyphen) != 0) {
      for (const IdentifierPart& part : split_identifier(word)) {
        if (!part.letters_only) continue;
        const std::string_view piece = word.substr(part.span.start, part.span.size());
        const bool upper = class_at(piece, 0).char_class == CharClass::kUpper;
        state_->count(text, token.span.start + part.span.start, piece,
                      (upper ? kHasUpper | kHasLower : std::uint32_t{kHasLower}) |
                          (is_ascii(piece) ? 0U : std::uint32_t{kHasNonAscii}));
      }
    } else if ((token.traits & kHasDigit) == 0) {
      state_->count(text, token.span.start, word, token.traits);
    }
  }
}

std::shared_ptr<const CompoundLexicon> CompoundLexiconBuilder::build() const {
  CountsByWord words;
  for (const auto& [folded, counts] : state_->counts) {
    const std::string word = fold_german(folded);
    if (word.size() < 3 || is_german_stop_word(word)) continue;
    std::optional<std::string> latin1 = utf8_to_latin1(word);
    if (!latin1 || latin1->size() > kMaxPartLetters || is_never_part(*latin1)) continue;
    words[std::move(*latin1)] += counts;
  }

  EntryMap entries;
  add_shipped_words(entries);
  for (const auto& [word, counts] : words) {
    if (word.size() < kMinPartLetters) {
      // Short words are parts only where the shipped list says so.
      if (const auto shipped = entries.find(word); shipped != entries.end()) {
        shipped->second.count += counts.total;
      }
    } else if (counts.is_noun()) {
      add_noun(entries, word, counts);
    } else {
      add_lower_case(entries, word, counts, words);
    }
  }
  keep_whole_what_is_no_noun(entries, words);
  return std::make_shared<DictionaryLexicon>(sorted_entries(entries));
}

}  // namespace beleg

#include "text/compound_lexicon.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "text/german_fold.h"
#include "text/latin1.h"
#include "text/snowball.h"

namespace beleg {
namespace {

constexpr std::size_t kMinWordLetters = 5;
constexpr std::size_t kMaxWordLetters = 120;
constexpr std::size_t kMinPartLetters = 2;  // The lexicon itself holds no short word but real ones.
constexpr std::size_t kMaxPartLetters = 30;
// A whole word this many times as frequent as its parts are on average is not a compound to its
// readers (Koehn & Knight, EACL 2003, take 1; the whole word is kept anyway, so that splitting a
// frequent true compound costs little and finds more).
constexpr double kWholeWordPreference = 16.0;
// What a linking element costs, as a negative logarithm.
struct Linker {
  std::string_view letters;
  float cost;
};
constexpr std::array<Linker, 7> kLinkers = {
    {{"", 0.0F}, {"s", 1.0F}, {"n", 1.5F}, {"es", 2.5F}, {"en", 2.0F}, {"er", 3.0F}, {"e", 3.0F}}};
constexpr float kStemHeadCost = 1.0F;
// The shortest stem that may be a head, and the shortest inflected head.
constexpr std::size_t kMinStemLetters = 3;
constexpr std::size_t kMinPartialStemLetters = 4;
constexpr std::size_t kMinInflectedLetters = 4;

// Nouns of these endings take an s in every compound: what ends so in the middle of a word is a
// part even when the lexicon does not know it ("Anziehungskraft"). Such a part costs as much as a
// very rare word, and must be this long with its ending.
constexpr auto kEndingsBeforeS = std::to_array<std::string_view>(
    {"ung", "heit", "keit", "schaft", "ion", "it\xE4t", "tum", "ling"});
constexpr float kUnknownPartCost = 24.0F;
constexpr std::size_t kMinUnknownPartLetters = 7;
constexpr std::size_t kMinLettersAfterUnknown = 4;

constexpr std::uint64_t kHashSeed = 0x9E3779B97F4A7C15ULL;
constexpr std::uint64_t kHashFactor = 0xD6E8FEB86659FD93ULL;

std::uint64_t extend_hash(std::uint64_t hash, char letter) {
  return (std::rotl(hash, 5) ^ static_cast<unsigned char>(letter)) * kHashFactor;
}

std::uint64_t hash_word(std::string_view word) {
  std::uint64_t hash = kHashSeed;
  for (const char letter : word) hash = extend_hash(hash, letter);
  return hash;
}

std::uint32_t tag_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32U); }

}  // namespace

// The cheapest way to cover the word up to some letter.
struct DictionaryLexicon::Step {
  float cost = std::numeric_limits<float>::infinity();
  const Record* record = nullptr;  // The last part, without its linking element.
  std::uint32_t part_start = 0;
  std::uint32_t part_end = 0;
};

std::string lexicon_stem(std::string_view latin1_word) {
  const std::string stem = snowball_stem(StemAlgorithm::kGerman, latin1_to_utf8(latin1_word));
  return utf8_to_latin1(stem).value_or(std::string());
}

DictionaryLexicon::DictionaryLexicon(const std::vector<LexiconEntry>& entries) {
  double total = 1;
  std::size_t letters = 0;
  for (const LexiconEntry& entry : entries) {
    total += entry.count;
    letters += entry.word.size();
  }
  pool_.reserve(letters);
  records_.reserve(entries.size());
  slots_.resize(std::bit_ceil(std::max<std::size_t>(16, entries.size() * 2)));
  const std::size_t mask = slots_.size() - 1;
  for (const LexiconEntry& entry : entries) {
    records_.push_back({static_cast<std::uint32_t>(pool_.size()), entry.count,
                        static_cast<float>(std::log(total / (entry.count + 0.5))),
                        static_cast<std::uint8_t>(entry.word.size()), entry.flags});
    pool_.append(entry.word);
    const std::uint64_t hash = hash_word(entry.word);
    std::size_t slot = hash & mask;
    while (slots_[slot].record != 0) slot = (slot + 1) & mask;
    slots_[slot] = {tag_of(hash), static_cast<std::uint32_t>(records_.size())};
  }
}

const DictionaryLexicon::Record* DictionaryLexicon::find(std::uint64_t hash,
                                                         std::string_view word) const {
  const std::size_t mask = slots_.size() - 1;
  const std::uint32_t tag = tag_of(hash);
  for (std::size_t slot = hash & mask; slots_[slot].record != 0; slot = (slot + 1) & mask) {
    if (slots_[slot].tag != tag) continue;
    const Record& record = records_[slots_[slot].record - 1];
    if (word_of(record) == word) return &record;
  }
  return nullptr;
}

const DictionaryLexicon::Record* DictionaryLexicon::find(std::string_view word) const {
  return find(hash_word(word), word);
}

// Parts by their ending alone.
void DictionaryLexicon::add_unknown_modifiers(std::string_view word, std::size_t start,
                                              std::vector<Step>& steps) const {
  static constexpr Record kUnknown{.count = 1, .cost = kUnknownPartCost};
  for (std::size_t end = start + kMinUnknownPartLetters;
       end + kMinLettersAfterUnknown < word.size(); ++end) {
    if (word[end] != 's') continue;
    const std::string_view part = word.substr(start, end - start);
    const bool takes_s = std::ranges::any_of(
        kEndingsBeforeS, [&](std::string_view ending) { return part.ends_with(ending); });
    const float cost = steps[start].cost + kUnknown.cost;
    if (!takes_s || cost >= steps[end + 1].cost) continue;
    steps[end + 1] = {cost, &kUnknown, static_cast<std::uint32_t>(start),
                      static_cast<std::uint32_t>(end)};
  }
}

// All parts that start at `start` and do not end the word, each with every fitting linking element.
void DictionaryLexicon::add_modifiers(std::string_view word, std::size_t start,
                                      std::vector<Step>& steps) const {
  std::uint64_t hash = kHashSeed;
  const std::size_t last = std::min(word.size() - kMinPartLetters, start + kMaxPartLetters);
  for (std::size_t end = start + 1; end <= last; ++end) {
    hash = extend_hash(hash, word[end - 1]);
    if (end - start < kMinPartLetters) continue;
    const Record* record = find(hash, word.substr(start, end - start));
    if (record == nullptr || (record->flags & kModifier) == 0) continue;
    for (const Linker& linker : kLinkers) {
      const std::size_t next = end + linker.letters.size();
      if (next + kMinPartLetters > word.size() || !word.substr(end).starts_with(linker.letters)) {
        continue;
      }
      const float cost = steps[start].cost + record->cost + linker.cost;
      if (cost < steps[next].cost) {
        steps[next] = {cost, record, static_cast<std::uint32_t>(start),
                       static_cast<std::uint32_t>(end)};
      }
    }
  }
}

// The part from `start` to the end of the word: as written, or as an inflection of a known stem.
void DictionaryLexicon::add_heads(std::string_view word, std::string_view stem, std::size_t start,
                                  std::vector<Step>& steps) const {
  Step& last = steps[word.size()];
  const auto offer = [&](const Record* record, float extra_cost) {
    if (record == nullptr) return;
    const float cost = steps[start].cost + record->cost + extra_cost;
    if (cost >= last.cost) return;
    last = {cost, record, static_cast<std::uint32_t>(start),
            static_cast<std::uint32_t>(word.size())};
  };
  const std::string_view head = word.substr(start);
  const Record* as_written = head.size() >= kMinPartLetters ? find(head) : nullptr;
  if (as_written != nullptr && (as_written->flags & kHead) != 0) offer(as_written, 0);
  if (head.size() < kMinInflectedLetters || stem.size() < start + kMinStemLetters) return;
  const Record* inflected = find(stem.substr(start));
  if (inflected == nullptr || (inflected->flags & kStem) == 0) return;
  // "tig" is the stem of Tiger, but no word: a short stem must be one, as "tag" is.
  if (inflected->length < kMinPartialStemLetters && (inflected->flags & kHead) == 0) return;
  offer(inflected, kStemHeadCost);
}

bool DictionaryLexicon::worth_splitting(std::string_view word,
                                        const std::vector<Step>& steps) const {
  double log_sum = 0;
  std::size_t parts = 0;
  for (std::size_t end = word.size(); end > 0; end = steps[end].part_start) {
    log_sum += std::log(static_cast<double>(steps[end].record->count) + 0.5);
    ++parts;
  }
  if (parts < 2) return false;
  const Record* whole = find(word);
  if (whole == nullptr) return true;
  const double mean = std::exp(log_sum / static_cast<double>(parts));
  return whole->count <= mean * kWholeWordPreference;
}

std::vector<std::string> DictionaryLexicon::split(std::string_view word) const {
  const std::optional<std::string> letters = utf8_to_latin1(fold_german(word));
  if (!letters || letters->size() < kMinWordLetters || letters->size() > kMaxWordLetters) return {};
  const std::string_view whole = *letters;
  const std::string stem = lexicon_stem(whole);
  for (const std::string_view form : {whole, std::string_view(stem)}) {
    const Record* record = find(form);
    if (record != nullptr && (record->flags & kSimplexWord) != 0) return {};
  }

  std::vector<Step> steps(whole.size() + 1);
  steps[0].cost = 0;
  for (std::size_t start = 0; start + kMinPartLetters <= whole.size(); ++start) {
    if (steps[start].cost == std::numeric_limits<float>::infinity()) continue;
    add_modifiers(whole, start, steps);
    add_unknown_modifiers(whole, start, steps);
    if (start > 0) add_heads(whole, stem, start, steps);
  }
  if (steps[whole.size()].record == nullptr || !worth_splitting(whole, steps)) return {};

  std::vector<std::string> parts;
  for (std::size_t end = whole.size(); end > 0; end = steps[end].part_start) {
    const Step& step = steps[end];
    parts.push_back(latin1_to_utf8(whole.substr(step.part_start, step.part_end - step.part_start)));
  }
  std::reverse(parts.begin(), parts.end());
  return parts;
}

std::string DictionaryLexicon::serialize() const {
  std::vector<LexiconEntry> entries;
  entries.reserve(records_.size());
  for (const Record& record : records_) {
    entries.push_back({std::string(word_of(record)), record.count, record.flags});
  }
  return serialize_lexicon(entries);
}

std::shared_ptr<const CompoundLexicon> read_compound_lexicon(std::string_view bytes) {
  const std::optional<std::vector<LexiconEntry>> entries = parse_lexicon(bytes);
  if (!entries) return nullptr;
  return std::make_shared<DictionaryLexicon>(*entries);
}

}  // namespace beleg

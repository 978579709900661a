#include "text/word_forms.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "text/case_fold.h"
#include "text/german_fold.h"
#include "text/snowball.h"
#include "text/stop_words.h"

namespace beleg {
namespace {

// Weight of a compound's parts relative to the whole, and of the parts of a part.
constexpr float kPartWeight = 0.6F;
constexpr float kNestedPartWeight = 0.4F;
constexpr std::size_t kMaxSplitBytes = 128;
// Longer words are not remembered: they are rare, and would hold memory.
constexpr std::size_t kMaxCachedBytes = 48;
constexpr std::size_t kCacheSlots = 1U << 14U;

class GermanNormalizer final : public WordNormalizer {
 public:
  explicit GermanNormalizer(std::shared_ptr<const CompoundLexicon> compounds)
      : compounds_(std::move(compounds)) {}

  [[nodiscard]] WordForms forms_of(std::string_view folded) const override {
    WordForms forms;
    const std::string word = fold_german(without_apostrophe(folded));
    forms.stop_word = is_german_stop_word(word);
    forms.term = german_stem(word);
    if (!forms.stop_word && compounds_ != nullptr && word.size() <= kMaxSplitBytes) {
      add_parts(word, kPartWeight, forms);
    }
    return forms;
  }

 private:
  // "Andrea's" and "geht's" lose the s; other apostrophes only go: "D'dorf".
  static std::string without_apostrophe(std::string_view word) {
    if (word.size() > 3 && word.ends_with("'s")) word.remove_suffix(2);
    std::string joined(word);
    std::erase(joined, '\'');
    return joined;
  }

  void add_parts(std::string_view word, float weight, WordForms& forms) const {
    for (const std::string& part : compounds_->split(word)) {
      std::string stem = german_stem(part);
      const bool known =
          stem == forms.term || std::ranges::any_of(forms.parts, [&](const WordForms::Part& other) {
            return other.term == stem;
          });
      if (!known) forms.parts.push_back({std::move(stem), weight, 0});
      if (weight > kNestedPartWeight) add_parts(part, kNestedPartWeight, forms);
    }
  }

  std::shared_ptr<const CompoundLexicon> compounds_;  // Shared with the index that stores it.
};

class EnglishNormalizer final : public WordNormalizer {
 public:
  [[nodiscard]] WordForms forms_of(std::string_view folded) const override {
    WordForms forms;
    std::string word = is_ascii(folded) ? std::string(folded) : strip_accents(folded, false);
    forms.stop_word = is_english_stop_word(word);
    if (word.size() > 2 && word.ends_with("'s")) word.resize(word.size() - 2);
    std::erase(word, '\'');
    forms.term = snowball_stem(StemAlgorithm::kEnglish, word);
    return forms;
  }
  // English ties phrases with hyphens ("high-pressure"), whose words count too much otherwise:
  // nDCG@10 of MED .681 with 1, .686 with 0.8, .695 with 0.4; of CISI .409, .409, .407.
  [[nodiscard]] float hyphen_part_weight() const override { return 0.5F; }
  [[nodiscard]] bool has_decimal_comma() const override { return false; }
};

class PlainNormalizer final : public WordNormalizer {
 public:
  [[nodiscard]] WordForms forms_of(std::string_view folded) const override {
    WordForms forms;
    forms.term = folded;
    std::erase(forms.term, '\'');
    return forms;
  }
};

std::uint64_t hash_bytes(std::string_view bytes, std::uint64_t seed) {
  constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15ULL;
  std::uint64_t hash = seed ^ (bytes.size() * kFactor);
  while (bytes.size() >= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), 8);
    hash = (std::rotl(hash, 29) ^ word) * kFactor;
    bytes.remove_prefix(8);
  }
  std::uint64_t rest = 0;
  if (!bytes.empty()) std::memcpy(&rest, bytes.data(), bytes.size());
  hash = (std::rotl(hash, 29) ^ rest) * kFactor;
  return hash ^ (hash >> 32U);
}

void number_terms(TermSink& sink, WordForms& forms) {
  if (sink.id() == 0) return;
  forms.number = sink.number_of(forms.term);
  for (WordForms::Part& part : forms.parts) part.number = sink.number_of(part.term);
}

}  // namespace

std::unique_ptr<WordNormalizer> make_german_normalizer(
    std::shared_ptr<const CompoundLexicon> compounds) {
  return std::make_unique<GermanNormalizer>(std::move(compounds));
}

std::unique_ptr<WordNormalizer> make_english_normalizer() {
  return std::make_unique<EnglishNormalizer>();
}

std::unique_ptr<WordNormalizer> make_plain_normalizer() {
  return std::make_unique<PlainNormalizer>();
}

struct WordCache::Slot {
  std::uint64_t owner = 0;  // 0 is empty.
  std::uint64_t sink = 0;   // Whose numbers the forms have.
  std::string key;
  WordForms forms;
};

WordCache::WordCache() : slots_(kCacheSlots) {}
WordCache::~WordCache() = default;

const WordForms& WordCache::find(const WordNormalizer& normalizer, std::uint64_t owner,
                                 TermSink& sink, std::string_view folded) {
  if (folded.size() > kMaxCachedBytes) {
    uncached_ = normalizer.forms_of(folded);
    number_terms(sink, uncached_);
    return uncached_;
  }
  Slot& slot = slots_[hash_bytes(folded, owner) & (kCacheSlots - 1)];
  if (slot.owner != owner || slot.key != folded) {
    slot.forms = normalizer.forms_of(folded);
    slot.key = folded;
    slot.owner = owner;
    slot.sink = 0;
  }
  if (sink.id() != 0 && slot.sink != sink.id()) {
    number_terms(sink, slot.forms);
    slot.sink = sink.id();
  }
  return slot.forms;
}

WordCache& word_cache_of_this_thread() {
  thread_local WordCache cache;
  return cache;
}

}  // namespace beleg

#include "text/analyzer.h"

#include <algorithm>
#include <array>
#include <atomic>

#include "text/case_fold.h"
#include "text/characters.h"
#include "text/identifier.h"
#include "text/word_breaker.h"
#include "text/word_forms.h"

namespace beleg {
namespace {

// Weight of parts relative to the whole; see also word_forms.cc.
constexpr float kIdentifierPartWeight = 0.8F;

// Bytes of text per term, for reserving: about six in either language.
constexpr std::size_t kBytesPerTerm = 5;

std::uint64_t next_owner() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

// In capitals these stop words are something else: the United States, information technology, the
// World Health Organization, Islamic State.
bool is_acronym_in_capitals(std::string_view token) {
  return token == "US" || token == "IT" || token == "WHO" || token == "IS";
}

// One text's terms in the making.
class TermWriter {
 public:
  TermWriter(const WordNormalizer& normalizer, std::uint64_t owner, std::string_view text)
      : normalizer_(normalizer), owner_(owner), text_(text) {
    terms_.reserve(text.size() / kBytesPerTerm + 1);
  }

  void add(const RawToken& token) {
    constexpr std::uint32_t kNotPlain =
        kHasInnerUpper | kHasDigit | kHasHyphen | kHasApostrophe | kHasConnector | kIsUrl;
    if ((token.traits & kNotPlain) == 0) {
      add_word(token.span, (token.traits & kHasNonAscii) != 0, 1.0F, TermForm::kWord);
    } else {
      add_special(token);
    }
    ++position_;
  }

  std::vector<AnalyzedTerm> take() { return std::move(terms_); }

 private:
  [[nodiscard]] std::string_view bytes(ByteSpan span) const {
    return text_.substr(span.start, span.size());
  }

  void emit(std::string_view term, ByteSpan span, TermForm form, float weight, bool stop_word) {
    if (term.empty()) return;
    terms_.push_back({std::string(term), position_, span, form, weight, stop_word});
  }

  // A word and, if it is a compound, its parts.
  void add_word(ByteSpan span, bool non_ascii, float weight, TermForm form) {
    const std::string_view word = bytes(span);
    constexpr std::size_t kFastBytes = 64;
    if (!non_ascii && word.size() <= kFastBytes) {
      std::array<char, kFastBytes> lower;
      for (std::size_t i = 0; i < word.size(); ++i) {
        const char c = word[i];
        lower[i] = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
      }
      add_folded({lower.data(), word.size()}, span, weight, form);
      return;
    }
    folded_.clear();
    append_folded(word, folded_);
    add_folded(folded_, span, weight, form);
  }

  void add_folded(std::string_view folded, ByteSpan span, float weight, TermForm form) {
    const WordForms& forms = cached_forms(normalizer_, owner_, folded);
    const bool stop_word = forms.stop_word && !is_acronym_in_capitals(bytes(span));
    emit(forms.term, span, form, weight, stop_word);
    for (const WordForms::Part& part : forms.parts) {
      emit(part.term, span, TermForm::kCompoundPart, weight * part.weight, false);
    }
  }

  void add_special(const RawToken& token);
  void add_joined_word(ByteSpan span, bool hyphens);
  void add_parts(ByteSpan span, TermForm form, float weight, std::size_t whole);
  bool add_gender_form(ByteSpan span);
  bool add_number_or_acronym(const RawToken& token);

  const WordNormalizer& normalizer_;
  std::uint64_t owner_;
  std::string_view text_;
  std::vector<AnalyzedTerm> terms_;
  std::uint32_t position_ = 0;
  std::string folded_;
};

// A word with one kind of apostrophe and, if `join`, without its hyphens.
std::string plain_punctuation(std::string_view word, bool join) {
  std::string plain;
  plain.reserve(word.size());
  for (std::size_t i = 0; i < word.size();) {
    const ClassAt here = class_at(word, i);
    if (here.char_class == CharClass::kApostrophe) {
      plain.push_back('\'');
    } else if (here.char_class != CharClass::kHyphen || !join) {
      plain.append(word.substr(i, here.length));
    }
    i += here.length;
  }
  return plain;
}

// Letters with hyphens or apostrophes: "E-Mail" is the word "Email", and its parts.
void TermWriter::add_joined_word(ByteSpan span, bool hyphens) {
  std::string folded;
  append_folded(plain_punctuation(bytes(span), hyphens), folded);
  const std::size_t whole = terms_.size();
  const WordForms& forms = cached_forms(normalizer_, owner_, folded);
  emit(forms.term, span, TermForm::kWord, 1.0F,
       forms.stop_word && !is_acronym_in_capitals(bytes(span)));
  if (hyphens) {
    add_parts(span, TermForm::kCompoundPart, normalizer_.hyphen_part_weight(), whole);
    return;
  }
  for (const WordForms::Part& part : forms.parts) {
    emit(part.term, span, TermForm::kCompoundPart, part.weight, false);
  }
  // "O'Brien", "l'amour": also the word behind the short prefix.
  const std::size_t apostrophe = folded.find('\'');
  if (apostrophe <= 2 && folded.size() >= apostrophe + 4) {
    const std::string tail = folded.substr(apostrophe + 1);
    emit(cached_forms(normalizer_, owner_, tail).term, span, TermForm::kIdentifierPart,
         kIdentifierPartWeight, false);
  }
}

// `whole` is the index of the term whose parts these are; a part that is the same term is left out.
void TermWriter::add_parts(ByteSpan span, TermForm form, float weight, std::size_t whole) {
  for (const IdentifierPart& part : split_identifier(bytes(span))) {
    const ByteSpan at{span.start + part.span.start, span.start + part.span.end};
    const std::size_t before = terms_.size();
    if (part.letters_only) {
      add_word(at, !is_ascii(bytes(at)), weight, form);
    } else {
      std::string folded;
      append_folded(bytes(at), folded);
      emit(folded, at, form, weight, false);
    }
    if (terms_.size() > before && whole < before && terms_[before].term == terms_[whole].term) {
      terms_.erase(terms_.begin() + static_cast<std::ptrdiff_t>(before));
    }
  }
}

// "Bürger:innen" stands for Bürger and Bürgerinnen.
bool TermWriter::add_gender_form(ByteSpan span) {
  const std::size_t stem = gender_form_stem(bytes(span));
  if (stem == 0) return false;
  const auto is_plain_letter = [](char c) {
    return static_cast<unsigned char>(c) >= 0x80U || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z');
  };
  const std::string_view base = bytes(span).substr(0, stem);
  if (!std::ranges::all_of(base, is_plain_letter)) return false;
  std::string feminine(base);
  feminine += bytes(span).ends_with("innen") || bytes(span).ends_with("Innen") ? "innen" : "in";
  std::string folded;
  append_folded(feminine, folded);
  add_folded(folded, span, 1.0F, TermForm::kWord);
  add_word({span.start, span.start + static_cast<std::uint32_t>(stem)}, !is_ascii(base), 1.0F,
           TermForm::kWord);
  return true;
}

bool TermWriter::add_number_or_acronym(const RawToken& token) {
  const std::string_view word = bytes(token.span);
  if ((token.traits & (kHasLower | kHasUpper | kHasNonAscii)) == 0) {
    const std::string number = canonical_number(word, normalizer_.has_decimal_comma());
    if (number.empty()) return false;
    emit(number, token.span, TermForm::kWord, 1.0F, false);
    return true;
  }
  if ((token.traits & kHasConnector) == 0 || word.size() > 32) return false;
  const std::string acronym = join_acronym(word);
  if (acronym.empty()) return false;
  std::string folded;
  append_folded(acronym, folded);
  // "z.B." is one, "U.S." is none.
  const bool stop_word =
      cached_forms(normalizer_, owner_, folded).stop_word && (token.traits & kHasLower) != 0;
  emit(folded, token.span, TermForm::kWord, 1.0F, stop_word);
  return true;
}

// Everything that is not just letters with at most a capital in front.
void TermWriter::add_special(const RawToken& token) {
  const std::string_view word = bytes(token.span);
  const bool digits = (token.traits & kHasDigit) != 0;
  const bool connected = (token.traits & kHasConnector) != 0;
  if (add_number_or_acronym(token) || add_gender_form(token.span)) return;
  if (!digits && !connected && (token.traits & (kHasHyphen | kHasApostrophe)) != 0) {
    add_joined_word(token.span, (token.traits & kHasHyphen) != 0);
    return;
  }
  const std::size_t whole = terms_.size();
  if (!digits && !connected) {
    // Capitals inside: the same word as in lower case, and its camelCase parts.
    add_word(token.span, (token.traits & kHasNonAscii) != 0, 1.0F, TermForm::kWord);
  } else {
    const std::string_view written = (token.traits & kIsUrl) != 0 ? canonical_url(word) : word;
    std::string folded;
    append_folded(written, folded);
    emit(folded, token.span, TermForm::kIdentifier, 1.0F, false);
  }
  const auto skipped = (token.traits & kIsUrl) != 0
                           ? static_cast<std::uint32_t>(canonical_url(word).data() - word.data())
                           : 0U;
  add_parts({token.span.start + skipped, token.span.end}, TermForm::kIdentifierPart,
            kIdentifierPartWeight, whole);
}

class TextAnalyzer final : public Analyzer {
 public:
  explicit TextAnalyzer(std::unique_ptr<const WordNormalizer> normalizer)
      : normalizer_(std::move(normalizer)), owner_(next_owner()) {}

  [[nodiscard]] std::vector<AnalyzedTerm> analyze(std::string_view text) const override {
    TermWriter writer(*normalizer_, owner_, text);
    WordBreaker breaker(text);
    RawToken token;
    while (breaker.next(token)) writer.add(token);
    return writer.take();
  }

 private:
  std::unique_ptr<const WordNormalizer> normalizer_;
  std::uint64_t owner_;  // Key of this analyzer in the word caches.
};

}  // namespace

std::unique_ptr<Analyzer> make_analyzer(std::string_view language,
                                        std::shared_ptr<const CompoundLexicon> compounds) {
  if (language == "de") {
    return std::make_unique<TextAnalyzer>(make_german_normalizer(std::move(compounds)));
  }
  if (language == "en") return std::make_unique<TextAnalyzer>(make_english_normalizer());
  return std::make_unique<TextAnalyzer>(make_plain_normalizer());
}

}  // namespace beleg

#include "text/analyzer.h"

#include <algorithm>
#include <array>
#include <atomic>

#include "text/case_fold.h"
#include "text/characters.h"
#include "text/identifier.h"
#include "text/legal_reference.h"
#include "text/token_cache.h"
#include "text/word_breaker.h"
#include "text/word_cache.h"
#include "text/word_forms.h"

namespace beleg {
namespace {

// Weight of parts relative to the whole; see also word_forms.cc.
constexpr float kIdentifierPartWeight = 0.8F;

// Bytes of text per term, for reserving: about six in either language.
constexpr std::size_t kBytesPerTerm = 5;

// Tokens that are looked up together.
constexpr std::size_t kBatch = 16;

// Ids of analyzers and of sinks that number terms.
template <class Id>
Id next_id() {
  static std::atomic<Id> last{0};
  return ++last;
}

// In capitals these stop words are something else: the United States, information technology, the
// World Health Organization, Islamic State.
bool is_acronym_in_capitals(std::string_view token) {
  return token == "US" || token == "IT" || token == "WHO" || token == "IS";
}

class TermCollector final : public TermSink {
 public:
  explicit TermCollector(std::size_t expected) { terms_.reserve(expected); }

  void add(const TermView& view) override {
    terms_.push_back(
        {std::string(view.term), view.position, view.span, view.form, view.weight, view.stop_word});
  }
  std::vector<AnalyzedTerm> take() { return std::move(terms_); }

 private:
  std::vector<AnalyzedTerm> terms_;
};

// Hands the terms of one text to a sink.
class TermWriter {
 public:
  TermWriter(const WordNormalizer& normalizer, std::uint32_t owner, std::string_view text,
             TermSink& sink)
      : normalizer_(normalizer),
        owner_(owner),
        text_(text),
        sink_(sink),
        cache_(word_cache_of_this_thread()),
        tokens_(token_cache_of_this_thread()),
        context_(sink.id() != 0 ? tokens_.context_of(owner, sink.id()) : 0) {}

  void add(const RawToken& token) {
    if (may_start_legal_reference(text_, token.span.start)) add_references(token.span.start);
    add_terms(token);
    ++position_;
  }

  // The same for a sink that numbers terms: what they become comes from the cache if it is there.
  void add(std::span<const RawToken> tokens) {
    // The steps are taken for many tokens at a time, so that memory has the time to come.
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      keys_[i].take(text_, tokens[i], context_);
      tokens_.prefetch_frequent(keys_[i]);
    }
    for (std::size_t i = 0; i < tokens.size(); ++i) tokens_.prefetch_slot(keys_[i]);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const RawToken& token = tokens[i];
      if (may_start_legal_reference(text_, token.span.start)) add_references(token.span.start);
      if (keys_[i].is_set()) {
        add_remembered(token, keys_[i]);
      } else {
        add_terms(token);
      }
      ++position_;
    }
  }

 private:
  void add_remembered(const RawToken& token, const TokenKey& key) {
    if (const auto known = tokens_.find(key)) {
      for (const NumberedTerm& term : *known) hand_over(term, token.span.start);
      return;
    }
    recorded_.clear();
    record_from_ = token.span.start;
    recording_ = true;
    add_terms(token);
    recording_ = false;
    for (const NumberedTerm& term : recorded_) hand_over(term, token.span.start);
    tokens_.add(key, recorded_);
  }

  void hand_over(const NumberedTerm& term, std::uint32_t start) {
    sink_.add({.term = {},
               .number = term.number,
               .position = position_,
               .span = {start + term.span.start, start + term.span.end},
               .form = term.form,
               .weight = term.weight,
               .stop_word = term.stop_word});
  }

  void add_terms(const RawToken& token) {
    constexpr std::uint32_t kNotPlain =
        kHasInnerUpper | kHasDigit | kHasHyphen | kHasApostrophe | kHasConnector | kIsUrl;
    if ((token.traits & kNotPlain) == 0) {
      add_word(token.span, (token.traits & kHasNonAscii) != 0, 1.0F, TermForm::kWord);
    } else {
      add_special(token);
    }
  }

  [[nodiscard]] std::string_view bytes(ByteSpan span) const {
    return text_.substr(span.start, span.size());
  }

  void emit(std::string_view term, std::uint32_t number, ByteSpan span, TermForm form, float weight,
            bool stop_word) {
    if (term.empty()) return;
    if (sink_.id() == 0) {
      sink_.add({term, number, position_, span, form, weight, stop_word});
      return;
    }
    const std::uint32_t from = recording_ ? record_from_ : 0;
    const NumberedTerm numbered{
        number, weight, {span.start - from, span.end - from}, form, stop_word};
    if (recording_) {
      recorded_.push_back(numbered);
    } else {
      hand_over(numbered, 0);
    }
  }

  void emit(std::string_view term, ByteSpan span, TermForm form, float weight, bool stop_word) {
    if (term.empty()) return;
    emit(term, sink_.id() != 0 ? sink_.number_of(term) : 0, span, form, weight, stop_word);
  }

  [[nodiscard]] const CachedWord& forms_of(std::string_view folded) {
    return key_.take_folded(folded) ? cache_.find(normalizer_, owner_, sink_, key_)
                                    : cache_.find_uncached(normalizer_, sink_, folded);
  }

  [[nodiscard]] const CachedWord& look_up(std::string_view word, bool non_ascii) {
    if (non_ascii ? key_.fold_latin1(word) : key_.fold_ascii(word)) {
      return cache_.find(normalizer_, owner_, sink_, key_);
    }
    folded_.clear();
    append_folded(word, folded_);
    return forms_of(folded_);
  }

  // A word and, if it is a compound, its parts. The forms hold until the next word.
  const CachedWord& add_word(ByteSpan span, bool non_ascii, float weight, TermForm form) {
    const CachedWord& forms = look_up(bytes(span), non_ascii);
    add_forms(forms, span, weight, form);
    return forms;
  }

  void add_forms(const CachedWord& forms, ByteSpan span, float weight, TermForm form) {
    const bool stop_word = forms.stop_word && !is_acronym_in_capitals(bytes(span));
    // A part that is the same term as its whole is left out.
    if (form == TermForm::kWord || forms.term != whole_) {
      emit(forms.term, forms.number, span, form, weight, stop_word);
    }
    emit_parts(forms, span, weight);
  }

  void emit_parts(const CachedWord& forms, ByteSpan span, float weight) {
    for (const CachedWord::Part& part : forms.parts) {
      emit(part.term, part.number, span, TermForm::kCompoundPart, weight * part.weight, false);
    }
  }

  void add_references(std::size_t token_start);
  void add_special(const RawToken& token);
  void add_joined_word(ByteSpan span, bool hyphens);
  void add_parts(ByteSpan span, TermForm form, float weight);
  bool add_gender_form(ByteSpan span);
  bool add_number_or_acronym(const RawToken& token);

  const WordNormalizer& normalizer_;
  std::uint32_t owner_;
  std::string_view text_;
  TermSink& sink_;
  WordCache& cache_;
  TokenCache& tokens_;
  std::uint32_t context_;
  WordKey key_;
  std::array<TokenKey, kBatch> keys_;
  bool recording_ = false;  // Terms go to `recorded_`, their spans counted from `record_from_`.
  std::uint32_t record_from_ = 0;
  std::vector<NumberedTerm> recorded_;
  std::uint32_t position_ = 0;
  std::string folded_;
  std::string whole_;  // The term whose parts are being added.
};

// A reference is a word of its own before the words it is written with, whose order alone would
// not tell "§ 5 Abs. 2" from "§ 2 Abs. 5".
void TermWriter::add_references(std::size_t token_start) {
  const std::size_t start = legal_reference_start(text_, token_start);
  if (start == std::string_view::npos) return;
  for (const LegalReference& reference : legal_references_at(text_, start)) {
    TermForm form = TermForm::kReference;
    float weight = 1.0F;
    for (const std::string& term : reference.terms) {
      emit(term, reference.span, form, weight, false);
      form = TermForm::kReferencePart;
      weight = kIdentifierPartWeight;
    }
    ++position_;
  }
}

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
  const CachedWord& forms = forms_of(folded);
  emit(forms.term, forms.number, span, TermForm::kWord, 1.0F,
       forms.stop_word && !is_acronym_in_capitals(bytes(span)));
  if (hyphens) {
    whole_ = forms.term;
    add_parts(span, TermForm::kCompoundPart, normalizer_.hyphen_part_weight());
    return;
  }
  emit_parts(forms, span, 1.0F);
  // "O'Brien", "l'amour": also the word behind the short prefix.
  const std::size_t apostrophe = folded.find('\'');
  if (apostrophe <= 2 && folded.size() >= apostrophe + 4) {
    const std::string tail = folded.substr(apostrophe + 1);
    const CachedWord& word = forms_of(tail);
    emit(word.term, word.number, span, TermForm::kIdentifierPart, kIdentifierPartWeight, false);
  }
}

// The parts of `whole_`.
void TermWriter::add_parts(ByteSpan span, TermForm form, float weight) {
  for (const IdentifierPart& part : split_identifier(bytes(span))) {
    const ByteSpan at{span.start + part.span.start, span.start + part.span.end};
    if (part.letters_only) {
      add_word(at, !is_ascii(bytes(at)), weight, form);
      continue;
    }
    folded_.clear();
    append_folded(bytes(at), folded_);
    if (folded_ != whole_) emit(folded_, at, form, weight, false);
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
  add_forms(forms_of(folded), span, 1.0F, TermForm::kWord);
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
  const bool stop_word = forms_of(folded).stop_word && (token.traits & kHasLower) != 0;
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
  if (!digits && !connected) {
    // Capitals inside: the same word as in lower case, and its camelCase parts.
    whole_ = add_word(token.span, (token.traits & kHasNonAscii) != 0, 1.0F, TermForm::kWord).term;
  } else {
    const std::string_view written = (token.traits & kIsUrl) != 0 ? canonical_url(word) : word;
    whole_.clear();
    append_folded(written, whole_);
    emit(whole_, token.span, TermForm::kIdentifier, 1.0F, false);
  }
  const auto skipped = (token.traits & kIsUrl) != 0
                           ? static_cast<std::uint32_t>(canonical_url(word).data() - word.data())
                           : 0U;
  add_parts({token.span.start + skipped, token.span.end}, TermForm::kIdentifierPart,
            kIdentifierPartWeight);
}

class TextAnalyzer final : public Analyzer {
 public:
  explicit TextAnalyzer(std::unique_ptr<const WordNormalizer> normalizer)
      : normalizer_(std::move(normalizer)), owner_(next_id<std::uint32_t>()) {}

  void for_each_term(std::string_view text, TermSink& sink) const override {
    TermWriter writer(*normalizer_, owner_, text, sink);
    WordBreaker breaker(text);
    if (sink.id() == 0) {
      RawToken token;
      while (breaker.next(token)) writer.add(token);
      return;
    }
    std::array<RawToken, kBatch> tokens;
    std::size_t count = 0;
    while (breaker.next(tokens[count])) {
      if (++count < kBatch) continue;
      writer.add(tokens);
      count = 0;
    }
    writer.add(std::span(tokens).first(count));
  }

 private:
  std::unique_ptr<const WordNormalizer> normalizer_;
  std::uint32_t owner_;  // Key of this analyzer in the word caches.
};

}  // namespace

TermSink::TermSink(bool numbers_terms) : id_(numbers_terms ? next_id<std::uint64_t>() : 0) {}

std::vector<AnalyzedTerm> Analyzer::analyze(std::string_view text) const {
  TermCollector collector(text.size() / kBytesPerTerm + 1);
  for_each_term(text, collector);
  return collector.take();
}

std::unique_ptr<Analyzer> make_analyzer(std::string_view language,
                                        std::shared_ptr<const CompoundLexicon> compounds) {
  if (language == "de") {
    return std::make_unique<TextAnalyzer>(make_german_normalizer(std::move(compounds)));
  }
  if (language == "en") return std::make_unique<TextAnalyzer>(make_english_normalizer());
  return std::make_unique<TextAnalyzer>(make_plain_normalizer());
}

}  // namespace beleg

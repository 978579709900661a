#include "route/template_match.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "route/plan_lexicon.h"
#include "text/case_fold.h"
#include "text/german_fold.h"
#include "text/language.h"
#include "text/stop_words.h"
#include "text/word_breaker.h"

namespace beleg {
namespace {

/// Cosine of two vectors, nothing where it is not defined.
std::optional<double> cosine(std::span<const float> a, std::span<const float> b) {
  if (a.size() != b.size() || a.empty()) return std::nullopt;
  double dot = 0.0;
  double aa = 0.0;
  double bb = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = a[i];
    const double y = b[i];
    dot += x * y;
    aa += x * x;
    bb += y * y;
  }
  const double norm = std::sqrt(aa) * std::sqrt(bb);
  if (!(norm > 0.0) || !std::isfinite(norm) || !std::isfinite(dot)) return std::nullopt;
  return std::clamp(dot / norm, -1.0, 1.0);
}

/// The nearest example of one template.
struct Nearest {
  double similarity = -std::numeric_limits<double>::infinity();
  std::size_t example = 0;
};

Nearest nearest_example(std::span<const float> question, const TemplateVectors& entry) {
  Nearest out;
  for (std::size_t i = 0; i < entry.vectors.size(); ++i) {
    const std::optional<double> value = cosine(question, entry.vectors[i]);
    if (value && *value > out.similarity) out = {*value, i};
  }
  return out;
}

double confidence_of(double similarity, double margin, const TemplateMatchSettings& settings) {
  const double score =
      settings.slope * similarity + settings.margin_slope * margin + settings.offset;
  return std::isnan(score) ? 0.0 : 1.0 / (1.0 + std::exp(-score));
}

/// Question words, by what they ask for. The first of each line is the key, the same for both
/// languages: an example may answer a question in the other one.
constexpr std::array<std::string_view, 9> kGermanQuestionWords = {
    "when wann",
    "why warum weshalb wieso weswegen",
    "how wie wieviel wieviele inwiefern inwieweit",
    "who wer wen wem wessen",
    "where wo",
    "whither wohin",
    "whence woher",
    "what was wozu wodurch womit wofür woran worauf worin worüber wovon wovor wogegen worum woraus "
    "wonach",
    "which welche welcher welches welchen welchem welch"};
constexpr std::array<std::string_view, 7> kEnglishQuestionWords = {
    "when", "why", "how", "who whom whose", "where", "what", "which"};
constexpr std::string_view kNegations =
    "nicht nichts nie niemals niemand niemanden niemandem nirgends nirgendwo kein keine keinen "
    "keinem keiner keines keinerlei weder ohne not no never none nothing nobody nowhere neither "
    "nor without cannot";

/// What a question says beside its subject.
struct Gist {
  std::set<std::string> words;  ///< All, folded.
  std::set<std::string> names;  ///< Of those, the ones that another text must have too.
  std::set<std::string_view> asks;
  bool negated = false;
};

std::string folded_word(std::string_view word) {
  std::string lower;
  append_folded(word, lower);
  return fold_german(lower);
}

/// A word without the s of a genitive or of "what's", so that "Lecanemabs" is "Lecanemab".
std::string base_form(std::string word) {
  constexpr std::size_t kShortestWithEnding = 6;
  for (const std::string_view ending : {"'s", "’s"}) {
    if (word.ends_with(ending)) word.resize(word.size() - ending.size());
  }
  if (word.size() >= kShortestWithEnding && word.ends_with('s')) word.pop_back();
  return word;
}

bool is_stop_word(const std::string& folded) {
  return is_german_stop_word(folded) || is_english_stop_word(folded);
}

bool is_in_lexicon(const std::string& folded) {
  return classify_word(folded, true) != WordClass::kNone ||
         classify_word(folded, false) != WordClass::kNone;
}

/// Whether a word must stand in the other text too.
bool is_name(const std::string& folded, std::uint32_t traits, bool first, bool no_capitals) {
  // "WHO", "US" and "ePA" are no function words, however they look when folded.
  if ((traits & (kHasDigit | kHasInnerUpper)) != 0) return true;
  if (is_stop_word(folded)) return false;
  if (no_capitals) return !is_in_lexicon(folded);
  if ((traits & kHasUpper) == 0) return false;
  // "Kostet …?", "Übernimmt …?": the verb of a German yes-no question has its capital by place.
  // Further on, "Kosten" and "Essen" are nouns.
  return !first || (!is_in_lexicon(folded) && !folded.ends_with('t'));
}

template <std::size_t Size>
void add_question_word(const std::array<std::string_view, Size>& lists, std::string_view word,
                       std::set<std::string_view>& asks) {
  for (const std::string_view list : lists) {
    if (is_one_of(word, list)) asks.insert(list.substr(0, list.find(' ')));
  }
}

Gist gist_of(std::string_view text) {
  std::vector<RawToken> tokens;
  WordBreaker breaker(text);
  bool no_capitals = true;
  for (RawToken token; breaker.next(token);) {
    tokens.push_back(token);
    if ((token.traits & kHasUpper) != 0) no_capitals = false;
  }
  // "Was" asks in German, but is a form of "to be" in English.
  const bool german = detect_language(text).code != "en";
  Gist gist;
  for (const RawToken& token : tokens) {
    const std::string_view written = text.substr(token.span.start, token.span.size());
    const std::string folded = folded_word(written);
    const std::string base = base_form(folded);
    if (is_name(folded, token.traits, &token == &tokens.front(), no_capitals)) {
      gist.names.insert(base);
    }
    gist.words.insert(base);
    // "WHO" asks nothing.
    if ((token.traits & kHasInnerUpper) == 0) {
      if (german) add_question_word(kGermanQuestionWords, base, gist.asks);
      add_question_word(kEnglishQuestionWords, base, gist.asks);
    }
    gist.negated = gist.negated || is_one_of(folded, kNegations) || folded.ends_with("n't") ||
                   folded.ends_with("n’t");
  }
  return gist;
}

/// The words of an intent, which is written like "opening_hours".
std::set<std::string> intent_words(std::string_view intent) {
  std::string text(intent);
  for (char& c : text) {
    if (c == '_' || c == '-' || c == '.' || c == '/') c = ' ';
  }
  return gist_of(text).words;
}

bool agree(const Gist& question, const Gist& example, const std::set<std::string>& intent) {
  const auto in_example = [&](const std::string& name) {
    return example.words.contains(name) || intent.contains(name);
  };
  const auto in_question = [&](const std::string& name) { return question.words.contains(name); };
  return question.negated == example.negated && question.asks == example.asks &&
         std::ranges::all_of(question.names, in_example) &&
         std::ranges::all_of(example.names, in_question);
}

}  // namespace

std::optional<TemplateMatch> match_template(std::span<const float> question,
                                            std::span<const TemplateVectors> templates,
                                            const TemplateMatchSettings& settings) {
  std::vector<Nearest> nearest;
  nearest.reserve(templates.size());
  for (const TemplateVectors& entry : templates)
    nearest.push_back(nearest_example(question, entry));
  const auto best = std::max_element(
      nearest.begin(), nearest.end(),
      [](const Nearest& a, const Nearest& b) { return a.similarity < b.similarity; });
  if (best == nearest.end() || !std::isfinite(best->similarity)) return std::nullopt;
  const TemplateVectors& winner = templates[static_cast<std::size_t>(best - nearest.begin())];

  double second = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < templates.size(); ++i) {
    if (templates[i].intent != winner.intent) second = std::max(second, nearest[i].similarity);
  }
  TemplateMatch match;
  match.index = winner.index;
  match.similarity = best->similarity;
  match.margin = std::min(best->similarity - second, settings.max_margin);
  match.confidence = confidence_of(match.similarity, match.margin, settings);
  if (best->example < winner.examples.size()) match.example = winner.examples[best->example];
  match.answers = match.confidence >= settings.threshold;
  return match;
}

std::optional<TemplateMatch> match_template(std::string_view question_text,
                                            std::span<const float> question,
                                            std::span<const TemplateVectors> templates,
                                            const TemplateMatchSettings& settings) {
  std::optional<TemplateMatch> match = match_template(question, templates, settings);
  if (!match || !match->answers) return match;
  const auto winner = std::ranges::find(templates, match->index, &TemplateVectors::index);
  const Gist gist = gist_of(question_text);
  const std::set<std::string> intent = intent_words(winner->intent);
  match->answers = std::ranges::any_of(winner->examples, [&](const std::string& example) {
    return agree(gist, gist_of(example), intent);
  });
  return match;
}

bool asks_the_same(std::string_view question, std::string_view example, std::string_view intent) {
  return agree(gist_of(question), gist_of(example), intent_words(intent));
}

}  // namespace beleg

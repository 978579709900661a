#include "route/plan.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "route/plan_clauses.h"
#include "route/plan_model.h"
#include "route/plan_sides.h"
#include "text/utf8.h"

namespace beleg {
namespace {

// Longer texts are pasted documents, not questions; the rules would only guess.
constexpr std::size_t kMaxPlannedBytes = 4096;
constexpr std::size_t kMaxPlannedWords = 256;
constexpr std::size_t kMinSubQuestions = 2;
constexpr std::size_t kMaxSubQuestions = 4;

/// One sentence and whether it asks.
struct Sentence {
  WordRange range;
  bool asks = false;
};

/// "Ich habe eine Frage: Was ist …", but not "A oder B: was ist besser?".
bool ends_lead_in(const Words& words, std::size_t begin, std::size_t i) {
  if (words.at(i) != ":" || !parse_question_phrase(words, i + 1, words.size())) return false;
  for (std::size_t k = begin; k < i; ++k) {
    if (words.is(k, WordClass::kCoordinator) || words.is_word(k, "vs versus")) return false;
  }
  return true;
}

/// "Hallo, …", "Ich habe eine Frage:" say nothing about the topic.
bool is_greeting(const Words& words, WordRange range) {
  for (std::size_t i = range.begin; i < range.end; ++i) {
    if (words.is_word(i, "frage fragen question questions hallo hello hi danke thanks"))
      return true;
  }
  return range.size() < 4;
}

bool ends_sentence(const Words& words, std::size_t i) {
  if (words.words[i].shielded || !words.words[i].punctuation) return false;
  const std::string_view mark = words.at(i);
  if (mark == "?" || mark == "？" || mark == "!") return true;
  // A full stop: before a question of its own, and not after an abbreviation or a number.
  if (mark != "." || i == 0 || i + 1 >= words.size() || !words.words[i + 1].capital) return false;
  const bool abbreviation = words.at(i - 1).size() < 3 ||
                            words.is_word(i - 1, "usw bzw etc vgl inkl dr nr vs") ||
                            std::isdigit(static_cast<unsigned char>(words.at(i - 1).back())) != 0;
  return !abbreviation;
}

std::vector<Sentence> split_sentences_of(const Words& words) {
  std::vector<Sentence> out;
  std::size_t begin = 0;
  const auto close = [&](std::size_t end, bool mark) {
    const WordRange range{begin, end};
    begin = end;
    const std::size_t content = trim_end(words, range.begin, range.end) - range.begin;
    if (content == 0) return;
    const bool tag = content < 3 && !parse_question_phrase(words, range.begin, range.end);
    out.push_back({range, !tag && (mark || opens_question(words, range))});
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words.is_word(i, "hallo hi hello hey moin") && i == begin && words.is_comma(i + 1)) {
      begin = i + 2;
      continue;
    }
    if (!ends_sentence(words, i) && !ends_lead_in(words, begin, i)) continue;
    std::size_t end = i + 1;
    while (end < words.size() && words.is_punctuation(end) && is_one_of(words.at(end), "? ! ."))
      ++end;
    close(end, is_one_of(words.at(i), "? ？"));
    i = end - 1;
  }
  close(words.size(), false);
  // Key words without a question mark: the last sentence is the query.
  const bool none = std::none_of(out.begin(), out.end(), [](const Sentence& s) { return s.asks; });
  if (none && !out.empty()) out.back().asks = true;
  return out;
}

/// Decides between German and English rules by the words that only one of them has.
std::string guess_language(std::string_view question) {
  std::array<std::size_t, 2> hits{};
  for (const bool german : {true, false}) {
    const Words words = split_words(question, german);
    for (const Word& word : words.words) {
      if (has_class(word.classes, WordClass::kInterrogative | WordClass::kAuxiliary |
                                      WordClass::kPreposition | WordClass::kDeterminer))
        ++hits[german ? 0 : 1];
    }
  }
  if (hits[0] == hits[1]) return "und";
  return hits[0] > hits[1] ? "de" : "en";
}

/// What all rules found in one question.
struct Analysis {
  std::vector<SubQuestion> questions;
  PlanReason reason = PlanReason::kSingle;
  PlanFeatures features;
};

void merge(const Decomposition& from, PlanFeatures& into) {
  for (std::size_t i = 0; i < kPlanFeatureCount; ++i)
    into.values[i] = std::max(into.values[i], from.features.values[i]);
}

Decomposition decompose_sentence(const Words& words, WordRange range,
                                 const std::vector<Antecedent>& earlier) {
  Decomposition found = split_clauses(words, range, earlier);
  if (!found.questions.empty()) return found;
  for (const auto rule : {compare_sides, split_entities}) {
    Decomposition other = rule(words, range);
    if (other.questions.empty()) continue;
    merge(found, other.features);
    return other;
  }
  return found;
}

void count_words(const Words& words, PlanFeatures& features) {
  double interrogatives = 0.0;
  double coordinators = 0.0;
  double subordinators = 0.0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words.words[i].punctuation) continue;
    ++count;
    interrogatives += words.is(i, WordClass::kInterrogative) ? 1.0 : 0.0;
    coordinators += words.is(i, WordClass::kCoordinator) ? 1.0 : 0.0;
    subordinators += words.is(i, WordClass::kSubordinator) ? 1.0 : 0.0;
    if (words.is(i, WordClass::kReciprocal)) features[PlanFeature::kReciprocal] = 1.0;
    if (words.is(i, WordClass::kCompareCue)) features[PlanFeature::kComparisonCue] = 1.0;
    const bool truncated = words.at(i).ends_with('-') && words.is(i + 1, WordClass::kCoordinator);
    const bool idiom = words.is(i + 1, WordClass::kCoordinator) && i + 2 < words.size() &&
                       words.is_word(i, "pros advantages supply vorteile angebot") &&
                       words.is_word(i + 2, "cons disadvantages demand nachteile nachfrage");
    if (truncated || idiom) features[PlanFeature::kTruncatedPair] = 1.0;
  }
  features[PlanFeature::kInterrogatives] = std::min(interrogatives, 4.0);
  features[PlanFeature::kCoordinators] = std::min(coordinators, 4.0);
  features[PlanFeature::kSubordinate] = std::min(subordinators, 3.0);
  features[PlanFeature::kWords] = std::log2(1.0 + static_cast<double>(count)) / 4.0;
  features[PlanFeature::kEnglish] = words.german ? 0.0 : 1.0;
}

Analysis analyze(const Words& words) {
  Analysis out;
  count_words(words, out.features);
  const std::vector<Sentence> sentences = split_sentences_of(words);
  Draft context;
  std::vector<Antecedent> earlier;
  std::optional<WordRange> previous;
  std::size_t asking = 0;
  for (const Sentence& sentence : sentences) {
    if (out.questions.size() > kMaxSubQuestions) break;
    if (!sentence.asks) {
      if (!is_greeting(words, sentence.range)) context.add(words, sentence.range);
      continue;
    }
    ++asking;
    Decomposition found = decompose_sentence(words, sentence.range, earlier);
    merge(found, out.features);
    if (found.questions.empty()) {
      Draft draft;
      // "Ist Solanin giftig? Warum?"
      const std::size_t end = trim_end(words, sentence.range.begin, sentence.range.end);
      const auto phrase = parse_question_phrase(words, sentence.range.begin, end);
      std::string completed;
      if (previous && phrase && skip_fillers(words, phrase->range.end, end) >= end)
        completed = complete_ellipsis(words, *previous, *phrase, phrase->range);
      draft.add(completed.empty() ? resolve_references(words, sentence.range, earlier).text
                                  : completed);
      if (!earlier.empty() && has_pronoun(words, sentence.range))
        out.features[PlanFeature::kPronoun] = 1.0;
      if (!draft.empty()) found.questions.push_back({draft.question(), "sentence"});
    } else if (out.reason == PlanReason::kSingle) {
      out.reason = found.reason;
    }
    for (SubQuestion& question : found.questions) out.questions.push_back(std::move(question));
    if (earlier.empty()) earlier = find_antecedents(words, sentence.range);
    previous = sentence.range;
  }
  if (asking > 1) {
    out.reason = PlanReason::kSeveralQuestions;
    out.features[PlanFeature::kQuestionMarks] = std::min(static_cast<double>(asking - 1), 3.0);
  }
  if (!context.empty()) {
    // What is said before the question belongs to each part of it.
    for (SubQuestion& question : out.questions)
      question.text = context.text() + " " + question.text;
  }
  if (out.questions.size() < kMinSubQuestions) {
    out.questions.clear();
    out.reason = PlanReason::kSingle;
  }
  out.features[PlanFeature::kFormed] =
      static_cast<double>(std::min(out.questions.size(), kMaxSubQuestions));
  return out;
}

std::string_view describe(PlanReason reason) {
  switch (reason) {
    case PlanReason::kSingle:
      return "One question; searched as asked.";
    case PlanReason::kSeveralQuestions:
      return "Several sentences ask; each is searched by itself as well.";
    case PlanReason::kCoordination:
      return "Coordinated clauses ask different things; each is searched as well.";
    case PlanReason::kReasonOrMannerClause:
      return "A further clause asks why or how; each clause is searched as well.";
    case PlanReason::kSeveralQuestionWords:
      return "Several question words share one clause; each is searched as well.";
    case PlanReason::kComparison:
      return "Things are compared; each side is searched as well.";
    case PlanReason::kEntities:
      return "The same is asked of several things; each is searched as well.";
    case PlanReason::kSwitchedOff:
      return "Decomposition is switched off; searched as asked.";
    case PlanReason::kUnsupported:
      return "Searched as asked.";
  }
  return {};
}

QueryPlan unsupported(QueryPlan plan, std::string_view why) {
  plan.cause = PlanReason::kUnsupported;
  plan.reason = std::string(why) + " " + std::string(describe(plan.cause));
  return plan;
}

}  // namespace

std::string_view plan_feature_name(PlanFeature feature) {
  static constexpr std::array<std::string_view, kPlanFeatureCount> kNames = {
      "interrogatives",   "coordinators",
      "question_marks",   "clause_split",
      "elliptic_split",   "question_word_series",
      "yes_no_split",     "embedded_split",
      "comparison_cue",   "comparison_pair",
      "entity_pair",      "pronoun",
      "reason_or_manner", "reciprocal",
      "truncated_pair",   "comma_coordinator",
      "subordinate",      "words",
      "formed",           "english"};
  return kNames[static_cast<std::size_t>(feature)];
}

std::string_view plan_reason_name(PlanReason reason) {
  switch (reason) {
    case PlanReason::kSingle:
      return "single";
    case PlanReason::kSeveralQuestions:
      return "several_questions";
    case PlanReason::kCoordination:
      return "coordination";
    case PlanReason::kReasonOrMannerClause:
      return "reason_or_manner_clause";
    case PlanReason::kSeveralQuestionWords:
      return "several_question_words";
    case PlanReason::kComparison:
      return "comparison";
    case PlanReason::kEntities:
      return "entities";
    case PlanReason::kSwitchedOff:
      return "switched_off";
    case PlanReason::kUnsupported:
      return "unsupported";
  }
  return "single";
}

QueryPlan plan_question(std::string_view question, std::string_view language,
                        const PlanSettings& settings, const PlanModel& model) {
  QueryPlan plan;
  plan.question = question;
  plan.language = language;
  plan.threshold = settings.threshold;
  if (question.size() > kMaxPlannedBytes)
    return unsupported(std::move(plan), "Too long for a question.");
  if (!is_valid_utf8(question)) return unsupported(std::move(plan), "Not well-formed UTF-8.");
  if (plan.language.empty() || plan.language == "und") plan.language = guess_language(question);
  if (plan.language != "de" && plan.language != "en")
    return unsupported(std::move(plan), "No rules for this language.");
  const Words words = split_words(question, plan.language == "de");
  if (words.size() > kMaxPlannedWords)
    return unsupported(std::move(plan), "Too long for a question.");

  Analysis found = analyze(words);
  plan.complexity = model.probability(found.features);
  for (std::size_t i = 0; i < kPlanFeatureCount; ++i) {
    if (found.features.values[i] != 0.0)
      plan.features.emplace_back(plan_feature_name(static_cast<PlanFeature>(i)),
                                 found.features.values[i]);
  }
  if (!settings.decompose) {
    plan.cause = PlanReason::kSwitchedOff;
  } else if (plan.complexity >= settings.threshold && !found.questions.empty()) {
    plan.cause = found.reason;
    plan.decomposed = true;
    const std::size_t limit =
        std::clamp(settings.max_sub_questions, kMinSubQuestions, kMaxSubQuestions);
    if (found.questions.size() > limit) found.questions.resize(limit);
    plan.sub_questions = std::move(found.questions);
  }
  plan.reason = describe(plan.cause);
  return plan;
}

QueryPlan plan_question(std::string_view question, std::string_view language,
                        const PlanSettings& settings) {
  return plan_question(question, language, settings, built_in_plan_model());
}

}  // namespace beleg

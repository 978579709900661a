#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace beleg {

struct PlanModel;  // "route/plan_model.h"

/// What the classifier looks at. Every feature comes from the rules that also form the
/// sub-questions, so a weight can be read as "how far this rule is to be trusted".
enum class PlanFeature : std::uint8_t {
  kInterrogatives,      ///< Question words, 0 … 4.
  kCoordinators,        ///< "und", "oder", "sowie", "and", "or", …, 0 … 4.
  kQuestionMarks,       ///< Questions closed by a mark beyond the first, 0 … 3.
  kClauseSplit,         ///< Coordinator followed by a question word with its own verb.
  kEllipticSplit,       ///< Coordinator followed by a question word whose verb stands before.
  kQuestionWordSeries,  ///< "Wann und wo …", "Who, when and where …".
  kYesNoSplit,          ///< Coordinator followed by a finite verb and its subject.
  kEmbeddedSplit,       ///< "Erkläre, was … und wie …", "Can you tell me what … and how …".
  kComparisonCue,       ///< "Unterschied", "besser", "vs.", "compared", …
  kComparisonPair,      ///< A comparison of which both sides were found.
  kEntityPair,          ///< "Welche Nebenwirkungen haben A und B".
  kPronoun,             ///< A later clause refers back to the first.
  kReasonOrManner,      ///< A later clause asks "warum", "wie", "why", "how".
  kReciprocal,          ///< "zusammen", "einander", "together": the pair belongs together.
  kTruncatedPair,       ///< "Vor- und Nachteile", "pros and cons": one thing in two words.
  kCommaCoordinator,    ///< A comma stands before the coordinator.
  kSubordinate,         ///< "wenn", "weil", "dass", "that", "because", 0 … 3.
  kWords,               ///< log2(1 + words) / 4.
  kFormed,              ///< Sub-questions that could be formed, 0 … 4.
  kEnglish,             ///< 1 for English, 0 for German.
};
inline constexpr std::size_t kPlanFeatureCount = 20;

struct PlanFeatures {
  std::array<double, kPlanFeatureCount> values{};

  double& operator[](PlanFeature feature) { return values[static_cast<std::size_t>(feature)]; }
  double operator[](PlanFeature feature) const { return values[static_cast<std::size_t>(feature)]; }
};

/// The stable name of a feature ("clause_split"): for traces and for the text form of the model.
[[nodiscard]] std::string_view plan_feature_name(PlanFeature feature);

/// Which kind of question it is, by the strongest rule that applied.
enum class PlanReason : std::uint8_t {
  kSingle,                ///< One question.
  kSeveralQuestions,      ///< Several sentences that ask.
  kCoordination,          ///< Coordinated clauses.
  kReasonOrMannerClause,  ///< Coordinated clauses, a later one asks why or how.
  kSeveralQuestionWords,  ///< Several question words share one clause.
  kComparison,            ///< Two things are compared.
  kEntities,              ///< The same is asked of several things.
  kSwitchedOff,           ///< The settings say that nothing is decomposed.
  kUnsupported,           ///< No rules for the language, too long, or not well-formed UTF-8.
};
/// The stable name ("reason_or_manner_clause").
[[nodiscard]] std::string_view plan_reason_name(PlanReason reason);

/// A question that can be searched by itself.
struct SubQuestion {
  std::string text;  ///< Self-contained, references resolved, ends with "?".
  std::string
      rule;  ///< The rule that formed it: "clause", "ellipsis", "question_word", "comparison", …
};

struct PlanSettings {
  bool decompose = true;
  double threshold = 0.5;  ///< Decompose from this complexity on, in [0,1].
  std::size_t max_sub_questions =
      4;  ///< 2 … 4; what the rules form beyond it is left to the original.
};

/// Step 3 of the cascade. The original question is always searched besides the sub-questions.
struct QueryPlan {
  std::string question;  ///< As asked.
  std::string
      language;  ///< The language whose rules were used: "de", "en", or what the caller gave.
  bool decomposed = false;
  double complexity = 0.0;  ///< Probability in [0,1] that decomposing helps.
  double threshold = 0.5;
  PlanReason cause = PlanReason::kSingle;
  std::string reason;                                    ///< One English line for people.
  std::vector<SubQuestion> sub_questions;                ///< None, or 2 … 4.
  std::vector<std::pair<std::string, double>> features;  ///< Non-zero features by name.
};

/// Decides by rules and a small built-in logistic model whether a German or English question asks
/// several things, and forms the sub-questions by rules alone, without a language model. The text
/// is data: no content of it is syntax, and it may be of any length (above 4096 bytes it is left
/// whole). `language` is an ISO 639-1 code; with "und" or "" the question words decide.
/// Deterministic, thread-safe, linear in the length of the question.
[[nodiscard]] QueryPlan plan_question(std::string_view question, std::string_view language,
                                      const PlanSettings& settings);

/// The same with the weights of `model` (see fit_plan_model in "route/plan_training.h").
[[nodiscard]] QueryPlan plan_question(std::string_view question, std::string_view language,
                                      const PlanSettings& settings, const PlanModel& model);

}  // namespace beleg

#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/result.h"
#include "route/plan_model.h"

namespace beleg {

/// A question and whether a person would take it apart.
struct LabelledQuestion {
  std::string text;
  std::string language;  ///< ISO 639-1; others than German and English count as not decomposed.
  bool decompose = false;
};

/// Counts of decisions against labels. "Positive" means decomposed.
struct PlanScore {
  std::size_t true_positives = 0;
  std::size_t false_positives = 0;
  std::size_t false_negatives = 0;
  std::size_t true_negatives = 0;

  /// 1 when nothing was decomposed.
  [[nodiscard]] double precision() const;
  /// 1 when nothing had to be decomposed.
  [[nodiscard]] double recall() const;
};

struct PlanFit {
  PlanModel model;         ///< Fitted to all questions.
  PlanScore held_out;      ///< Sums over five folds, each decided by a model that has not seen it.
  double threshold = 0.5;  ///< What `held_out` was counted at.
  /// The threshold with the highest recall among those with precision >= 0.9 on held-out folds;
  /// `threshold` where none has it.
  double best_threshold = 0.5;
  PlanScore held_out_at_best;
};

/// Fits the logistic regression (L2 penalty, Newton's method) and cross-validates it in five folds
/// that keep the share of positives. Deterministic. Decisions count as plan_question takes them:
/// from `threshold` on, and only when sub-questions could be formed. Errors: kInvalidArgument with
/// fewer than ten questions of either label, or a threshold outside [0,1].
Result<PlanFit> fit_plan_model(std::span<const LabelledQuestion> questions, double threshold = 0.5);

/// Decisions of `model` on labelled questions.
[[nodiscard]] PlanScore score_plan_model(std::span<const LabelledQuestion> questions,
                                         const PlanModel& model, double threshold);

/// The model as the source of "plan_weights.inc".
[[nodiscard]] std::string plan_weights_source(const PlanModel& model);

}  // namespace beleg

#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/result.h"
#include "route/plan.h"

namespace beleg {

/// A logistic regression over the planning features.
struct PlanModel {
  std::array<double, kPlanFeatureCount> weights{};
  double intercept = 0.0;

  /// 1 / (1 + exp(-(intercept + weights · features))). Always finite and in [0,1].
  [[nodiscard]] double probability(const PlanFeatures& features) const;
  /// One line per weight, "name value", after the line "beleg-plan-model 1".
  [[nodiscard]] std::string to_text() const;
  /// Reads what to_text wrote. Errors: kCorrupt with the line; every feature must be there once.
  static Result<PlanModel> from_text(std::string_view text);
};

/// The weights that are compiled in.
[[nodiscard]] const PlanModel& built_in_plan_model();

}  // namespace beleg

#include "route/plan_model.h"

#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <system_error>

namespace beleg {
namespace {

constexpr std::string_view kHeader = "beleg-plan-model 1";
constexpr std::string_view kIntercept = "intercept";

// Written by plan_weights_source from a model fitted to examples/questions/planning.jsonl.
constexpr PlanModel kBuiltIn{
#include "route/plan_weights.inc"
};

std::string number(double value) {
  std::array<char, 32> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return error == std::errc() ? std::string(buffer.data(), end) : "0";
}

std::optional<std::size_t> feature_index(std::string_view name) {
  for (std::size_t i = 0; i < kPlanFeatureCount; ++i) {
    if (plan_feature_name(static_cast<PlanFeature>(i)) == name) return i;
  }
  return std::nullopt;
}

}  // namespace

double PlanModel::probability(const PlanFeatures& features) const {
  double score = intercept;
  for (std::size_t i = 0; i < kPlanFeatureCount; ++i) score += weights[i] * features.values[i];
  if (std::isnan(score)) return 0.0;
  return 1.0 / (1.0 + std::exp(-score));
}

std::string PlanModel::to_text() const {
  std::string out(kHeader);
  out += '\n';
  out += std::string(kIntercept) + " " + number(intercept) + "\n";
  for (std::size_t i = 0; i < kPlanFeatureCount; ++i)
    out += std::string(plan_feature_name(static_cast<PlanFeature>(i))) + " " + number(weights[i]) +
           "\n";
  return out;
}

Result<PlanModel> PlanModel::from_text(std::string_view text) {
  constexpr std::string_view kRemedy = "write it again with `beleg calibrate plan`";
  const auto corrupt = [&](std::size_t line, std::string_view what) {
    return fail(ErrorCode::kCorrupt,
                "plan model, line " + std::to_string(line) + ": " + std::string(what),
                std::string(kRemedy));
  };
  PlanModel model;
  std::array<bool, kPlanFeatureCount + 1> seen{};
  std::size_t line_number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++line_number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line_number == 1) {
      if (line != kHeader)
        return corrupt(1, "does not start with \"" + std::string(kHeader) + "\"");
      continue;
    }
    if (line.empty()) continue;
    const std::size_t space = std::min(line.find(' '), line.size());
    const std::string_view name = line.substr(0, space);
    const std::string_view value =
        space < line.size() ? line.substr(space + 1) : std::string_view();
    const std::optional<std::size_t> index =
        name == kIntercept ? std::optional(kPlanFeatureCount) : feature_index(name);
    if (!index) return corrupt(line_number, "unknown feature \"" + std::string(name) + "\"");
    double parsed = 0.0;
    const auto [rest, error] = std::from_chars(value.data(), value.data() + value.size(), parsed);
    if (error != std::errc() || rest != value.data() + value.size() || !std::isfinite(parsed))
      return corrupt(line_number, "\"" + std::string(value) + "\" is not a finite number");
    if (seen[*index]) return corrupt(line_number, "\"" + std::string(name) + "\" is there twice");
    seen[*index] = true;
    (*index == kPlanFeatureCount ? model.intercept : model.weights[*index]) = parsed;
  }
  if (line_number == 0) return corrupt(1, "is empty");
  for (std::size_t i = 0; i < kPlanFeatureCount; ++i) {
    if (!seen[i])
      return corrupt(
          line_number,
          "\"" + std::string(plan_feature_name(static_cast<PlanFeature>(i))) + "\" is missing");
  }
  if (!seen[kPlanFeatureCount]) return corrupt(line_number, "\"intercept\" is missing");
  return model;
}

const PlanModel& built_in_plan_model() { return kBuiltIn; }

}  // namespace beleg

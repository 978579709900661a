#include "route/plan_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace beleg {
namespace {

TEST(PlanModel, GivesTheLogisticFunctionOfTheWeightedSum) {
  PlanModel model;
  model.intercept = -1.0;
  model.weights[static_cast<std::size_t>(PlanFeature::kClauseSplit)] = 3.0;
  PlanFeatures features;
  EXPECT_NEAR(model.probability(features), 0.268941421369995, 1e-12);  // 1 / (1 + e)
  features[PlanFeature::kClauseSplit] = 1.0;
  EXPECT_NEAR(model.probability(features), 0.880797077977882, 1e-12);  // 1 / (1 + e^-2)
}

TEST(PlanModel, StaysInTheUnitIntervalForAnyNumber) {
  PlanModel model;
  PlanFeatures features;
  features[PlanFeature::kWords] = 1.0;
  for (const double weight : {1e308, -1e308, std::numeric_limits<double>::infinity(),
                              std::numeric_limits<double>::quiet_NaN()}) {
    model.weights[static_cast<std::size_t>(PlanFeature::kWords)] = weight;
    const double p = model.probability(features);
    EXPECT_TRUE(p >= 0.0 && p <= 1.0) << weight;
  }
}

TEST(PlanModel, ComesBackFromItsTextBitByBit) {
  const PlanModel& model = built_in_plan_model();
  const Result<PlanModel> again = PlanModel::from_text(model.to_text());
  ASSERT_TRUE(again) << again.error().to_line();
  EXPECT_EQ(again->weights, model.weights);
  EXPECT_EQ(again->intercept, model.intercept);
}

TEST(PlanModel, RefusesDamagedText) {
  const std::string good = built_in_plan_model().to_text();
  const auto expect_refused = [](const std::string& text, const std::string& part) {
    const Result<PlanModel> model = PlanModel::from_text(text);
    ASSERT_FALSE(model) << text;
    EXPECT_EQ(model.error().code, ErrorCode::kCorrupt);
    EXPECT_NE(model.error().message.find(part), std::string::npos) << model.error().message;
    EXPECT_FALSE(model.error().remedy.empty());
  };
  expect_refused("", "empty");
  expect_refused("something else\n", "does not start");
  expect_refused(good + "clause_split 1\n", "twice");
  expect_refused(good + "no_such_feature 1\n", "unknown feature");
  std::string missing = good;
  missing.erase(missing.rfind("english"));
  expect_refused(missing, "\"english\" is missing");
  for (const std::string value : {"", "x", "1.0x", "nan", "inf", "1e999"}) {
    std::string bad = good;
    const std::size_t start = bad.find("intercept ") + 10;
    bad.replace(start, bad.find('\n', start) - start, value);
    expect_refused(bad, "not a finite number");
  }
}

}  // namespace
}  // namespace beleg

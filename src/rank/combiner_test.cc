#include "rank/combiner.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace beleg {
namespace {

std::vector<LabelledPair> pairs_from(const RelevanceModel& truth, std::size_t count) {
  std::mt19937 random(42);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<LabelledPair> pairs;
  for (std::size_t i = 0; i < count; ++i) {
    LabelledPair pair;
    pair.features = {.late = uniform(random),
                     .lexical = uniform(random),
                     .foreign = uniform(random) < 0.5 ? 0.0 : 1.0};
    pair.relevant = uniform(random) < truth.relevance(pair.features);
    pair.question = i / 10;
    pairs.push_back(pair);
  }
  return pairs;
}

TEST(RelevanceModel, IsTheLogisticOfTheWeightedFeatures) {
  const RelevanceModel model{.weights = {2, 1, -1}, .offset = -1, .pairs = 0, .questions = 0};
  // 2·0.5 + 1·0.5 − 1·1 − 1 = −0.5
  EXPECT_DOUBLE_EQ(model.relevance({.late = 0.5, .lexical = 0.5, .foreign = 1}),
                   1.0 / (1.0 + std::exp(0.5)));
}

TEST(RelevanceModel, FitFindsTheParametersThatMadeTheLabels) {
  const RelevanceModel truth{.weights = {4, -2, 1}, .offset = -2, .pairs = 0, .questions = 0};
  const RelevanceModel fitted = fit_relevance_model(pairs_from(truth, 40000)).value();
  for (std::size_t f = 0; f < RelevanceFeatures::kCount; ++f) {
    EXPECT_NEAR(fitted.weights[f], truth.weights[f], 0.15) << f;
  }
  EXPECT_NEAR(fitted.offset, truth.offset, 0.15);
  EXPECT_EQ(fitted.questions, 4000U);
}

TEST(RelevanceModel, MeanOfThePredictionsIsTheShareOfRelevantPairs) {
  const RelevanceModel truth{.weights = {4, -2, 1}, .offset = -3, .pairs = 0, .questions = 0};
  const auto pairs = pairs_from(truth, 3000);
  const auto predicted = cross_validated_relevance(pairs, 5).value();
  double sum = 0;
  double relevant = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    sum += predicted[i];
    relevant += pairs[i].relevant ? 1 : 0;
  }
  EXPECT_NEAR(sum / 3000, relevant / 3000, 0.01);
}

TEST(RelevanceModel, SeparableLabelsStayFinite) {
  std::vector<LabelledPair> pairs;
  for (int i = 0; i < 40; ++i) {
    pairs.push_back({.features = {.late = i < 20 ? 0.1 : 0.9, .lexical = 0, .foreign = 0},
                     .relevant = i >= 20,
                     .question = static_cast<std::size_t>(i)});
  }
  const RelevanceModel model = fit_relevance_model(pairs).value();
  for (double w : model.weights) EXPECT_TRUE(std::isfinite(w));
  EXPECT_LT(model.relevance(pairs.front().features), 0.01);
  EXPECT_GT(model.relevance(pairs.back().features), 0.99);
}

TEST(RelevanceModel, RefusesLabelsThatCannotTeach) {
  std::vector<LabelledPair> one_class(50);
  EXPECT_EQ(fit_relevance_model(one_class).error().code, ErrorCode::kInvalidArgument);
  one_class[0].relevant = true;
  one_class[1].features.late = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(fit_relevance_model(one_class).error().code, ErrorCode::kInvalidArgument);
}

TEST(RelevanceModel, JsonRoundTripsAndRefusesOtherText) {
  const RelevanceModel model{.weights = {4.5, -2, 3}, .offset = -3, .pairs = 7, .questions = 2};
  const RelevanceModel back = relevance_model_from_json(relevance_model_to_json(model)).value();
  EXPECT_EQ(back.weights, model.weights);
  EXPECT_EQ(back.offset, model.offset);
  for (const char* bad : {"", "[]", "{}", R"({"weights":[1,2],"offset":0})",
                          R"({"weights":[1,2,3,4],"offset":0})", R"({"weights":"x","offset":1})"}) {
    EXPECT_FALSE(relevance_model_from_json(bad)) << bad;
  }
}

}  // namespace
}  // namespace beleg

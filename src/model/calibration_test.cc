#include "model/calibration.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace beleg {
namespace {

/// 60 pairs, 32 of them relevant; the classes overlap. The reference values below are for these:
///   data = [((i*37 % 101)/10 - 5, (i*37 % 101) + (i*53 % 67) > 84) for i in range(60)]
std::vector<LabelledScore> overlapping_pairs() {
  std::vector<LabelledScore> pairs;
  for (int i = 0; i < 60; ++i) {
    const int a = i * 37 % 101;
    pairs.push_back({a / 10.0 - 5.0, a + i * 53 % 67 > 84});
  }
  return pairs;
}

std::vector<LabelledScore> separable_pairs() {
  std::vector<LabelledScore> pairs(10, {-1.0, false});
  pairs.resize(20, {1.0, true});
  return pairs;
}

TEST(Calibration, FitAgreesWithScipyAndScikitLearn) {
  const Calibration calibration = MUST(fit_calibration(overlapping_pairs()));
  // scipy.optimize.minimize(cross entropy of Platt's targets, method='BFGS', gtol=1e-12) gave
  // [0.7681789, 0.30658723]; sklearn.calibration._sigmoid_calibration gave −a, −b as below.
  EXPECT_NEAR(calibration.slope, 0.7681789046663168, 1e-6);
  EXPECT_NEAR(calibration.offset, 0.30658724566908957, 1e-6);
  EXPECT_EQ(calibration.pairs, 60U);
}

TEST(Calibration, ReportAgreesWithScikitLearn) {
  const Calibration calibration = MUST(fit_calibration(overlapping_pairs()));
  const CalibrationReport report = evaluate_calibration(calibration, overlapping_pairs());
  EXPECT_NEAR(report.roc_auc, 0.9308035714285715, 1e-12);      // sklearn.metrics.roc_auc_score
  EXPECT_NEAR(report.brier_score, 0.10768110567157443, 1e-6);  // sklearn.metrics.brier_score_loss
  EXPECT_NEAR(report.expected_calibration_error, 0.0952486606, 1e-6);  // numpy, ten equal bins
  ASSERT_EQ(report.curve.size(), 10U);
  EXPECT_EQ(report.curve[0].count, 11U);
  EXPECT_NEAR(report.curve[0].mean_predicted, 0.0557457688, 1e-6);
  EXPECT_EQ(report.curve[0].observed, 0.0);
  EXPECT_EQ(report.curve[9].count, 15U);
  EXPECT_NEAR(report.curve[9].observed, 14.0 / 15.0, 1e-12);
  std::size_t counted = 0;
  for (const ReliabilityBin& bin : report.curve) {
    counted += bin.count;
    EXPECT_LE(bin.low, bin.mean_predicted);
    EXPECT_GE(bin.high, bin.mean_predicted);
  }
  EXPECT_EQ(counted, 60U);
}

TEST(Calibration, CrossValidationAgreesWithScikitLearn) {
  const CalibrationReport report = MUST(cross_validate_calibration(overlapping_pairs(), 5));
  // The same five folds (dealt out class by class), each fitted with scipy as above.
  EXPECT_NEAR(report.roc_auc, 0.9174107142857143, 1e-12);
  EXPECT_NEAR(report.brier_score, 0.11920137145987869, 1e-6);
  EXPECT_NEAR(report.expected_calibration_error, 0.09767073012259465, 1e-6);
}

TEST(Calibration, SeparableScoresStayFinite) {
  // By symmetry the optimum maps +1 to the smoothed target 11/12: slope = log(11), offset = 0.
  const Calibration calibration = MUST(fit_calibration(separable_pairs()));
  EXPECT_NEAR(calibration.slope, std::log(11.0), 1e-9);
  EXPECT_NEAR(calibration.offset, 0.0, 1e-9);
}

TEST(Calibration, IsIndependentOfTheScoresScaleAndShift) {
  const Calibration reference = MUST(fit_calibration(overlapping_pairs()));
  for (const double factor : {1e-9, 1e-3, 1e6, 1e12}) {
    std::vector<LabelledScore> pairs = overlapping_pairs();
    for (LabelledScore& pair : pairs) pair.score = pair.score * factor + 7 * factor;
    const Calibration scaled = MUST(fit_calibration(pairs));
    for (const double score : {-5.0, -0.4, 0.0, 1.7, 5.0}) {
      EXPECT_NEAR(scaled.relevance(score * factor + 7 * factor), reference.relevance(score), 1e-9)
          << factor;
    }
  }
}

TEST(Calibration, EqualScoresGiveTheBaseRate) {
  std::vector<LabelledScore> pairs(30, {3.0, false});
  for (int i = 0; i < 10; ++i) pairs[static_cast<std::size_t>(i)].relevant = true;
  const Calibration calibration = MUST(fit_calibration(pairs));
  // The mean of the smoothed targets: (10 · 11/12 + 20 · 1/22) / 30.
  EXPECT_NEAR(calibration.relevance(3.0), (10.0 * 11 / 12 + 20.0 / 22) / 30, 1e-9);
}

TEST(Calibration, AnOutlierDoesNotBreakTheFit) {
  std::vector<LabelledScore> pairs = overlapping_pairs();
  pairs[0].score = -1e9;
  const auto calibration = fit_calibration(pairs);
  ASSERT_TRUE(calibration.has_value()) << calibration.error().to_line();
  EXPECT_TRUE(std::isfinite(calibration->slope));
  for (const LabelledScore& pair : pairs) {
    const double p = calibration->relevance(pair.score);
    EXPECT_TRUE(p >= 0 && p <= 1);
  }
}

TEST(Calibration, RefusesWhatCannotBeFitted) {
  std::vector<LabelledScore> pairs = separable_pairs();
  EXPECT_EQ(fit_calibration(std::span(pairs).first(19)).error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(fit_calibration(pairs).has_value());
  pairs[4].score = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(fit_calibration(pairs).error().message.find("pair 5"), std::string::npos);
  pairs[4].score = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(fit_calibration(pairs).has_value());
  EXPECT_FALSE(fit_calibration(std::vector<LabelledScore>(40, {1.0, true})).has_value());
  EXPECT_FALSE(fit_calibration(std::vector<LabelledScore>(40, {1.0, false})).has_value());
  EXPECT_FALSE(fit_calibration({}).has_value());
}

TEST(Calibration, CrossValidationRefusesTooFewPairs) {
  EXPECT_FALSE(cross_validate_calibration(overlapping_pairs(), 0).has_value());
  EXPECT_FALSE(cross_validate_calibration(overlapping_pairs(), 1).has_value());
  EXPECT_FALSE(cross_validate_calibration(overlapping_pairs(), 29).has_value());
  EXPECT_TRUE(cross_validate_calibration(overlapping_pairs(), 28).has_value());
  EXPECT_FALSE(cross_validate_calibration(separable_pairs(), 5).has_value());  // 16 to fit on.
}

TEST(Calibration, CrossValidationSeparatesClassesThatAlternate) {
  std::vector<LabelledScore> pairs;
  for (int i = 0; i < 60; ++i) pairs.push_back({i % 2 == 0 ? 1.0 + i : -1.0 - i, i % 2 == 0});
  EXPECT_EQ(MUST(cross_validate_calibration(pairs, 2)).roc_auc, 1.0);
}

TEST(Calibration, RelevanceIsAProbabilityForEveryScore) {
  const Calibration calibration{2.0, -1.0, 0};
  EXPECT_DOUBLE_EQ(calibration.relevance(0.5), 0.5);
  EXPECT_EQ(calibration.relevance(1e308), 1.0);
  EXPECT_EQ(calibration.relevance(-1e308), 0.0);
  EXPECT_EQ(calibration.relevance(std::numeric_limits<double>::infinity()), 1.0);
  EXPECT_EQ(calibration.relevance(std::numeric_limits<double>::quiet_NaN()), 0.0);
}

TEST(CalibrationReport, AucCountsTiesHalf) {
  // sklearn.metrics.roc_auc_score([1,0,1,0,1,0], [.9,.9,.5,.5,.1,.2]) = 0.4444444444444444.
  const std::vector<LabelledScore> pairs = {{.9, true},  {.9, false}, {.5, true},
                                            {.5, false}, {.1, true},  {.2, false}};
  EXPECT_NEAR(evaluate_calibration({}, pairs).roc_auc, 4.0 / 9.0, 1e-12);
}

TEST(CalibrationReport, OneClassOrNothingIsNeverNan) {
  const CalibrationReport one = evaluate_calibration({}, std::vector<LabelledScore>{{100.0, true}});
  EXPECT_EQ(one.roc_auc, 0.5);
  ASSERT_EQ(one.curve.size(), 1U);
  EXPECT_EQ(one.curve[0].low, 0.9);  // A probability of 1 falls into the last bin.
  EXPECT_EQ(one.curve[0].high, 1.0);
  const CalibrationReport none = evaluate_calibration({}, {});
  EXPECT_EQ(none.brier_score, 0.0);
  EXPECT_TRUE(none.curve.empty());
}

TEST(CalibrationJson, ReadsWhatItWrote) {
  const Calibration calibration = MUST(fit_calibration(overlapping_pairs()));
  const std::string json =
      calibration_to_json(calibration, evaluate_calibration(calibration, overlapping_pairs()));
  const Calibration read = MUST(calibration_from_json(json));
  EXPECT_EQ(read.slope, calibration.slope);
  EXPECT_EQ(read.offset, calibration.offset);
  EXPECT_EQ(read.pairs, calibration.pairs);
  EXPECT_NE(json.find("\"expected_calibration_error\""), std::string::npos);
}

TEST(CalibrationJson, RefusesDamage) {
  for (const char* bad :
       {"", "{", "[]", "null", R"({"slope":1,"offset":0})", R"({"slope":"1","offset":0,"pairs":3})",
        R"({"slope":1,"offset":null,"pairs":3})", R"({"slope":1e999,"offset":0,"pairs":3})",
        R"({"slope":1,"offset":0,"pairs":-3})", R"({"slope":1,"offset":0,"pairs":2.5})",
        R"({"offset":0,"pairs":2})", "{\"slope\":1,\"offset\":0,\"pairs\":2,\"x\":\"\xff\"}"}) {
    const auto read = calibration_from_json(bad);
    ASSERT_FALSE(read.has_value()) << bad;
    EXPECT_EQ(read.error().code, ErrorCode::kCorrupt) << bad;
  }
}

}  // namespace
}  // namespace beleg

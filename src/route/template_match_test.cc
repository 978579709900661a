#include "route/template_match.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace beleg {
namespace {

std::vector<TemplateVectors> two_intents() {
  return {{7, "hours", {"When open?", "Opening hours?"}, {{1.0F, 0.0F}, {0.6F, 0.8F}}},
          {3, "price", {"How much?"}, {{0.0F, 2.0F}}}};
}

TEST(TemplateMatch, FindsTheNearestExampleAndTheMarginToTheNextIntent) {
  // Cosines by hand: with (0.6, 0.8) 0.8·0.6 + 0.6·0.8 = 0.96; with (1, 0) 0.8; with (0, 2) 0.6.
  const std::vector<float> question = {0.8F, 0.6F};
  TemplateMatchSettings settings;
  settings.max_margin = 1.0;
  settings.slope = 10.0;
  settings.margin_slope = 5.0;
  settings.offset = -9.0;
  const auto match = match_template(question, two_intents(), settings);
  ASSERT_TRUE(match);
  EXPECT_EQ(match->index, 7U);
  EXPECT_EQ(match->example, "Opening hours?");
  EXPECT_NEAR(match->similarity, 0.96, 1e-6);
  EXPECT_NEAR(match->margin, 0.36, 1e-6);
  // 10 · 0.96 + 5 · 0.36 − 9 = 2.4; 1 / (1 + e^−2.4) = 0.916827
  EXPECT_NEAR(match->confidence, 0.916827, 1e-5);
  EXPECT_FALSE(match->answers);
  settings.threshold = 0.9;
  EXPECT_TRUE(match_template(question, two_intents(), settings)->answers);
}

TEST(TemplateMatch, DefaultsAnswerAParaphraseAndNotANeighbour) {
  const std::vector<TemplateVectors> templates = two_intents();
  const TemplateMatchSettings settings;
  EXPECT_TRUE(match_template(std::vector<float>{1.0F, 0.05F}, templates, settings)->answers);
  // Between both intents: no margin.
  EXPECT_FALSE(match_template(std::vector<float>{0.33F, 0.94F}, templates, settings)->answers);
  // Near to nothing.
  EXPECT_FALSE(match_template(std::vector<float>{-1.0F, -1.0F}, templates, settings)->answers);
}

TEST(TemplateMatch, TemplatesOfOneIntentDoNotCompete) {
  std::vector<TemplateVectors> templates = two_intents();
  templates[1].intent = "hours";
  templates[1].vectors = {{1.0F, 0.0F}};
  const auto match = match_template(std::vector<float>{1.0F, 0.0F}, templates, {});
  ASSERT_TRUE(match);
  EXPECT_EQ(match->index, 7U);  // A tie goes to the earlier.
  EXPECT_DOUBLE_EQ(match->margin, TemplateMatchSettings{}.max_margin);
}

TEST(TemplateMatch, IsNeverAnError) {
  const TemplateMatchSettings settings;
  EXPECT_FALSE(match_template(std::vector<float>{1.0F, 0.0F}, {}, settings));
  EXPECT_FALSE(match_template({}, two_intents(), settings));
  EXPECT_FALSE(match_template(std::vector<float>{1.0F}, two_intents(), settings));
  EXPECT_FALSE(match_template(std::vector<float>{0.0F, 0.0F}, two_intents(), settings));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(match_template(std::vector<float>{nan, 1.0F}, two_intents(), settings));
  std::vector<TemplateVectors> odd = two_intents();
  odd[0].vectors = {{nan, nan}, {}, {1.0F, 0.0F, 0.0F}};
  odd[0].examples.clear();
  const auto match = match_template(std::vector<float>{1.0F, 1.0F}, odd, settings);
  ASSERT_TRUE(match);
  EXPECT_EQ(match->index, 3U);
  EXPECT_TRUE(std::isfinite(match->margin));
}

TEST(TemplateMatch, ConfidenceGrowsWithSimilarityAndMargin) {
  const std::vector<TemplateVectors> templates = two_intents();
  double last = 0.0;
  for (float angle = 0.75F; angle >= 0.0F; angle -= 0.05F) {
    std::vector<TemplateVectors> only = {templates[0], templates[1]};
    only[0].vectors = {{1.0F, 0.0F}};
    const auto match =
        match_template(std::vector<float>{std::cos(angle), std::sin(angle)}, only, {});
    ASSERT_TRUE(match);
    EXPECT_GE(match->confidence, last);
    last = match->confidence;
  }
  EXPECT_GT(last, 0.95);
}

}  // namespace
}  // namespace beleg

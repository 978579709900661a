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

constexpr std::string_view kExample = "Ist Lecanemab in der EU zugelassen?";

bool asks_it(std::string_view question) { return asks_the_same(question, kExample, "approval"); }

TEST(TemplateMatch, AnotherNamePlaceNegationOrQuestionWordIsAnotherQuestion) {
  EXPECT_FALSE(asks_it("Ist Donanemab in der EU zugelassen?"));
  EXPECT_FALSE(asks_it("Ist Lecanemab in den USA zugelassen?"));
  EXPECT_FALSE(asks_it("Ist Lecanemab in der EU nicht zugelassen?"));
  EXPECT_FALSE(asks_it("Warum ist Lecanemab in der EU zugelassen?"));
  EXPECT_FALSE(asks_it("Seit wann ist Lecanemab in der EU zugelassen?"));
  EXPECT_FALSE(asks_it("Ist Lecanemab zugelassen?"));
  EXPECT_FALSE(asks_it("Ist Lecanemab in der EU seit 2024 zugelassen?"));
  EXPECT_FALSE(asks_it("Ist Lecanemab in der EU und in der Schweiz zugelassen?"));
  EXPECT_FALSE(asks_it("Ist Lecanemab in der EU für Kinder zugelassen?"));
  EXPECT_FALSE(asks_it("Donanemab: in der EU zugelassen?"));
  EXPECT_FALSE(asks_it("ist donanemab in der eu zugelassen?"));
  EXPECT_FALSE(asks_it("ist lecanemab in der eu und in den usa zugelassen?"));
  EXPECT_FALSE(asks_it("Why is Lecanemab approved in the EU?"));
  EXPECT_FALSE(asks_it("Isn't Lecanemab approved in the EU?"));
  EXPECT_FALSE(asks_it(""));
}

TEST(TemplateMatch, HarmlessRewordingsAskTheSame) {
  EXPECT_TRUE(asks_it(kExample));
  EXPECT_TRUE(asks_it("Ist Lecanemab inzwischen in der EU zugelassen?"));
  EXPECT_TRUE(asks_it("Wurde Lecanemab in der EU schon zugelassen"));
  EXPECT_TRUE(asks_it("Hat die EU Lecanemab zugelassen?"));
  EXPECT_TRUE(asks_it("Lecanemab – in der EU zugelassen?"));
  EXPECT_TRUE(asks_it("ist lecanemab in der eu zugelassen?"));
  EXPECT_TRUE(asks_it("Können Sie mir sagen, ob Lecanemab in der EU zugelassen ist?"));
  EXPECT_TRUE(asks_it("Is Lecanemab approved in the EU?"));
  EXPECT_TRUE(asks_it("Was Lecanemab approved in the EU?"));
}

TEST(TemplateMatch, QuestionWordsAgreeAcrossTheirSpellings) {
  EXPECT_TRUE(asks_the_same("Warum gilt die Maskenpflicht?", "Wieso gilt die Maskenpflicht?", ""));
  EXPECT_TRUE(asks_the_same("When does the museum open?", "When do you open?", "museum"));
  EXPECT_TRUE(asks_the_same("What's the price?", "What is the price?", ""));
  EXPECT_FALSE(asks_the_same("Who's open?", "What's open?", ""));
  EXPECT_FALSE(asks_the_same("Where do you open?", "When do you open?", ""));
  EXPECT_FALSE(asks_the_same("Wer zahlt die Miete?", "Wem gehört die Wohnung?", ""));
  EXPECT_FALSE(asks_the_same("Kommt man ohne Termin dran?", "Kommt man mit Termin dran?", ""));
}

TEST(TemplateMatch, NamesMayStandInTheIntent) {
  EXPECT_TRUE(asks_the_same("Ist das Medikament Lecanemab in der EU zugelassen?", kExample,
                            "zulassung_medikament"));
  EXPECT_FALSE(asks_the_same("Ist das Medikament Lecanemab in der EU zugelassen?", kExample, ""));
}

TEST(TemplateMatch, NamesDoNotHangOnCaseOrGenitive) {
  EXPECT_TRUE(
      asks_the_same("Was ist die Wirkung Lecanemabs?", "Was ist die Wirkung von LECANEMAB?", ""));
  EXPECT_TRUE(asks_the_same("Was empfiehlt die WHO?", "Was empfiehlt die WHO?", ""));
  EXPECT_TRUE(asks_the_same("Hat die WHO es empfohlen?", "Hat es die WHO empfohlen?", ""));
  EXPECT_FALSE(asks_the_same("Was empfiehlt die WHO?", "Was empfiehlt die EMA?", ""));
}

TEST(TemplateMatch, AVerbInFrontIsNoNameAndANounThatLooksLikeAVerbIsOne) {
  EXPECT_TRUE(asks_the_same("Übernimmt die Kasse die Brille?", "Zahlt die Kasse die Brille?", ""));
  EXPECT_FALSE(asks_the_same("Zahlt die Kasse das Essen?", "Zahlt die Kasse das Fahren?", ""));
}

TEST(TemplateMatch, AConfidentMatchWithAnotherNameDoesNotAnswer) {
  std::vector<TemplateVectors> templates = two_intents();
  templates[0].examples = {std::string(kExample), "Darf man Lecanemab in der EU verschreiben?"};
  const std::vector<float> question = {1.0F, 0.05F};
  EXPECT_TRUE(match_template(kExample, question, templates, {})->answers);
  // One example that agrees is enough, also when another is nearer.
  EXPECT_TRUE(match_template("Darf man in der EU Lecanemab verschreiben?", question, templates, {})
                  ->answers);
  const auto other = match_template("Ist Donanemab in der EU zugelassen?", question, templates, {});
  ASSERT_TRUE(other);
  EXPECT_FALSE(other->answers);
  EXPECT_GT(other->confidence, 0.95);
  EXPECT_FALSE(match_template(kExample, {}, templates, {}));
}

}  // namespace
}  // namespace beleg

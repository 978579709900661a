#include "rank/term_coverage.h"

#include <gtest/gtest.h>

namespace beleg {
namespace {

QueryTermReport asked(std::string language, std::string term, float idf, float weight) {
  return {.language = std::move(language), .term = std::move(term), .idf = idf, .weight = weight};
}

TEST(TermCoverage, IsTheShareOfTheIdfMass) {
  const std::vector<QueryTermReport> question = {
      asked("de", "lecanemab", 3.0F, 1.0F), asked("de", "zulass", 1.0F, 1.0F),
      asked("de", "eu", 2.0F, 0.5F), asked("en", "lecanemab", 4.0F, 1.0F)};
  const std::vector<AnalyzedTerm> text = {
      {.term = "donanemab"}, {.term = "zulass"}, {.term = "eu"}};
  // (1 · 1 + 2 · 0.5) / (3 + 1 + 1).
  EXPECT_NEAR(term_coverage(question, "de", "de", text), 0.4, 1e-9);
}

TEST(TermCoverage, AnotherLanguageIsMeasuredByTheQuestionsOwn) {
  const std::vector<QueryTermReport> question = {asked("de", "lecanemab", 3.0F, 1.0F),
                                                 asked("de", "zulass", 1.0F, 1.0F),
                                                 asked("en", "lecanemab", 2.0F, 1.0F)};
  const std::vector<AnalyzedTerm> text = {{.term = "lecanemab"}, {.term = "approv"}};
  EXPECT_NEAR(term_coverage(question, "de", "en", text), 0.5, 1e-9);  // 2 / (3 + 1).
}

TEST(TermCoverage, NothingAskedIsCovered) {
  EXPECT_EQ(term_coverage({}, "de", "de", {}), 1.0);
  const std::vector<QueryTermReport> question = {asked("de", "wort", 1.0F, 1.0F)};
  EXPECT_EQ(term_coverage(question, "und", "und", {}), 1.0);
}

}  // namespace
}  // namespace beleg

#include "answer/support.h"

#include <gtest/gtest.h>

#include "answer/words.h"

namespace beleg {
namespace {

double support_of(std::string_view statement, std::vector<std::string_view> quotes) {
  return check_support(statement, quotes).support;
}

TEST(CheckSupport, AQuoteSupportsItself) {
  EXPECT_EQ(support_of("Das Ticket kostet 58 Euro.", {"Seit Januar: Das Ticket kostet 58 Euro."}),
            1);
}

TEST(CheckSupport, NothingSupportsAStatementWithoutCitation) {
  const auto verdict = check_support("Das Ticket kostet 58 Euro.", {});
  EXPECT_EQ(verdict.support, 0);
  EXPECT_EQ(verdict.objections.size(), 1U);
}

TEST(CheckSupport, ARewordingKeepsItsSupport) {
  EXPECT_GT(support_of("58 Euro kostet das Ticket.", {"Das Ticket kostet künftig 58 Euro."}), 0.99);
}

TEST(CheckSupport, ASwappedNumberNameOrNegationLosesIt) {
  EXPECT_LT(support_of("Das Ticket kostet 63 Euro.", {"Das Ticket kostet künftig 58 Euro."}), 0.5);
  EXPECT_LT(
      support_of("Die EMA prüft Donanemab weiter.", {"Die EMA prüft Lecanemab weiter, heißt es."}),
      0.5);
  EXPECT_LE(
      support_of("Die EMA empfiehlt das Mittel.", {"Die EMA empfiehlt das Mittel jetzt nicht."}),
      0.5);
  EXPECT_LE(support_of("The agency did not approve it.", {"Then the agency approved it."}), 0.5);
}

TEST(StatementWords, NumbersAreComparedByValue) {
  const auto number = [](std::string_view text) { return statement_words(text).at(0).folded; };
  EXPECT_EQ(number("1.234,5"), "1234.5");
  EXPECT_EQ(number("1,234.5"), "1234.5");
  EXPECT_EQ(number("58,50"), "58.50");
  EXPECT_EQ(number("12.000"), "12000");
  EXPECT_EQ(number("1.000.000"), "1000000");
  EXPECT_EQ(number("2023."), "2023");
}

TEST(StatementWords, FoldsUmlautsAndKnowsNegation) {
  EXPECT_EQ(statement_words("Größe").at(0).folded, "groesse");
  EXPECT_TRUE(is_negation("keine"));
  EXPECT_TRUE(is_negation("didn't"));
  EXPECT_FALSE(is_negation("keim"));
}

}  // namespace
}  // namespace beleg

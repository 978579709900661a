#include "store/remnant_search.h"

#include <gtest/gtest.h>

#include <string>

namespace beleg {
namespace {

using Words = RemnantSearch::Words;

TEST(RemnantSearchTest, AWindowIsFoundWhereItStands) {
  RemnantSearch search;
  search.add_text("Der Zeuge Meier wohnt in der Lindenstraße 4.", 1);
  EXPECT_EQ(search.size(), 22U);  // 45 bytes have 22 windows of 24.
  EXPECT_EQ(search.find(std::string(100, '\0') + "Meier wohnt in der Linden" + "x", Words::kAll),
            100U);
  EXPECT_FALSE(search.find("Meier wohnt in der Lind", Words::kAll));  // 23 bytes.
  EXPECT_FALSE(search.find("", Words::kAll));
}

TEST(RemnantSearchTest, WithAStrideALongerRemnantIsFoundForCertain) {
  const std::string text = "Die Akte enthält Namen, Anschriften und Geburtstage aller Beteiligten.";
  RemnantSearch search;
  search.add_text(text, 7);
  for (std::size_t start = 0; start + 30 <= text.size(); ++start) {
    EXPECT_TRUE(search.find(text.substr(start, 30), Words::kAll)) << start;
  }
}

TEST(RemnantSearchTest, WhatLivesElsewhereIsNoRemnant) {
  RemnantSearch search;
  search.add_text("Die Sitzung ist öffentlich. Der Zeuge Meier kam nicht.", 1);
  search.add_word("Vermerk A");
  search.exclude("Heute: Die Sitzung ist öffentlich. Sie beginnt um neun. Vermerk A bis C.");
  EXPECT_FALSE(search.find("Die Sitzung ist öffentlich. ", Words::kAll));
  EXPECT_FALSE(search.find("Vermerk A", Words::kAll));
  EXPECT_TRUE(search.find("öffentlich. Der Zeuge Meier", Words::kAll));
}

TEST(RemnantSearchTest, ShortWordsAreFoundWholeAndVeryShortOnesNotAtAll) {
  RemnantSearch search;
  search.add_word("Fall Meier");
  search.add_word("kurz");
  EXPECT_EQ(search.size(), 1U);
  EXPECT_EQ(search.find("im Fall Meier", Words::kAll), 3U);
  EXPECT_FALSE(search.find("im Fall Meie", Words::kAll));
  EXPECT_FALSE(search.find("kurz kurz kurz", Words::kAll));
}

TEST(RemnantSearchTest, WordsLikeTermsCanBeLeftOut) {
  RemnantSearch search;
  search.add_word("lindenstrasse");
  search.add_word("akte/linden.md");
  EXPECT_TRUE(search.find("xlindenstrassex", Words::kAll));
  EXPECT_FALSE(search.find("xlindenstrassex", Words::kDistinctive));
  EXPECT_TRUE(search.find("xakte/linden.mdx", Words::kDistinctive));
}

}  // namespace
}  // namespace beleg

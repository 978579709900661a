#include "text/sentences.h"

#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "text/test_data.h"
#include "text/utf8.h"

namespace beleg {
namespace {

using Sentences = std::vector<std::string>;

Sentences split(std::string_view text, std::string_view language) {
  Sentences sentences;
  for (const ByteSpan span : split_sentences(text, language)) {
    sentences.emplace_back(text.substr(span.start, span.size()));
  }
  return sentences;
}

TEST(Sentences, KnowsGermanAbbreviations) {
  for (const char* sentence :
       {"Das gilt z. B. für Dr. Müller und d. h. bzw. ca. 5 Mio. Euro.",
        "Nach Abs. 3 Nr. 4 und Art. 5 gilt das usw. auch hier.",
        "Prof. Dr. St. Maier kam am 3. März und blieb bis zum 12. November.",
        "Im 19. Jahrhundert lebten dort 1.234,5 Menschen pro km.",
        "Der 2. Weltkrieg und die 3. Auflage.", "Er wohnt in St. Gallen, vgl. Abb. 7.",
        "J. S. Bach wurde u. a. in Eisenach bekannt.", "Ludwig XIV. König zu nennen, liegt nahe.",
        "Das war evtl. Peter ggf. Paul.", "Am 3. 4. 2020 war es so."}) {
    EXPECT_EQ(split(sentence, "de"), Sentences{sentence});
  }
}

TEST(Sentences, KnowsEnglishAbbreviations) {
  for (const char* sentence :
       {"Mr. Smith met Dr. Jones, e.g. in St. Louis, i.e. at 5 p.m. on Friday.",
        "See Fig. 3 and No. 5 of the U.S. Army vs. Acme Inc. in 1990.",
        "George W. Bush and J. R. R. Tolkien paid $3.50.",
        "It rose by 1,234.5 points approx. twice."}) {
    EXPECT_EQ(split(sentence, "en"), Sentences{sentence});
  }
}

TEST(Sentences, EndsAfterAbbreviationsThatMayEndASentence) {
  EXPECT_EQ(split("Es gab Brot, Käse usw. Danach kam Wein.", "de"),
            (Sentences{"Es gab Brot, Käse usw.", "Danach kam Wein."}));
  EXPECT_EQ(split("It was sold to Acme Inc. The price is unknown.", "en"),
            (Sentences{"It was sold to Acme Inc.", "The price is unknown."}));
  EXPECT_EQ(split("I said no. Then I left.", "en"), (Sentences{"I said no.", "Then I left."}));
  EXPECT_EQ(split("Das war 1990. Die Mauer fiel 1989.", "de"),
            (Sentences{"Das war 1990.", "Die Mauer fiel 1989."}));
  EXPECT_EQ(split("Er hat 24. Sie hat 12.", "de"), (Sentences{"Er hat 24.", "Sie hat 12."}));
}

TEST(Sentences, KeepsQuotesAndBracketsWithTheirSentence) {
  EXPECT_EQ(split("„Geht das?“ Er nickte. (Es ging.) »Gut.« Ende", "de"),
            (Sentences{"„Geht das?“", "Er nickte.", "(Es ging.)", "»Gut.«", "Ende"}));
  EXPECT_EQ(split("“Stop!” she said. 'Why?' He knew.[12] So be it.", "en"),
            (Sentences{"“Stop!” she said.", "'Why?'", "He knew.[12]", "So be it."}));
  EXPECT_EQ(split("„Halt!“, rief er. „Nein!“ rief sie.", "de"),
            (Sentences{"„Halt!“, rief er.", "„Nein!“ rief sie."}));
}

TEST(Sentences, HandlesEllipsisAndRepeatedStops) {
  EXPECT_EQ(split("Nun ja … das war so. Wirklich?! Ja... Gut.", "de"),
            (Sentences{"Nun ja … das war so.", "Wirklich?!", "Ja...", "Gut."}));
  EXPECT_EQ(split("I am here to . . . submit. Yes.", "en"),
            (Sentences{"I am here to . . . submit.", "Yes."}));
}

TEST(Sentences, BreaksLinesOnlyAtEmptyOnes) {
  EXPECT_EQ(split("Titel\n\nEin Satz\nüber zwei Zeilen. Noch\r\n \r\neiner\n", "de"),
            (Sentences{"Titel", "Ein Satz\nüber zwei Zeilen.", "Noch", "einer"}));
}

TEST(Sentences, FindsLostSpaces) {
  EXPECT_EQ(split("Das war das Ende.Die Nächsten kamen.", "de"),
            (Sentences{"Das war das Ende.", "Die Nächsten kamen."}));
  EXPECT_EQ(split("Siehe Node.js und spiegel.de für mehr.", "de").size(), 1U);
}

TEST(Sentences, KnowsOtherScripts) {
  EXPECT_EQ(split("これは文です。次の文です！", "ja"),
            (Sentences{"これは文です。", "次の文です！"}));
  EXPECT_EQ(split("Это предложение. Это второе?", "ru"),
            (Sentences{"Это предложение.", "Это второе?"}));
}

TEST(Sentences, HandlesNothing) {
  EXPECT_TRUE(split_sentences("", "de").empty());
  EXPECT_TRUE(split_sentences(" \n\n\t ", "de").empty());
  EXPECT_EQ(split(".", "de"), Sentences{"."});
  EXPECT_EQ(split("\xC2\xA0Ja.\xC2\xA0", "de"), Sentences{"Ja."});
}

// Whatever the input, the sentences are in order, do not overlap, and leave out white space only.
TEST(Sentences, CoverEverythingButWhiteSpace) {
  const std::vector<std::string> pieces = {"Wort", ".",  " ",   "\n", "\n\n", "„",    "“",   "3",
                                           "z",    "B",  "!",   "…",  "Die",  "(",    ")",   "Dr",
                                           "ä",    "。", "[1]", "-",  "\xFF", "\xE2", "U.S", "\f"};
  std::mt19937 random(3);
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (std::size_t i = random() % 20; i > 0; --i) text += pieces[random() % pieces.size()];
    for (const char* language : {"de", "en", "fr"}) {
      std::uint32_t last = 0;
      std::string outside;
      for (const ByteSpan span : split_sentences(text, language)) {
        ASSERT_LE(last, span.start);
        ASSERT_LT(span.start, span.end);
        ASSERT_LE(span.end, text.size());
        outside += text.substr(last, span.start - last);
        last = span.end;
      }
      outside += text.substr(last);
      ASSERT_EQ(outside.find_first_not_of(" \n\f"), std::string::npos) << text;
    }
  }
}

TEST(Sentences, IsLinearOnHostileInput) {
  for (const char* unit : {"1. ", "a. ", ".", "\n ", "?)", "z. B. ", "[1]", "A.A"}) {
    std::string text = std::string(200000, ' ') + "x";
    for (int i = 0; i < 200000; ++i) text += unit;
    EXPECT_FALSE(split_sentences(text, "de").empty());
  }
}

double boundary_f1(const std::string& language, const std::filesystem::path& file) {
  std::ifstream in(file);
  const nlohmann::json data = nlohmann::json::parse(in);
  double right = 0;
  double found = 0;
  double wanted = 0;
  for (const nlohmann::json& article : data.at("data")) {
    for (const nlohmann::json& paragraph : article.at("paragraphs")) {
      const auto text = paragraph.at("context").get<std::string>();
      const CodePointIndex index(text);
      std::set<std::uint32_t> gold;
      for (const nlohmann::json& pair : paragraph.at("sentence_breaks")) {
        gold.insert(pair.at(0).get<std::uint32_t>());
      }
      for (const ByteSpan span : split_sentences(text, language)) {
        const std::uint32_t start = index.code_point_of(span.start);
        if (start == 0) continue;
        found += 1;
        right += gold.contains(start) ? 1 : 0;
      }
      wanted += static_cast<double>(gold.size() - gold.count(0));
    }
  }
  return 2 * right / (found + wanted);
}

TEST(Sentences, AgreeWithXquadR) {
  const std::optional<std::filesystem::path> data = test_data_folder();
  if (!data) GTEST_SKIP() << "no test data folder";
  EXPECT_GE(boundary_f1("de", *data / "xquad_r" / "de.json"), 0.985);
  EXPECT_GE(boundary_f1("en", *data / "xquad_r" / "en.json"), 0.99);
}

}  // namespace
}  // namespace beleg

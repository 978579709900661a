#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "text/analyzer.h"
#include "text/case_fold.h"

// Spellings that are one word, and spellings that are not, in every language.

namespace beleg {
namespace {

using Terms = std::vector<std::string>;

Terms terms(std::string_view text, std::string_view language) {
  static const std::unique_ptr<Analyzer> german = make_analyzer("de", nullptr);
  static const std::unique_ptr<Analyzer> english = make_analyzer("en", nullptr);
  static const std::unique_ptr<Analyzer> other = make_analyzer("und", nullptr);
  const Analyzer& analyzer = language == "de" ? *german : language == "en" ? *english : *other;
  Terms found;
  for (const AnalyzedTerm& term : analyzer.analyze(text)) found.push_back(term.term);
  return found;
}

TEST(Folding, IsTheSameForAllSpellingsOfAGermanWord) {
  const std::vector<Terms> words = {
      {"mull", "Müller", "Mueller", "MÜLLER", "MUELLER", "Mu\u0308ller", "müller"},
      {"strass", "Straße", "Strasse", "STRASSE", "STRA\u1E9EE", "straße"},
      {"grossstadt", "Großstadt", "Grossstadt", "GRO\u1E9ESTADT"},
      {"apfel", "Äpfel", "Aepfel", "A\u0308pfel", "ÄPFEL", "Apfel"},
      {"ol", "Öl", "Oel", "O\u0308l"},
      {"find", "finden", "\uFB01nden", "FINDEN"},
      {"flieg", "fliegen", "\uFB02iegen"},
      {"donauschiff", "Donauschiff", "Donau\u00ADschiff", "Donau\u200Bschiff", "Donau\u2060schiff",
       "\uFEFFDonauschiff"},
      {"haus", "Haus", "\uFF28\uFF41\uFF55\uFF53", "„Haus“", "‚Haus‘", "»Haus«", "›Haus‹", "“Haus”",
       "\"Haus\"", "'Haus'"},
      {"andrea", "Andrea's", "Andrea’s", "Andrea´s", "Andreas", "Andreas’"},
      {"caf", "Café", "Cafe", "Cafe\u0301", "CAFÉ"},
      {"istanbul", "Istanbul", "\u0130stanbul", "I\u0307stanbul", "ISTANBUL", "\u0131stanbul"}};
  for (const Terms& word : words) {
    for (std::size_t i = 1; i < word.size(); ++i) {
      EXPECT_EQ(terms(word[i], "de"), Terms{word[0]}) << word[i];
    }
  }
}

TEST(Folding, KeepsOtherGermanWordsApart) {
  EXPECT_NE(terms("Poet", "de"), terms("Pöt", "de"));
  EXPECT_EQ(terms("Israel", "de"), Terms{"israel"});
  EXPECT_EQ(terms("neue", "de"), Terms{"neu"});
  EXPECT_NE(terms("Duell", "de"), terms("Düll", "de"));
}

TEST(Folding, TakesEnglishPossessivesAndAccentsOff) {
  const std::vector<Terms> words = {{"dog", "dog", "dogs", "dog's", "dog’s", "dogs'", "dogs’"},
                                    {"cafe", "cafe", "café", "cafe\u0301", "CAFÉ"},
                                    {"naiv", "naive", "naïve"},
                                    {"lodz", "Łódź", "Lodz"},
                                    {"viet", "Việt", "Viet"}};
  for (const Terms& word : words) {
    for (std::size_t i = 1; i < word.size(); ++i) {
      EXPECT_EQ(terms(word[i], "en"), Terms{word[0]}) << word[i];
    }
  }
}

TEST(Folding, TakesAccentsOffInOtherLanguages) {
  const std::vector<Terms> words = {
      {"ecole", "école", "École", "ecole", "E\u0301cole"},
      {"istanbul", "\u0130stanbul", "istanbul", "ISTANBUL", "\u0130STANBUL"},
      {"izmir", "İzmir", "izmir", "IZMIR"},
      {"isparta", "Isparta", "ısparta", "ISPARTA"},
      {"dvorak", "Dvořák", "dvorak"},
      {"λογοσ", "λόγος", "ΛΟΓΟΣ", "λογος"},
      {"еще", "ещё", "еще", "ЕЩЁ"}};
  for (const Terms& word : words) {
    for (std::size_t i = 1; i < word.size(); ++i) {
      EXPECT_EQ(terms(word[i], "und"), Terms{word[0]}) << word[i];
    }
  }
  EXPECT_NE(terms("май", "und"), terms("маи", "und"));  // Letters of their own.
}

TEST(Folding, LeavesOutWhatArabicAndHebrewWritersLeaveOut) {
  EXPECT_EQ(terms("العَرَبِيَّة", "und"), terms("العربية", "und"));
  EXPECT_EQ(terms("أحمد", "und"), terms("احمد", "und"));
  EXPECT_EQ(terms("العـــربية", "und"), terms("العربية", "und"));
  EXPECT_EQ(terms("שָׁלוֹם", "und").size(), 1U);
}

TEST(Folding, BreaksWordsOfUnspacedScripts) {
  EXPECT_EQ(terms("我们在北京大学学习。", "und"), (Terms{"我们", "在", "北京", "大学", "学习"}));
  EXPECT_EQ(terms("ภาษาไทยง่าย", "und"), (Terms{"ภาษา", "ไทย", "ง่าย"}));
  EXPECT_EQ(terms("اللغة العربية جميلة", "und"), (Terms{"اللغة", "العربية", "جميلة"}));
  EXPECT_EQ(terms("Наука и жизнь", "und"), (Terms{"наука", "и", "жизнь"}));
  EXPECT_EQ(terms("한국어 문장", "und"), (Terms{"한국어", "문장"}));
  const Terms japanese = terms("東京都に住む", "und");
  ASSERT_GE(japanese.size(), 3U);
  EXPECT_EQ(japanese[0], "東京");
}

TEST(Folding, StripAccentsKeepsUmlautsOnDemand) {
  EXPECT_EQ(strip_accents("ärger à la café", true), "ärger a la cafe");
  EXPECT_EQ(strip_accents("ärger", false), "arger");
  EXPECT_EQ(strip_accents("ế", false), "e");
  EXPECT_EQ(strip_accents("हिन्दी", false), "हिन्दी");
}

// Bounded work: as many terms as words, and none that is longer than its text.
TEST(Folding, SurvivesHostileRuns) {
  constexpr std::size_t kLetters = 100000;
  std::string letters(kLetters, 'a');
  std::string umlauts;
  std::string marks;
  std::string hyphens;
  std::string hyphened;
  for (std::size_t i = 0; i < kLetters / 2; ++i) {
    umlauts += "ä";
    marks += "\u0301";
    hyphens += "-";
    hyphened += "a-";
  }
  for (const char* language : {"de", "en", "und"}) {
    EXPECT_EQ(terms(letters, language), Terms{letters});
    EXPECT_EQ(terms(umlauts, language).size(), 1U);
    EXPECT_TRUE(terms(marks, language).empty());
    EXPECT_EQ(terms("a" + marks, language).size(), 1U);
    EXPECT_TRUE(terms(hyphens, language).empty());
    EXPECT_EQ(terms(hyphened, language).size(), kLetters / 2 + 1);
  }
}

TEST(Folding, FindsWordsOfAnyLengthAgain) {
  std::string word;
  for (std::size_t i = 0; i < 10000; ++i) word.push_back(static_cast<char>('a' + i * 7 % 26));
  for (const char* language : {"de", "en", "und"}) {
    const Terms in_text = terms("Das Wort " + word + " steht hier.", language);
    const Terms asked = terms(word, language);
    ASSERT_EQ(asked.size(), 1U);
    EXPECT_EQ(asked[0], word);
    EXPECT_EQ(std::ranges::count(in_text, asked[0]), 1);
    std::string other = word;
    other.back() = other.back() == 'a' ? 'b' : 'a';
    EXPECT_NE(terms(other, language), asked);
  }
}

}  // namespace
}  // namespace beleg

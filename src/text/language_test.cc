#include "text/language.h"

#include <gtest/gtest.h>

#include <string>

#include "text/test_data.h"

namespace beleg {
namespace {

TEST(Language, KnowsShortQuestions) {
  for (const char* question :
       {"Was ist BM25?", "Wer war das?", "wie lange", "Mietvertrag kündigen", "Größe", "Impfung",
        "Welche Frist gilt?", "was kostet das", "Oeffnungszeiten der Bibliothek",
        "Wo liegt die Harvard Medical School?", "Wann startete Apollo 11?",
        "WHO erklärt Gesundheitsnotstand", "WAS IST DIE FRIST?"}) {
    EXPECT_EQ(detect_language(question).code, "de") << question;
  }
  for (const char* question :
       {"what is rag", "how long", "Was the war won?", "Who wrote Die Zeit?", "Where is Berlin?",
        "When did the Titanic sink?", "list all of them", "Who was Goethe?"}) {
    EXPECT_EQ(detect_language(question).code, "en") << question;
  }
}

TEST(Language, SaysWhenTheTextDoesNotTell) {
  for (const char* text : {"", " ", "DEC-0054", "802.11ax", "Angela Merkel", "Berlin", "12345",
                           "std::vector", "https://example.org/the/and/of", "\xFF\xFE", "?!…"}) {
    const LanguageGuess guess = detect_language(text);
    EXPECT_EQ(guess.code, "und") << text;
    EXPECT_LT(guess.confidence, 0.5) << text;
  }
}

TEST(Language, KnowsOtherLanguages) {
  EXPECT_EQ(detect_language("Quelle est la capitale de la France ?").code, "fr");
  EXPECT_EQ(detect_language("Wat is de hoofdstad van Nederland?").code, "nl");
  EXPECT_EQ(detect_language("Какая столица России?").code, "ru");
  EXPECT_EQ(detect_language("Türkiye'nin başkenti neresidir?").code, "tr");
  EXPECT_EQ(detect_language("日本の首都はどこですか").code, "ja");
  EXPECT_EQ(detect_language("מהי בירת ישראל? זו שאלה קצרה בעברית").code, "he");
}

TEST(Language, KeepsConfidenceInRange) {
  std::string text;
  for (int i = 0; i < 3000; ++i) {
    text += i % 2 == 0 ? "der Hund und " : "the dog and ";
    if (i > 40 && i % 500 != 0) continue;
    const LanguageGuess guess = detect_language(text);
    EXPECT_GE(guess.confidence, 0.0);
    EXPECT_LE(guess.confidence, 1.0);
  }
}

void expect_language(const std::string& code, const std::string& file, double least) {
  const std::optional<std::filesystem::path> data = test_data_folder();
  if (!data) GTEST_SKIP() << "no test data folder";
  int right = 0;
  int all = 0;
  for (const nlohmann::json& line :
       read_json_lines(*data / "retrieval_qa" / ("xquad_" + code) / file)) {
    ++all;
    right += detect_language(line.at("text").get<std::string>()).code == code ? 1 : 0;
  }
  ASSERT_GT(all, 0);
  EXPECT_GE(static_cast<double>(right) / all, least) << right << " of " << all;
}

TEST(LanguageOnXquad, GermanQuestions) { expect_language("de", "queries.jsonl", 0.995); }
TEST(LanguageOnXquad, EnglishQuestions) { expect_language("en", "queries.jsonl", 0.995); }
TEST(LanguageOnXquad, GermanPassages) { expect_language("de", "docs.jsonl", 1.0); }
TEST(LanguageOnXquad, EnglishPassages) { expect_language("en", "docs.jsonl", 1.0); }

}  // namespace
}  // namespace beleg

#include <gtest/gtest.h>

#include <random>

#include "index/index_test_support.h"
#include "index/segmented_index.h"

namespace beleg {
namespace {

using testing_support::draw;
using testing_support::TemporaryTestFolder;
using testing_support::TestRow;

TestRow row_of(std::int64_t passage, std::string language, std::string title, std::string headings,
               std::string body) {
  TestRow row;
  row.attributes.passage = PassageId{passage};
  row.attributes.language = std::move(language);
  row.title = std::move(title);
  row.headings = std::move(headings);
  row.body = std::move(body);
  return row;
}

// The first document of LexicalIndexTest's formula: idf(dog, 2 of 3) = 0.470004, 3 words as the
// average has, so that dog adds 0.470004 · 2.2 / 2.2 = 0.470004 and cat 1.348640 points, which are
// 30802 and 88384 units of 1/65536.
TEST(LexicalExplanation, SaysWhatEachTermAdds) {
  const TemporaryTestFolder folder;
  const auto index = testing_support::build_index(folder.path(),
                                                  {row_of(1, "en", "", "", "cat cat dog"),
                                                   row_of(2, "en", "", "", "dog bird"),
                                                   row_of(3, "en", "bird", "bird", "bird fish")},
                                                  0)
                         .open();
  const LexicalExplanation first = index->explain_lexical("the dog and a cat", "en", 0, {});
  EXPECT_EQ(first.language, "en");
  EXPECT_EQ(first.units_per_point, 65536U);
  ASSERT_EQ(first.matches.size(), 2U);
  const LexicalMatch& dog = first.matches[0];
  EXPECT_EQ(dog.term.term, "dog");
  EXPECT_EQ(dog.term.form, TermForm::kWord);
  EXPECT_EQ(dog.term.document_frequency, 2U);
  EXPECT_NEAR(dog.term.idf, 0.470004, 1e-5);
  EXPECT_EQ(dog.body, 1.0F);
  EXPECT_EQ(dog.title, 0.0F);
  EXPECT_NEAR(dog.contribution, 30802, 1);
  EXPECT_EQ(dog.word, 0U);
  EXPECT_EQ(first.matches[1].term.term, "cat");
  EXPECT_EQ(first.matches[1].body, 2.0F);
  EXPECT_NEAR(first.matches[1].contribution, 88384, 1);
  EXPECT_EQ(first.matches[1].word, 1U);
  EXPECT_EQ(first.units, dog.contribution + first.matches[1].contribution);

  const LexicalExplanation third = index->explain_lexical("bird", "en", 2, {});
  ASSERT_EQ(third.matches.size(), 1U);
  EXPECT_EQ(third.matches[0].title, 1.0F);
  EXPECT_EQ(third.matches[0].headings, 1.0F);
  EXPECT_EQ(third.matches[0].body, 1.0F);

  EXPECT_TRUE(index->explain_lexical("bird", "en", 0, {}).matches.empty());
  EXPECT_EQ(index->explain_lexical("bird", "en", 0, {}).score, 0.0F);
  EXPECT_TRUE(index->explain_lexical("bird", "en", 3, {}).matches.empty());  // No such row.
  EXPECT_TRUE(index->explain_lexical("", "en", 0, {}).matches.empty());
}

TEST(LexicalExplanation, NamesTheFormsOfTerms) {
  const TemporaryTestFolder folder;
  const auto index =
      testing_support::build_index(
          folder.path(),
          {row_of(1, "de", "", "", "Hafenstadt nach § 5 Abs. 2 mit 802.11ax, Hafen und Stadt")}, 0)
          .open();
  const LexicalExplanation whole = index->explain_lexical("Hafenstadt", "de", 0, {});
  ASSERT_EQ(whole.matches.size(), 3U);
  EXPECT_EQ(whole.matches[0].term.form, TermForm::kWord);
  EXPECT_EQ(whole.matches[1].term.form, TermForm::kCompoundPart);
  EXPECT_EQ(whole.matches[1].word, whole.matches[0].word);
  EXPECT_EQ(whole.matches[1].body, 1.625F);  // Once by itself and once as a part: 1 + 10/16.
  const LexicalExplanation reference = index->explain_lexical("§ 5 Abs. 2", "de", 0, {});
  ASSERT_GE(reference.matches.size(), 2U);
  EXPECT_EQ(reference.matches[0].term.term, "§5.abs2");
  EXPECT_EQ(reference.matches[0].term.form, TermForm::kReference);
  EXPECT_EQ(reference.matches[1].term.form, TermForm::kReferencePart);
  const LexicalExplanation identifier = index->explain_lexical("802.11ax", "de", 0, {});
  ASSERT_GE(identifier.matches.size(), 2U);
  EXPECT_EQ(identifier.matches[0].term.form, TermForm::kIdentifier);
  EXPECT_EQ(identifier.matches[1].term.form, TermForm::kIdentifierPart);
}

TEST(LexicalExplanation, SumsToTheScoreOfTheSearchForEveryHit) {
  const TemporaryTestFolder folder;
  std::mt19937 random(3);
  static const std::vector<std::string> kWords{
      "Hafenstadt", "Hafen",  "Stadt",    "Steuerzahler", "Steuer", "Zahler",       "und",
      "§ 5 Abs. 2", "§ 5",    "802.11ax", "DEC-54",       "signal", "Bürger:innen", "Bürger",
      "harbour",    "meadow", "E-Mail",   "Email",        "the",    "McKenzie"};
  const auto text = [&](std::size_t words) {
    std::string out;
    for (std::size_t w = 0; w < words; ++w) out += kWords[draw(random, kWords.size())] + " ";
    return out;
  };
  std::vector<TestRow> rows;
  static const std::vector<std::string> kLanguages{"de", "en", "fr"};
  for (std::int64_t i = 0; i < 1000; ++i) {
    rows.push_back(row_of(i + 1, kLanguages[draw(random, 3)], text(draw(random, 4)),
                          text(draw(random, 3)), text(draw(random, 150))));
  }
  const auto index = testing_support::build_grown_index(folder.path(), rows, 5).open();
  ASSERT_EQ(dynamic_cast<const SegmentedIndex&>(*index).segments().size(), 3U);
  std::size_t explained = 0;
  std::size_t beside = 0;  // Terms that add less than they score.
  for (const Bm25Settings& settings :
       {Bm25Settings{}, Bm25Settings{.k1 = 2.0F, .b = 0.1F},
        Bm25Settings{.title_weight = 3.0F, .heading_weight = 0.5F}, Bm25Settings{.k1 = 1e7F}}) {
    for (int round = 0; round < 8; ++round) {
      const std::string question = text(1 + draw(random, 5));
      const std::string& language = kLanguages[draw(random, 3)];
      const LexicalResult result =
          index->search_lexical(question, language, 1000, nullptr, settings);
      for (const RowHit& hit : result.hits) {
        const LexicalExplanation row =
            index->explain_lexical(question, language, hit.row, settings);
        ASSERT_EQ(row.score, hit.score) << question;
        std::uint32_t sum = 0;
        for (const LexicalMatch& match : row.matches) {
          sum += match.contribution;
          ASSERT_LE(match.contribution, match.score);
          ASSERT_GT(match.title + match.headings + match.body, 0.0F);
          beside += match.contribution < match.score ? 1 : 0;
        }
        ASSERT_EQ(sum, row.units);
        ASSERT_EQ(static_cast<float>(sum) / static_cast<float>(row.units_per_point), hit.score);
        ++explained;
      }
    }
  }
  EXPECT_GT(explained, 5000U);
  EXPECT_GT(beside, 1000U);
}

}  // namespace
}  // namespace beleg

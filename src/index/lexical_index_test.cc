#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <set>

#include "index/index_test_support.h"
#include "index/lexical_query.h"

namespace beleg {
namespace {

using testing_support::build_index;
using testing_support::draw;
using testing_support::TemporaryTestFolder;
using testing_support::TestRow;

std::vector<TestRow> rows_of(const std::string& language, const std::vector<std::string>& bodies) {
  std::vector<TestRow> rows;
  for (const std::string& body : bodies) {
    TestRow row;
    row.attributes.passage = PassageId{static_cast<std::int64_t>(rows.size() + 1)};
    row.attributes.language = language;
    row.body = body;
    rows.push_back(row);
  }
  return rows;
}

std::vector<TestRow> joined(std::vector<TestRow> first, const std::vector<TestRow>& second) {
  for (TestRow row : second) {
    row.attributes.passage = PassageId{static_cast<std::int64_t>(first.size() + 1)};
    first.push_back(row);
  }
  return first;
}

std::vector<Row> rows_in(const LexicalResult& result) {
  std::vector<Row> rows;
  for (const RowHit& hit : result.hits) rows.push_back(hit.row);
  return rows;
}

class LexicalIndexTest : public ::testing::Test {
 protected:
  void build(const std::vector<TestRow>& rows) {
    index_ = build_index(folder_.path(), rows, 0).open();
  }
  [[nodiscard]] LexicalResult search(std::string_view question, std::string_view language,
                                     std::size_t k = 10, const Bm25Settings& settings = {}) const {
    return index_->search_lexical(question, language, k, nullptr, settings);
  }

  TemporaryTestFolder folder_;
  std::shared_ptr<const IndexSnapshot> index_;
};

// Three documents of 3, 2 and 4 words (3 on average), k1 = 1.2, b = 0.75, by hand:
//   idf(1 of 3) = ln(1 + 2.5/1.5) = 0.980829, idf(2 of 3) = ln(1 + 1.5/2.5) = 0.470004
//   cat: 0.980829 · 2.2 · 2 / (2 + 1.2 · (0.25 + 0.75 · 3/3)) = 0.980829 · 4.4/3.2 = 1.348640
//   dog in the first:  0.470004 · 2.2 / (1 + 1.2 · 1)    = 0.470004
//   dog in the second: 0.470004 · 2.2 / (1 + 1.2 · 0.75) = 0.544215
//   bird (twice) in the second: none; in the third: 0.470004 · 6.6 / (3 + 1.2 · 1.25) = 0.689339
TEST_F(LexicalIndexTest, ScoresAreThoseOfTheFormulaInEnglish) {
  build(rows_of("en", {"cat cat dog", "dog bird", "bird bird bird fish"}));
  const LexicalResult cat = search("cat", "en");
  ASSERT_EQ(rows_in(cat), std::vector<Row>{0});
  EXPECT_NEAR(cat.hits[0].score, 1.348640, 1e-5);
  EXPECT_FLOAT_EQ(cat.matched_mass, 1.0F);
  ASSERT_EQ(cat.terms.size(), 1U);
  EXPECT_EQ(cat.terms[0].language, "en");
  EXPECT_EQ(cat.terms[0].document_frequency, 1U);
  EXPECT_NEAR(cat.terms[0].idf, 0.980829, 1e-5);

  const LexicalResult dog = search("dog", "en");
  ASSERT_EQ(rows_in(dog), (std::vector<Row>{1, 0}));
  EXPECT_NEAR(dog.hits[0].score, 0.544215, 1e-5);
  EXPECT_NEAR(dog.hits[1].score, 0.470004, 1e-5);

  const LexicalResult both = search("Where are the birds and the cat?", "en");
  ASSERT_EQ(rows_in(both), (std::vector<Row>{0, 2, 1}));
  EXPECT_NEAR(both.hits[0].score, 1.348640, 1e-5);
  EXPECT_NEAR(both.hits[1].score, 0.689339, 1e-5);
  // The best hit has the cat, not the birds: 0.980829 / (0.980829 + 0.470004).
  EXPECT_NEAR(both.matched_mass, 0.676046, 1e-5);
}

TEST_F(LexicalIndexTest, ScoresAreThoseOfTheFormulaInGerman) {
  build(rows_of("de", {"Katze Katze Hund", "Hund Vogel", "Vogel Vogel Vogel Fisch"}));
  const LexicalResult cat = search("Die Katze?", "de");
  ASSERT_EQ(rows_in(cat), std::vector<Row>{0});
  EXPECT_NEAR(cat.hits[0].score, 1.348640, 1e-5);
  const LexicalResult dog = search("Wo sind die Hunde?", "de");
  ASSERT_EQ(rows_in(dog), (std::vector<Row>{1, 0}));
  EXPECT_NEAR(dog.hits[0].score, 0.544215, 1e-5);
  EXPECT_NEAR(dog.hits[1].score, 0.470004, 1e-5);
}

// Title weight 2, heading weight 3: tf = 1 + 2 = 3, length = 2 + 2·1 = 4; the other document has
// length 2 + 3·2 = 8; average 6. idf(1 of 2) = ln 2 = 0.693147.
//   0.693147 · 2.2 · 3 / (3 + 1.2 · (0.25 + 0.75 · 4/6)) = 0.693147 · 6.6/3.9 = 1.173018
TEST_F(LexicalIndexTest, FieldsAreAddedUpByTheirWeights) {
  std::vector<TestRow> rows = rows_of("en", {"cat dog", "dog bird"});
  rows[0].title = "cat";
  rows[1].headings = "fish bird";
  build(rows);
  Bm25Settings settings;
  settings.title_weight = 2.0F;
  settings.heading_weight = 3.0F;
  const LexicalResult cat = search("cat", "en", 10, settings);
  ASSERT_EQ(rows_in(cat), std::vector<Row>{0});
  EXPECT_NEAR(cat.hits[0].score, 1.173018, 1e-5);
  // With the headings off, what stands only there is not found.
  settings.heading_weight = 0.0F;
  EXPECT_TRUE(search("fish", "en", 10, settings).hits.empty());
  settings.heading_weight = 1.0F;
  EXPECT_EQ(rows_in(search("fish", "en", 10, settings)), std::vector<Row>{1});
}

TEST_F(LexicalIndexTest, ExtremeSettingsStayFinite) {
  build(rows_of("en", {"cat cat dog", "dog bird", "", "the of"}));
  for (const float k1 : {0.0F, 100.0F}) {
    for (const float b : {0.0F, 1.0F}) {
      Bm25Settings settings;
      settings.k1 = k1;
      settings.b = b;
      const LexicalResult result = search("cat bird", "en", 10, settings);
      ASSERT_EQ(result.hits.size(), 2U);
      for (const RowHit& hit : result.hits) EXPECT_TRUE(std::isfinite(hit.score));
    }
  }
}

TEST_F(LexicalIndexTest, SenselessSettingsLeaveNothingBehind) {
  std::vector<TestRow> rows = rows_of("en", {"cat cat dog", "dog bird"});
  rows[1].title = "cat";
  build(rows);
  const LexicalResult before = search("cat dog", "en");
  Bm25Settings settings;
  for (const float weight :
       {-3.0F, std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
    settings.title_weight = weight;
    for (const RowHit& hit : search("cat", "en", 10, settings).hits) EXPECT_GT(hit.score, 0.0F);
    EXPECT_EQ(search("cat dog", "en").hits, before.hits);
  }
}

TEST_F(LexicalIndexTest, StopWordsCountOnlyWhenNothingElseIsAsked) {
  build(rows_of("de", {"Der Hund und die Katze", "Das Haus", "Ein Vogel singt"}));
  EXPECT_EQ(rows_in(search("Der Hund", "de")), std::vector<Row>{0});
  const LexicalResult alone = search("Der Die Das", "de");
  EXPECT_EQ(alone.hits.size(), 2U);
  EXPECT_FALSE(alone.terms.empty());
  EXPECT_TRUE(search("", "de").hits.empty());
  EXPECT_TRUE(search("?!… — \xff\xfe", "de").hits.empty());
  EXPECT_EQ(search("", "de").matched_mass, 0.0F);
}

TEST_F(LexicalIndexTest, PartsOfCompoundsFindTheWholeAndCountLess) {
  build(rows_of("de", {"Das Verfassungsgericht entschied gestern abend",
                       "Das Gericht entschied gestern abend",
                       "Die Verfassung wurde gestern abend verkündet", "Ein Vogel singt abend"}));
  const LexicalResult court = search("Gericht", "de");
  ASSERT_EQ(rows_in(court), (std::vector<Row>{1, 0}));
  EXPECT_GT(court.hits[0].score, court.hits[1].score);
  // The whole word wins against its parts elsewhere, and does not count twice for having both.
  const LexicalResult whole = search("Verfassungsgericht", "de");
  ASSERT_GE(whole.hits.size(), 3U);
  EXPECT_EQ(whole.hits[0].row, 0U);
  EXPECT_FLOAT_EQ(whole.matched_mass, 1.0F);
  float largest_idf = 0.0F;
  for (const QueryTermReport& term : whole.terms) largest_idf = std::max(largest_idf, term.idf);
  EXPECT_LT(whole.hits[0].score, 2.2F * largest_idf);
}

TEST_F(LexicalIndexTest, AnotherLanguageIsAskedForNamesNumbersAndIdentifiersOnly) {
  build(joined(rows_of("de", {"Angela Merkel sprach in Berlin", "Die Norm DEC-0054 gilt",
                              "Ein Gift wirkt in Minuten", "Im Jahr 1989 fiel die Mauer"}),
               rows_of("en", {"Angela Merkel spoke in Berlin", "A gift for a friend"})));
  // "gift" is poison in German: lower-case words of an English question stay in English.
  EXPECT_EQ(rows_in(search("Which gift is for a friend?", "en")), std::vector<Row>{5});
  const std::vector<Row> merkel = rows_in(search("What did Angela Merkel say?", "en"));
  EXPECT_EQ(std::set<Row>(merkel.begin(), merkel.end()), (std::set<Row>{0, 4}));
  EXPECT_EQ(rows_in(search("What is in DEC-0054?", "en")), std::vector<Row>{1});
  EXPECT_EQ(rows_in(search("What happened in 1989?", "en")), std::vector<Row>{3});
  // Without any capital letter case tells nothing, so all content words are asked.
  const std::vector<Row> lower = rows_in(search("what did merkel say", "en"));
  EXPECT_EQ(std::set<Row>(lower.begin(), lower.end()), (std::set<Row>{0, 4}));
  // "die" is a German stop word: an English part must not see it.
  EXPECT_TRUE(search("Die", "de").hits.size() == 2);
}

TEST_F(LexicalIndexTest, MatchedMassCountsWhatAnotherLanguageCouldNotBeAsked) {
  build(rows_of("de", {"Angela Merkel sprach in Berlin", "Ein Vogel singt"}));
  const LexicalResult own = search("Angela Merkel Berlin", "de");
  const LexicalResult other = search("Where did Angela Merkel propose new rules for banks?", "en");
  ASSERT_FALSE(other.hits.empty());
  EXPECT_FLOAT_EQ(own.matched_mass, 1.0F);
  EXPECT_LT(other.matched_mass, 0.6F);
  EXPECT_GT(other.matched_mass, 0.1F);
}

TEST_F(LexicalIndexTest, RowsOfOtherLanguagesAreFoundByTheirWords) {
  build(joined(rows_of("fr", {"le chat noir dort", "la maison blanche"}),
               rows_of("und", {"x7 kappa maison"})));
  EXPECT_EQ(rows_in(search("chat", "fr")), std::vector<Row>{0});
  EXPECT_EQ(rows_in(search("maison", "de")).size(), 2U);
  EXPECT_EQ(rows_in(search("maison", "und")).size(), 2U);
}

TEST_F(LexicalIndexTest, EqualScoresKeepTheOrderOfRows) {
  build(rows_of("en", std::vector<std::string>(300, "cat dog")));
  const std::vector<Row> rows = rows_in(search("dog", "en", 250));
  ASSERT_EQ(rows.size(), 250U);
  for (Row i = 0; i < 250; ++i) ASSERT_EQ(rows[i], i);
}

// --- The oracle: every document scored from its analysed text, term by term. ---

struct OracleDocument {
  std::map<std::string, float> frequencies;
  float length = 0.0F;
};

std::vector<RowHit> oracle_search(const std::vector<TestRow>& rows, const Analyzer& analyzer,
                                  const std::vector<QueryGroup>& groups) {
  std::vector<OracleDocument> documents;
  double total = 0.0;
  std::map<std::string, std::uint32_t> document_frequency;
  for (const TestRow& row : rows) {
    OracleDocument document;
    std::set<std::uint32_t> positions;
    for (const AnalyzedTerm& term : analyzer.analyze(row.body)) {
      document.frequencies[term.term] += std::round(term.weight * 16.0F) / 16.0F;
      if (!term.stop_word) positions.insert(term.position);
    }
    document.length = static_cast<float>(positions.size());
    total += document.length;
    for (const auto& [term, count] : document.frequencies) ++document_frequency[term];
    documents.push_back(document);
  }
  const double average = total / static_cast<double>(rows.size());
  std::vector<RowHit> hits;
  for (Row row = 0; row < rows.size(); ++row) {
    const OracleDocument& document = documents[row];
    const auto score = [&](const QueryTerm& term) {
      const auto found = document.frequencies.find(term.term);
      if (found == document.frequencies.end()) return 0.0F;
      const double df = document_frequency[term.term];
      const auto n = static_cast<double>(rows.size());
      const auto idf = static_cast<float>(std::log1p((n - df + 0.5) / (df + 0.5)));
      const float tf = found->second;
      const auto per_word = static_cast<float>(1.2F * 0.75F / average);
      return idf * term.weight *
             (2.2F * tf / (tf + 1.2F * (1.0F - 0.75F) + per_word * document.length));
    };
    float sum = 0.0F;
    for (const QueryGroup& group : groups) {
      float whole = 0.0F;
      float parts = 0.0F;
      for (const QueryTerm& term : group.wholes) whole = std::max(whole, score(term));
      for (const QueryTerm& term : group.parts) parts += score(term);
      sum += std::max(whole, parts) + 0.3F * std::min(whole, parts);
    }
    if (sum > 0.0F) hits.push_back({row, sum});
  }
  std::sort(hits.begin(), hits.end(), [](const RowHit& a, const RowHit& b) {
    return a.score != b.score ? a.score > b.score : a.row < b.row;
  });
  return hits;
}

TEST_F(LexicalIndexTest, GivesWhatScoringEveryDocumentGives) {
  static const std::vector<std::string> kWords{"Gericht",    "Verfassung",   "Verfassungsgericht",
                                               "Steuer",     "Steuerzahler", "Zahler",
                                               "Hafen",      "Hafenstadt",   "Stadt",
                                               "Kupfer",     "Motor",        "Brücke",
                                               "Bergstraße", "Straße",       "Berg",
                                               "und",        "der",          "DEC-54",
                                               "802.11ax",   "Winter",       "Vogel",
                                               "Haus",       "Haustür",      "Tür"};
  std::mt19937 random(11);
  std::vector<std::string> bodies;
  for (int i = 0; i < 400; ++i) {
    std::string body;
    for (std::uint32_t n = draw(random, 25); n > 0; --n) {
      body += kWords[draw(random, kWords.size()) % (1 + draw(random, kWords.size()))] + " ";
    }
    bodies.push_back(body);
  }
  const std::vector<TestRow> rows = rows_of("de", bodies);
  build(rows);
  CompoundLexiconBuilder builder;
  for (const TestRow& row : rows) builder.add_text(row.body);
  const std::shared_ptr<const CompoundLexicon> compounds = builder.build();
  const std::unique_ptr<Analyzer> analyzer = make_analyzer("de", compounds);
  const LexicalQueryAnalyzer query_analyzer(compounds);
  std::size_t with_parts = 0;
  for (int round = 0; round < 100; ++round) {
    std::string question;
    for (std::uint32_t n = 1 + draw(random, 6); n > 0; --n) {
      question += kWords[draw(random, kWords.size())] + " ";
    }
    const PartQuery query = query_analyzer.analyze(question, "de", "de");
    for (const QueryGroup& group : query.groups) with_parts += group.parts.empty() ? 0 : 1;
    const std::vector<RowHit> expected = oracle_search(rows, *analyzer, query.groups);
    for (const std::size_t k : {std::size_t{1}, std::size_t{10}, rows.size()}) {
      const LexicalResult result = search(question, "de", k);
      ASSERT_EQ(result.hits.size(), std::min(k, expected.size())) << question;
      std::map<Row, float> scores;
      for (const RowHit& hit : expected) scores[hit.row] = hit.score;
      for (std::size_t i = 0; i < result.hits.size(); ++i) {
        // The index rounds the score of each term to 1 / 65536: what is nearer may change places.
        ASSERT_NEAR(result.hits[i].score, expected[i].score, 2e-4) << question << " rank " << i;
        ASSERT_NEAR(result.hits[i].score, scores.at(result.hits[i].row), 2e-4) << question;
      }
    }
  }
  EXPECT_GT(with_parts, 20U);  // Else the groups were not put to the test.
}

}  // namespace
}  // namespace beleg

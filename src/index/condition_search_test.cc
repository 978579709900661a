#include "index/condition_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "index/index_test_support.h"
#include "index/segmented_index.h"

namespace beleg {
namespace {

using testing_support::draw;
using testing_support::TemporaryTestFolder;
using testing_support::TestRow;

constexpr TextConditionKind kPhrase = TextConditionKind::kPhrase;
constexpr TextConditionKind kAllWords = TextConditionKind::kAllWords;

/// Rows that are written out.
struct Text {
  std::string language;
  std::string body;
  std::string title = {};
  std::string headings = {};
};

class ConditionSearchTest : public ::testing::Test {
 protected:
  void build(const std::vector<Text>& texts) {
    std::vector<TestRow> rows;
    for (const Text& text : texts) {
      TestRow& row = rows.emplace_back();
      row.attributes.passage = PassageId{static_cast<std::int64_t>(rows.size())};
      row.attributes.language = text.language;
      row.title = text.title;
      row.headings = text.headings;
      row.body = text.body;
    }
    index_ = testing_support::build_index(folder_.path(), rows, 0).open();
  }

  static std::vector<Row> rows_in(const RowFilter& filter) {
    std::vector<Row> rows;
    for (Row row = 0; row < filter.rows(); ++row) {
      if (filter.allows(row)) rows.push_back(row);
    }
    return rows;
  }

  [[nodiscard]] std::vector<Row> matching(std::vector<TextCondition> conditions) const {
    FilterSpec spec;
    spec.texts = std::move(conditions);
    return rows_in(index_->make_filter(spec));
  }
  [[nodiscard]] std::vector<Row> phrase(std::string text) const {
    return matching({{.text = std::move(text), .field = {}, .kind = kPhrase}});
  }
  [[nodiscard]] std::vector<Row> all_words(std::string text,
                                           std::optional<TextField> field = {}) const {
    return matching({{.text = std::move(text), .field = field, .kind = kAllWords}});
  }

  using Rows = std::vector<Row>;
  TemporaryTestFolder folder_;
  std::shared_ptr<const IndexSnapshot> index_;
};

TEST_F(ConditionSearchTest, APhraseIsFoundInOrderAndWithoutGaps) {
  build({{"en", "The red bridge over the river."},
         {"en", "The bridge is red."},
         {"en", "A red and old bridge."},
         {"en", "Red bridges were built."},
         {"fr", "Red Bridge est un pont."},
         {"en", "What is red? Bridge after bridge."}});
  EXPECT_EQ(phrase("red bridge"), (Rows{0, 3, 4, 5}));  // Stems match, punctuation does not count.
  EXPECT_EQ(phrase("bridge red"), Rows{});
  EXPECT_EQ(phrase("bridge"), (Rows{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(phrase("bridge after bridge"), Rows{5});
}

TEST_F(ConditionSearchTest, StopWordsCountInPhrasesOnly) {
  build({{"en", "To be or not to be."}, {"en", "To be not or."}, {"en", "Be a river to the sea."}});
  EXPECT_EQ(phrase("to be or not to be"), Rows{0});
  EXPECT_EQ(phrase("river to the sea"), Rows{2});
  EXPECT_EQ(phrase("river the sea"), Rows{});
  EXPECT_EQ(all_words("over the river into the sea"), Rows{2});
  EXPECT_EQ(all_words("or not"), (Rows{0, 1}));  // There is nothing else.
}

TEST_F(ConditionSearchTest, CompoundsAndIdentifiersHaveTheirPartsAtTheirPlace) {
  build({{"de", "Er trug eine kurze Hose aus Leder."},
         {"de", "Die kurzen Hosen waren aus."},
         {"de", "Eine kurze Lederhose, und Leder, Hose, Hafen, Stadt."},
         {"de", "Der Router spricht 802.11ax und 802.11be."},
         {"de", "Der Router spricht 802.11 und ax."},
         {"de", "Die E-Mail kam an."}});
  EXPECT_EQ(phrase("kurze Hose"), (Rows{0, 1, 2}));
  EXPECT_EQ(phrase("kurze Lederhose"), Rows{2});
  EXPECT_EQ(phrase("Leder Hose"), Rows{2});
  EXPECT_EQ(phrase("802.11ax"), Rows{3});
  EXPECT_EQ(phrase("spricht 802.11ax und 802.11be"), Rows{3});
  EXPECT_EQ(phrase("spricht 802.11"), Rows{4});
  EXPECT_EQ(phrase("Email"), Rows{5});
}

TEST_F(ConditionSearchTest, AReferenceIsOneWordHoweverItIsWritten) {
  build({{"de", "Die Frist nach § 5 Abs. 2 beginnt."},
         {"de", "Die Frist nach § 5 Absatz 2 beginnt."},
         {"de", "Die Frist nach § 2 Abs. 5 beginnt, Absatz 2 nicht."},
         {"de", "Siehe §5 (2) und Paragraph 7."},
         {"de", "Nach 5 Tagen, Abs. 2."}});
  EXPECT_EQ(phrase("§ 5 Abs. 2"), (Rows{0, 1, 3}));
  EXPECT_EQ(phrase("Paragraph 5 Absatz 2"), (Rows{0, 1, 3}));
  EXPECT_EQ(phrase("§ 5"), (Rows{0, 1, 3}));
  EXPECT_EQ(phrase("nach § 5 Abs. 2"), (Rows{0, 1}));
  EXPECT_EQ(phrase("§ 5 Abs. 2 beginnt"), (Rows{0, 1}));
  EXPECT_EQ(phrase("§ 7"), Rows{3});
  EXPECT_EQ(all_words("Frist § 5 Abs. 2"), (Rows{0, 1}));
  EXPECT_EQ(phrase("Abs. 2"), (Rows{0, 4}));  // Words, not a reference.
  build({{"de", "Siehe §§ 5 und 6 der Satzung."}, {"de", "Siehe §§ 5 bis 6 der Satzung."}});
  EXPECT_EQ(phrase("§§ 5 und 6"), Rows{0});
  EXPECT_EQ(phrase("§ 6"), (Rows{0, 1}));
}

TEST_F(ConditionSearchTest, FieldsAreSearchedApart) {
  build({{"en", "harbour", "signal bridge", "winter meadow"},
         {"en", "signal", "bridge", "winter"},
         {"en", "bridge", "winter", "signal"},
         {"en", "signal bridge", "", ""}});
  EXPECT_EQ(all_words("bridge", TextField::kTitle), (Rows{0, 1}));
  EXPECT_EQ(all_words("signal", TextField::kHeadings), Rows{2});
  EXPECT_EQ(all_words("signal", TextField::kBody), (Rows{1, 3}));
  EXPECT_EQ(all_words("signal bridge"), (Rows{0, 1, 2, 3}));  // Each in whatever field.
  EXPECT_EQ(phrase("signal bridge"), (Rows{0, 3}));           // Within one field.
  EXPECT_EQ(matching({{"signal bridge", TextField::kBody, kPhrase}}), Rows{3});
  EXPECT_EQ(matching({{"winter", TextField::kHeadings, kAllWords},
                      {"harbour", TextField::kBody, kAllWords}}),
            Rows{0});
}

TEST_F(ConditionSearchTest, TextsWithoutWordsAndEmptyIndexesMatchNothing) {
  build({{"en", "harbour"}});
  EXPECT_EQ(phrase(""), Rows{});
  EXPECT_EQ(phrase("?!"), Rows{});
  EXPECT_EQ(all_words("…"), Rows{});
  EXPECT_EQ(phrase("lantern"), Rows{});
  EXPECT_EQ(matching({}), Rows{0});
  build({});
  EXPECT_EQ(phrase("harbour"), Rows{});
}

TEST_F(ConditionSearchTest, WhatLooksLikeSyntaxIsText) {
  build({{"en", "See title:harbour"}, {"en", "harbour", "title"}, {"en", "red or harbour"}});
  EXPECT_EQ(phrase("title:harbour"), Rows{0});  // An identifier.
  EXPECT_EQ(phrase("title: harbour"), Rows{});
  EXPECT_EQ(phrase("\"harbour\""), (Rows{0, 1, 2}));
  EXPECT_EQ(phrase("harbour*"), (Rows{0, 1, 2}));
  EXPECT_EQ(phrase("red OR harbour"), Rows{2});
}

/// Says by going through the terms of each field whether a row meets a condition.
class Oracle {
 public:
  Oracle(const IndexSnapshot& index, const TestRow& row)
      : index_(index), language_(row.attributes.language) {
    const std::string* const texts[] = {&row.body, &row.title, &row.headings};
    for (std::size_t field = 0; field < 3; ++field) {
      for (const AnalyzedTerm& term : index.analyze(*texts[field], language_)) {
        places_[field].insert({term.position, term.term});
        last_[field] = std::max(last_[field], term.position);
      }
    }
  }

  [[nodiscard]] bool meets(const TextCondition& condition) const {
    std::vector<std::size_t> fields{0, 1, 2};
    if (condition.field) fields = {static_cast<std::size_t>(*condition.field)};
    const auto words = words_of(condition);
    if (words.empty()) return false;
    if (condition.kind == kAllWords) {
      return std::all_of(words.begin(), words.end(), [&](const auto& word) {
        return std::any_of(fields.begin(), fields.end(), [&](std::size_t field) {
          for (std::uint32_t at = 0; at <= last_[field]; ++at) {
            if (has(field, at, word.second)) return true;
          }
          return false;
        });
      });
    }
    return std::any_of(fields.begin(), fields.end(), [&](std::size_t field) {
      for (std::uint32_t at = 0; at <= last_[field]; ++at) {
        if (std::all_of(words.begin(), words.end(), [&](const auto& word) {
              return has(field, at + word.first - words.begin()->first, word.second);
            })) {
          return true;
        }
      }
      return false;
    });
  }

 private:
  using Words = std::map<std::uint32_t, std::vector<std::string>>;

  [[nodiscard]] bool has(std::size_t field, std::uint32_t at,
                         const std::vector<std::string>& terms) const {
    return std::any_of(terms.begin(), terms.end(), [&](const std::string& term) {
      return places_[field].contains({at, term});
    });
  }

  /// Position → forms of the word.
  [[nodiscard]] Words words_of(const TextCondition& condition) const {
    const std::vector<AnalyzedTerm> terms = index_.analyze(condition.text, language_);
    Words words;
    Words content;
    for (const AnalyzedTerm& term : terms) {
      const bool written_out = std::any_of(terms.begin(), terms.end(), [&](const auto& other) {
        return other.form == TermForm::kReference && other.position < term.position &&
               other.span.start <= term.span.start && term.span.end <= other.span.end;
      });
      const bool whole = term.form == TermForm::kWord || term.form == TermForm::kIdentifier ||
                         term.form == TermForm::kReference;
      if (written_out || !whole) continue;
      words[term.position].push_back(term.term);
      if (!term.stop_word) content[term.position].push_back(term.term);
    }
    return condition.kind == kAllWords && !content.empty() ? content : words;
  }

  const IndexSnapshot& index_;
  std::string language_;
  std::set<std::pair<std::uint32_t, std::string>> places_[3];
  std::uint32_t last_[3] = {0, 0, 0};
};

class ConditionOracleTest : public ConditionSearchTest {
 protected:
  ConditionOracleTest() {
    static const std::vector<std::string> kLanguages{"de", "en", "fr"};
    for (std::size_t i = 0; i < 1000; ++i) {
      TestRow& row = rows_.emplace_back();
      row.attributes.passage = PassageId{static_cast<std::int64_t>(3 * i + 7)};
      row.attributes.language = kLanguages[draw(random_, 3)];
      row.attributes.domain = draw(random_, 2) == 0 ? "general" : "medical";
      row.title = text(draw(random_, 6));
      row.headings = text(draw(random_, 5));
      row.body = text(draw(random_, 60));
    }
    const auto grown = testing_support::build_grown_index(folder_.path(), rows_, 5);
    index_ = grown.open();
  }

  std::string text(std::size_t words) {
    static const std::vector<std::string> kWords{
        "harbour", "red",        "bridge",       "the",        "of",       "kurze",
        "Hose",    "Hosen",      "Lederhose",    "Leder",      "und",      "die",
        "§ 5",     "§ 5 Abs. 2", "§ 5 Absatz 2", "§§ 5 und 6", "802.11ax", "DEC-54",
        "E-Mail",  "Email",      "bridges",      "5",          "2",        "Bürger:innen",
        "Bürger",  "is",         "Abs."};
    std::string out;
    for (std::size_t w = 0; w < words; ++w) {
      out += kWords[draw(random_, kWords.size())];
      out += draw(random_, 4) == 0 ? ", " : " ";
    }
    return out;
  }

  TextCondition condition() {
    static const std::vector<std::optional<TextField>> kFields{
        {}, TextField::kBody, TextField::kTitle, TextField::kHeadings};
    return {.text = text(1 + draw(random_, 3)),
            .field = kFields[draw(random_, kFields.size())],
            .kind = draw(random_, 3) == 0 ? kAllWords : kPhrase};
  }

  std::mt19937 random_{11};
  std::vector<TestRow> rows_;
};

TEST_F(ConditionOracleTest, TheRowsAreThoseOfGoingThroughAllTexts) {
  ASSERT_EQ(dynamic_cast<const SegmentedIndex&>(*index_).segments().size(), 3U);
  std::vector<Oracle> oracles;
  std::vector<Row> row_of;
  std::vector<const TestRow*> live;
  for (const TestRow& row : rows_) {
    const auto number = index_->row_of(row.attributes.passage);
    if (!number) continue;
    oracles.emplace_back(*index_, row);
    row_of.push_back(*number);
    live.push_back(&row);
  }
  ASSERT_EQ(live.size(), 800U);
  std::size_t found = 0;
  std::size_t selective = 0;
  for (int round = 0; round < 160; ++round) {
    FilterSpec spec;
    spec.texts.push_back(condition());
    if (round % 5 == 0) spec.texts.push_back(condition());
    if (round % 3 == 0) spec.domains = {"medical"};
    std::vector<Row> expected;
    for (std::size_t i = 0; i < live.size(); ++i) {
      const bool domain = spec.domains.empty() || live[i]->attributes.domain == "medical";
      if (domain && std::all_of(spec.texts.begin(), spec.texts.end(),
                                [&](const auto& text) { return oracles[i].meets(text); })) {
        expected.push_back(row_of[i]);
      }
    }
    std::sort(expected.begin(), expected.end());
    const RowFilter filter = index_->make_filter(spec);
    ASSERT_EQ(rows_in(filter), expected) << spec.texts[0].text;
    found += expected.empty() ? 0 : 1;
    selective += !expected.empty() && expected.size() < 100 ? 1 : 0;
    // Lists stay filled with what is allowed.
    const std::size_t k = 10;
    const auto hits =
        index_->search_lexical("harbour red bridge Hose", "de", 1000, &filter, {}).hits;
    const auto first = index_->search_lexical("harbour red bridge Hose", "de", k, &filter, {}).hits;
    ASSERT_EQ(first.size(), std::min(k, hits.size()));
  }
  EXPECT_GT(found, 50U);
  EXPECT_GT(selective, 50U);
}

}  // namespace
}  // namespace beleg

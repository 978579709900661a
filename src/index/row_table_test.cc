#include "index/row_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "index/index_test_support.h"

namespace beleg {
namespace {

using testing_support::draw;
using testing_support::TemporaryTestFolder;

RowAttributes row(std::int64_t passage) {
  RowAttributes attributes;
  attributes.passage = PassageId{passage};
  attributes.language = "de";
  return attributes;
}

class RowTableTest : public ::testing::Test {
 protected:
  void write(const std::vector<RowAttributes>& rows) {
    RowTableBuilder builder;
    for (const RowAttributes& attributes : rows) MUST(builder.add(attributes));
    MUST(builder.write(folder_.path() / "rows.idx"));
    table_ = MUST(RowTable::open(folder_.path() / "rows.idx"));
  }
  [[nodiscard]] std::vector<Row> allowed(const FilterSpec& spec) const {
    const RowFilter filter = table_.make_filter(spec);
    std::vector<Row> rows;
    for (Row i = 0; i < table_.rows(); ++i) {
      if (filter.allows(i)) rows.push_back(i);
    }
    EXPECT_EQ(filter.count(), rows.size());
    return rows;
  }

  TemporaryTestFolder folder_;
  RowTable table_;
};

TEST_F(RowTableTest, AttributesComeBack) {
  RowAttributes first = row(-5);
  first.version = VersionId{9};
  first.document = DocumentId{70};
  first.published = -86'400;
  first.source = "zeit";
  first.story = "Straße 7";
  first.domain = "medical";
  first.access = {"editors", "board", "editors"};
  RowAttributes second = row(8);
  second.language = "";
  second.document = DocumentId{3};
  write({first, second});

  const RowAttributes read = table_.attributes(0);
  EXPECT_EQ(read.passage, first.passage);
  EXPECT_EQ(read.version, first.version);
  EXPECT_EQ(read.document, first.document);
  EXPECT_EQ(read.published, first.published);
  EXPECT_EQ(read.language, "de");
  EXPECT_EQ(read.source, "zeit");
  EXPECT_EQ(read.story, "Straße 7");
  EXPECT_EQ(read.domain, "medical");
  EXPECT_EQ(read.access, (std::vector<std::string>{"board", "editors"}));
  EXPECT_EQ(table_.attributes(1).document, DocumentId{3});
  EXPECT_FALSE(table_.attributes(1).published.has_value());
  EXPECT_TRUE(table_.attributes(1).access.empty());
  EXPECT_EQ(table_.attributes(2).passage, PassageId{});  // Out of range.

  EXPECT_EQ(MUST(table_.row_of(PassageId{8})), 1U);
  EXPECT_EQ(table_.passage_of(0), PassageId{-5});
  const auto missing = table_.row_of(PassageId{0});
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
}

TEST_F(RowTableTest, PassagesMustAscend) {
  RowTableBuilder builder;
  MUST(builder.add(row(4)));
  const auto repeated = builder.add(row(4));
  ASSERT_FALSE(repeated.has_value());
  EXPECT_EQ(repeated.error().code, ErrorCode::kInvalidArgument);
}

TEST_F(RowTableTest, DatesAreHalfOpenAndMissingOnesFail) {
  std::vector<RowAttributes> rows{row(1), row(2), row(3), row(4)};
  rows[0].published = 100;
  rows[1].published = 200;
  rows[3].published = -100;
  write(rows);
  FilterSpec spec;
  spec.published_from = 100;
  EXPECT_EQ(allowed(spec), (std::vector<Row>{0, 1}));
  spec.published_until = 200;
  EXPECT_EQ(allowed(spec), std::vector<Row>{0});
  spec.published_from.reset();
  EXPECT_EQ(allowed(spec), (std::vector<Row>{0, 3}));
  spec.published_from = std::numeric_limits<std::int64_t>::min();
  spec.published_until.reset();
  EXPECT_EQ(allowed(spec), (std::vector<Row>{0, 1, 3}));
}

TEST_F(RowTableTest, LabelsHideRowsFromWhoHoldsNone) {
  std::vector<RowAttributes> rows{row(1), row(2), row(3), row(4)};
  rows[1].access = {"board"};
  rows[2].access = {"board", "editors"};
  rows[3].access = {"legal"};
  write(rows);
  EXPECT_EQ(allowed({}), std::vector<Row>{0});
  FilterSpec spec;
  spec.held_access = {"editors", "unknown"};
  EXPECT_EQ(allowed(spec), (std::vector<Row>{0, 2}));
  spec.held_access = {"board"};
  EXPECT_EQ(allowed(spec), (std::vector<Row>{0, 1, 2}));
}

TEST_F(RowTableTest, UnknownValuesMatchNothing) {
  write({row(1), row(2)});
  FilterSpec spec;
  spec.sources = {"nowhere"};
  EXPECT_TRUE(allowed(spec).empty());
  spec.sources = {""};  // What the rows have.
  EXPECT_EQ(allowed(spec).size(), 2U);
  spec.documents = {DocumentId{99}};
  EXPECT_TRUE(allowed(spec).empty());
}

TEST_F(RowTableTest, CountsLanguagesMostFirst) {
  std::vector<RowAttributes> rows{row(1), row(2), row(3), row(4)};
  rows[0].language = "en";
  rows[2].language = "fr";
  write(rows);
  const std::vector<std::pair<std::string, std::size_t>> expected{{"de", 2}, {"en", 1}, {"fr", 1}};
  EXPECT_EQ(table_.languages(RowFilter::all(4)), expected);
  RowFilter live(4);
  live.allow(2);
  live.allow(3);
  EXPECT_EQ(table_.languages(live),
            (std::vector<std::pair<std::string, std::size_t>>{{"de", 1}, {"fr", 1}}));
}

/// What the filter means, row by row.
bool matches(const RowAttributes& attributes, const FilterSpec& spec) {
  const auto any = [](const std::vector<std::string>& list, const std::string& value) {
    return list.empty() || std::find(list.begin(), list.end(), value) != list.end();
  };
  bool visible = attributes.access.empty();
  for (const std::string& label : attributes.access) {
    visible = visible || (!spec.held_access.empty() && any(spec.held_access, label));
  }
  if (spec.published_from &&
      (!attributes.published || *attributes.published < *spec.published_from)) {
    return false;
  }
  if (spec.published_until &&
      (!attributes.published || *attributes.published >= *spec.published_until)) {
    return false;
  }
  const bool document =
      spec.documents.empty() || std::find(spec.documents.begin(), spec.documents.end(),
                                          attributes.document) != spec.documents.end();
  return visible && document && any(spec.languages, attributes.language) &&
         any(spec.sources, attributes.source) && any(spec.stories, attributes.story) &&
         any(spec.domains, attributes.domain);
}

TEST_F(RowTableTest, FiltersMeanWhatTheySay) {
  std::mt19937 random(1);
  std::vector<RowAttributes> rows;
  for (const testing_support::TestRow& made : testing_support::random_rows(random, 500, 8)) {
    rows.push_back(made.attributes);
  }
  write(rows);
  const auto maybe = [&](std::vector<std::string>& list, const std::string& value) {
    if (draw(random, 3) == 0) list.push_back(value);
  };
  for (int round = 0; round < 300; ++round) {
    FilterSpec spec;
    for (int n = 0; n < 2; ++n) {
      maybe(spec.languages, n == 0 ? "de" : "en");
      maybe(spec.sources, "source" + std::to_string(draw(random, 5)));
      maybe(spec.domains, draw(random, 2) == 0 ? "general" : "medical");
      maybe(spec.held_access, "label" + std::to_string(draw(random, 3)));
    }
    if (draw(random, 8) == 0) spec.stories.push_back("story" + std::to_string(draw(random, 30)));
    if (draw(random, 8) == 0) {
      for (int n = 0; n < 20; ++n) spec.documents.push_back(DocumentId{1000 - draw(random, 200)});
    }
    if (draw(random, 3) == 0) spec.published_from = static_cast<int>(draw(random, 1000)) - 500;
    if (draw(random, 3) == 0) spec.published_until = static_cast<int>(draw(random, 1000)) - 500;
    std::vector<Row> expected;
    for (Row i = 0; i < rows.size(); ++i) {
      if (matches(rows[i], spec)) expected.push_back(i);
    }
    ASSERT_EQ(allowed(spec), expected) << round;
  }
}

}  // namespace
}  // namespace beleg

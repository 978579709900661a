#include <gtest/gtest.h>

#include <random>

#include "index/index_test_support.h"
#include "index/length_class.h"
#include "index/lexical_builder.h"
#include "index/lexical_index.h"
#include "index/position_codec.h"
#include "index/posting_collector.h"

namespace beleg {
namespace {

using testing_support::draw;
using testing_support::TemporaryTestFolder;

/// A word of a vocabulary in which the n-th is about 1/n as frequent as the first.
std::string zipf_word(std::mt19937& random, std::size_t words) {
  const double u = static_cast<double>(random()) / 4294967296.0;
  const auto rank = static_cast<std::size_t>(std::pow(static_cast<double>(words), u));
  return "w" + std::to_string(rank * 7919 % 100'003) + "x";
}

class LexicalStrategiesTest : public ::testing::Test {
 protected:
  static constexpr Row kRows = 10'000;

  LexicalStrategiesTest() {
    CompoundLexiconBuilder compounds;
    const std::string german =
        "Hafenstadt Hafen Stadt Steuerzahler Steuer Zahler Verfassungsgericht Verfassung Gericht";
    compounds.add_text(german);
    LexicalSegmentBuilder builder({.compounds = compounds.build()});
    for (Row row = 0; row < kRows; ++row) {
      std::string body;
      for (std::uint32_t n = 5 + draw(random_, 60); n > 0; --n)
        body += zipf_word(random_, 5000) + " ";
      const bool is_german = row % 3 == 0;
      if (is_german && random_() % 4 == 0)
        body += random_() % 2 == 0 ? "Hafenstadt" : "Hafen Stadt";
      if (is_german && random_() % 9 == 0) body += " Steuerzahler Verfassungsgericht Gericht";
      builder.add(
          row, is_german ? "de" : "en",
          {.title = row % 5 == 0 ? zipf_word(random_, 50) : "", .headings = "", .body = body});
    }
    MUST(builder.write(folder_.path() / "x", {kRows, 1}));
    segment_ = MUST(LexicalSegment::open(folder_.path() / "x"));
    LexicalIndexSegment one;
    one.segment = &segment_;
    index_ = std::make_unique<LexicalIndex>(std::vector{one});
  }

  [[nodiscard]] std::string question() {
    std::string text;
    for (std::uint32_t n = 1 + draw(random_, 7); n > 0; --n) {
      text +=
          random_() % 5 == 0 ? "Hafenstadt " : zipf_word(random_, random_() % 2 ? 40 : 5000) + " ";
    }
    return text;
  }

  void expect_all_agree(const RowFilter* filter, const Bm25Settings& settings) {
    for (int round = 0; round < 15; ++round) {
      const std::string text = question();
      for (const std::size_t k : {std::size_t{1}, std::size_t{10}, std::size_t{300}}) {
        const auto hits = [&](LexicalStrategy strategy) {
          return index_->search_by(strategy, text, "de", k, filter, settings).hits;
        };
        const std::vector<RowHit> expected = hits(LexicalStrategy::kExhaustive);
        for (const LexicalStrategy strategy :
             {LexicalStrategy::kMaxScore, LexicalStrategy::kBlockMaxWand,
              LexicalStrategy::kFilterDriven}) {
          ASSERT_EQ(hits(strategy), expected)
              << lexical_strategy_name(strategy) << " k " << k << ": " << text;
        }
        ASSERT_EQ(index_->search(text, "de", k, filter, settings).hits, expected) << text;
      }
    }
  }

  std::mt19937 random_{5};
  TemporaryTestFolder folder_;
  LexicalSegment segment_;
  std::unique_ptr<LexicalIndex> index_;
};

TEST_F(LexicalStrategiesTest, AllGiveTheHitsAndScoresOfTheOracle) { expect_all_agree(nullptr, {}); }

TEST_F(LexicalStrategiesTest, AllAgreeUnderOtherSettings) {
  expect_all_agree(nullptr, {.k1 = 2.0F, .b = 0.1F});
  // Weights other than those of the index: its bounds do not hold.
  expect_all_agree(nullptr, {.title_weight = 3.0F});
  // Scores that need a coarser scale.
  expect_all_agree(nullptr, {.k1 = 1e7F});
}

TEST_F(LexicalStrategiesTest, AllFillTheListFromTheRowsThatAFilterAllows) {
  for (const double share : {0.0001, 0.001, 0.01, 0.1, 0.5}) {
    RowFilter filter(kRows);
    for (Row row = 0; row < kRows; ++row) {
      if (static_cast<double>(random_()) / 4294967296.0 < share) filter.allow(row);
    }
    expect_all_agree(&filter, {});
    // As many as there are, and no more.
    std::size_t matching = 0;
    for (const RowHit& hit : index_->search("Hafenstadt", "de", kRows, nullptr, {}).hits) {
      matching += filter.allows(hit.row) ? 1 : 0;
    }
    for (const std::size_t k : {std::size_t{1}, std::size_t{10}}) {
      EXPECT_EQ(index_->search("Hafenstadt", "de", k, &filter, {}).hits.size(),
                std::min(k, matching));
    }
  }
}

TEST_F(LexicalStrategiesTest, NoDocumentScoresAboveTheBoundOfItsBlock) {
  const LanguageStatistics sums{.documents = kRows, .body_words = 35 * kRows};
  const Bm25Saturation saturation({}, sums);
  const LexicalPart& part = segment_.parts()[1];
  PostingBlock block;
  std::array<FixedScore, kDocumentsPerBlock> scores{};
  std::size_t blocks = 0;
  for (std::uint32_t term = 0; term < part.dictionary().size(); ++term) {
    const PostingList list = part.postings(part.dictionary().entry(term));
    for (std::uint32_t b = 0; b < list.blocks(); ++b, ++blocks) {
      ASSERT_TRUE(list.decode(b, block));
      saturation.score(block, part.length_classes(), 70'000.0F, scores);
      const FixedScore bound = saturation.bound(list.impacts(b), 70'000.0F);
      for (std::uint32_t i = 0; i < block.count; ++i) ASSERT_LE(scores[i], bound);
    }
  }
  EXPECT_GT(blocks, 1000U);
}

TEST(LengthClass, IsExactForShortTextsAndNearForLongOnes) {
  for (int words = 0; words < 64; ++words) {
    EXPECT_EQ(length_class::words_of(length_class::of(static_cast<float>(words))),
              static_cast<float>(words));
  }
  for (float words = 64.0F; words < 2800.0F; words *= 1.07F) {
    EXPECT_NEAR(length_class::words_of(length_class::of(words)) / words, 1.0F, 0.0101F);
  }
  EXPECT_EQ(length_class::of(1e9F), 255);
  EXPECT_EQ(length_class::of(-1.0F), 0);
  EXPECT_EQ(length_class::of(std::nanf("")), 0);
  EXPECT_EQ(length_class::of(64.6F), 64);  // 64 and 65.28: the lower is nearer.
}

TEST(PostingCollector, TermsThatWereOnlyNumberedAreNotStored) {
  PostingCollector collector(true);
  collector.begin_document();
  const std::uint32_t asked = collector.number_of("asked");
  const std::uint32_t there = collector.number_of("there");
  EXPECT_EQ(collector.number_of("asked"), asked);
  collector.add(there, TextField::kBody, 0, kFrequencyUnit);
  LexicalPartWriter writer({.language = "en"}, {0}, {{.body = 1}});
  MUST(collector.write(writer));
  const TemporaryTestFolder folder;
  SectionFileWriter file(kLexicalFile, {.rows = 1, .build = 0});
  MUST(writer.add_sections(file, 0));
  MUST(file.write(folder.path() / "x"));
  const SectionFile opened = MUST(SectionFile::open(folder.path() / "x", kLexicalFile));
  const LexicalPart part = MUST(LexicalPart::open(opened, 0));
  EXPECT_EQ(part.dictionary().size(), 1U);
  EXPECT_FALSE(part.dictionary().find("asked"));
  EXPECT_EQ(part.check(), "");
}

TEST(PositionCodec, RunsComeBack) {
  std::string bytes;
  const std::vector<std::uint32_t> first{0, 0, 5, 700'000};
  const std::vector<std::uint32_t> second{3};
  position_codec::append_run(first, bytes);
  EXPECT_EQ(bytes.size(), 1U + 1U + 1U + 3U);
  position_codec::append_run(second, bytes);
  const auto view = std::as_bytes(std::span(bytes.data(), bytes.size()));
  std::size_t offset = 0;
  std::vector<std::uint32_t> read;
  ASSERT_TRUE(position_codec::read_run(view, offset, read));
  EXPECT_EQ(read, first);
  ASSERT_TRUE(position_codec::read_run(view, offset, read));
  EXPECT_EQ(read, second);
  EXPECT_FALSE(position_codec::read_run(view, offset, read));
  offset = 0;
  EXPECT_TRUE(position_codec::skip_run(view, offset));
  EXPECT_EQ(offset, 6U);
  offset = 0;
  EXPECT_FALSE(position_codec::read_run(view.first(5), offset, read));
}

}  // namespace
}  // namespace beleg

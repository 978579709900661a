#include "index/token_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <random>
#include <set>

#include "index/index_test_support.h"
#include "index/top_k.h"

namespace beleg {
namespace {

using testing_support::bytes_of;
using testing_support::draw;
using testing_support::normalise;
using testing_support::random_vectors;
using testing_support::TemporaryTestFolder;
using testing_support::write_bytes;

constexpr std::uint32_t kDims = 32;
constexpr std::size_t kRows = 1500;
constexpr std::uint32_t kRowTokens = 80;
constexpr std::size_t kWords = 600;

/// Tokens as an encoder makes them: each word has a direction of its own, which the text around it
/// moves a little. Rows are about topics, which prefer some words.
class ClusteredCorpus {
 public:
  explicit ClusteredCorpus(const std::filesystem::path& home)
      : words_(random_vectors(random_, kWords, kDims)),
        pack_(home / "tokens.pack"),
        path_(home / "tokens.idx") {
    std::string pack(64, 'h');
    TokenIndexBuilder builder(kDims);
    for (std::size_t row = 0; row < kRows; ++row) {
      EncodedText encoded;
      encoded.dense = random_vectors(random_, 1, kDims);
      // A few rows say nothing.
      const std::uint32_t tokens = row % 100 == 99 ? 0 : kRowTokens;
      for (std::uint32_t t = 0; t < tokens; ++t) add_token(encoded, row % 50);
      const std::vector<std::byte> payload = pack_embedding(encoded);
      builder.add(MUST(view_embedding(payload)), pack.size());
      pack.append(reinterpret_cast<const char*>(payload.data()), payload.size());
    }
    write_bytes(pack_, pack);
    MUST(builder.write(path_, pack_, {.rows = kRows, .build = 7}));
    again_ = builder;
  }

  /// Words of one topic, moved by another text.
  QueryVectors question(std::size_t topic, std::uint32_t tokens) {
    EncodedText encoded;
    for (std::uint32_t t = 0; t < tokens; ++t) add_token(encoded, topic);
    QueryVectors query;
    query.token_vectors = encoded.token_vectors;
    for (const Token& token : encoded.tokens) query.tokens.push_back(token.id);
    return query;
  }
  [[nodiscard]] TokenIndex open() const { return MUST(TokenIndex::open(path_, pack_)); }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] const std::filesystem::path& pack() const { return pack_; }
  [[nodiscard]] const TokenIndexBuilder& builder() const { return again_; }
  std::mt19937& random() { return random_; }

 private:
  void add_token(EncodedText& encoded, std::size_t topic) {
    const std::size_t word =
        draw(random_, 3) == 0 ? draw(random_, kWords) : (topic * 12 + draw(random_, 24)) % kWords;
    std::normal_distribution<float> noise(0.0F, 0.07F);
    std::vector<float> vector(words_.begin() + static_cast<std::ptrdiff_t>(word * kDims),
                              words_.begin() + static_cast<std::ptrdiff_t>((word + 1) * kDims));
    for (float& value : vector) value += noise(random_);
    normalise(vector.data(), kDims);
    encoded.token_vectors.insert(encoded.token_vectors.end(), vector.begin(), vector.end());
    encoded.tokens.push_back({static_cast<TokenId>(word), {}});
  }

  std::mt19937 random_{31};
  std::vector<float> words_;
  std::filesystem::path pack_;
  std::filesystem::path path_;
  TokenIndexBuilder again_{kDims};
};

class PrunedSearch : public ::testing::Test {
 protected:
  TemporaryTestFolder folder_;
  ClusteredCorpus corpus_{folder_.path()};
};

RowFilter random_filter(std::mt19937& random, double share) {
  RowFilter filter(kRows);
  for (Row row = 0; row < kRows; ++row) {
    if (draw(random, 1'000'000) < share * 1e6) filter.allow(row);
  }
  return filter;
}

TEST_F(PrunedSearch, FindsNearlyWhatTheExhaustiveOneFindsWithTheSameScores) {
  const TokenIndex index = corpus_.open();
  ASSERT_EQ(index.strategy(10, nullptr), TokenIndex::Strategy::kPruned);
  EXPECT_EQ(TokenIndex::name(index.strategy(10, nullptr)), "pruned");
  std::size_t shared = 0;
  std::size_t wanted = 0;
  for (std::size_t topic = 0; topic < 40; ++topic) {
    const QueryVectors query = corpus_.question(topic, 1 + draw(corpus_.random(), 20));
    const std::vector<RowHit> hits = index.search(query, 10, nullptr);
    const std::vector<RowHit> all = index.search_exhaustive(query, 10, nullptr);
    ASSERT_EQ(hits.size(), 10U);
    EXPECT_TRUE(std::is_sorted(hits.begin(), hits.end(), ranks_before));
    std::set<Row> best;
    for (const RowHit& hit : all) best.insert(hit.row);
    for (const RowHit& hit : hits) {
      const std::vector<Row> row{hit.row};
      EXPECT_EQ(hit.score, index.score(query, row)[0]);
      shared += best.count(hit.row);
    }
    wanted += all.size();
  }
  EXPECT_GE(static_cast<double>(shared), 0.95 * static_cast<double>(wanted));
}

TEST_F(PrunedSearch, FillsKWithAllowedRowsAtEverySelectivity) {
  const TokenIndex index = corpus_.open();
  for (const double share : {0.0001, 0.001, 0.01, 0.1, 0.5, 0.9, 1.0}) {
    for (int round = 0; round < 6; ++round) {
      const RowFilter filter = random_filter(corpus_.random(), share);
      std::size_t possible = 0;
      for (Row row = 0; row < kRows; ++row) {
        possible += filter.allows(row) && index.tokens_of(row) > 0 ? 1U : 0U;
      }
      const QueryVectors query = corpus_.question(draw(corpus_.random(), 50), 8);
      for (const std::size_t k : {1U, 10U, 100U, 700U, 1500U}) {
        const std::vector<RowHit> hits = index.search(query, k, &filter);
        ASSERT_EQ(hits.size(), std::min(k, possible)) << share << " " << k;
        for (const RowHit& hit : hits) ASSERT_TRUE(filter.allows(hit.row));
        if (index.strategy(k, &filter) == TokenIndex::Strategy::kExhaustive) {
          ASSERT_EQ(hits, index.search_exhaustive(query, k, &filter));
        }
      }
    }
  }
}

TEST_F(PrunedSearch, AFilterThatLeavesOnlyWhatTheQuestionDoesNotMeanIsStillFilled) {
  const TokenIndex index = corpus_.open();
  RowFilter filter(kRows);
  for (Row row = 0; row < kRows; ++row) {
    if (row % 50 >= 3) filter.allow(row);
  }
  const QueryVectors query = corpus_.question(1, 6);
  ASSERT_EQ(index.strategy(100, &filter), TokenIndex::Strategy::kPruned);
  const std::vector<RowHit> hits = index.search(query, 100, &filter);
  EXPECT_EQ(hits.size(), 100U);
  for (const RowHit& hit : hits) EXPECT_TRUE(filter.allows(hit.row));
}

TEST_F(PrunedSearch, FewAllowedRowsOrManyHitsAreSearchedExhaustively) {
  const TokenIndex index = corpus_.open();
  RowFilter few(kRows);
  for (Row row = 0; row < 1200; ++row) few.allow(row);  // 1,188 × 80 tokens: below 100,000.
  EXPECT_EQ(index.strategy(10, &few), TokenIndex::Strategy::kExhaustive);
  EXPECT_EQ(index.strategy(kRows, nullptr), TokenIndex::Strategy::kExhaustive);
  EXPECT_EQ(TokenIndex::name(TokenIndex::Strategy::kExhaustive), "exhaustive");
}

TEST_F(PrunedSearch, ABatchGivesWhatEachQuestionGives) {
  const TokenIndex index = corpus_.open();
  std::vector<QueryVectors> queries;
  for (std::uint32_t tokens = 0; tokens < 30; tokens += 7) {
    queries.push_back(corpus_.question(tokens, tokens));
  }
  std::vector<const QueryVectors*> asked;
  asked.reserve(queries.size());
  for (const QueryVectors& query : queries) asked.push_back(&query);
  const std::vector<std::vector<RowHit>> lists = index.search_batch(asked, 10, nullptr);
  ASSERT_EQ(lists.size(), queries.size());
  for (std::size_t q = 0; q < queries.size(); ++q) {
    EXPECT_EQ(lists[q], index.search(queries[q], 10, nullptr));
  }
  EXPECT_TRUE(lists[0].empty());  // No tokens.
}

TEST_F(PrunedSearch, TheSameRowsGiveTheSameFile) {
  const std::filesystem::path again = folder_.path() / "again.idx";
  MUST(corpus_.builder().write(again, corpus_.pack(), {.rows = kRows, .build = 7}));
  EXPECT_EQ(bytes_of(again), bytes_of(corpus_.path()));
}

TEST_F(PrunedSearch, DamagedSectionsAreHarmlessAndNoticed) {
  const std::string intact = bytes_of(corpus_.path());
  SectionFileHeader header;
  std::memcpy(&header, intact.data(), sizeof header);
  std::vector<SectionEntry> table(header.sections);
  std::memcpy(table.data(), intact.data() + sizeof header, table.size() * sizeof(SectionEntry));
  std::size_t damaged_sections = 0;
  for (const SectionEntry& section : table) {
    if (section.kind < 5) continue;  // The others have tests of their own.
    ++damaged_sections;
    for (int round = 0; round < 8; ++round) {
      std::string damaged = intact;
      // Some rounds hit a few places, some nearly all.
      for (std::uint32_t n = round % 2 == 0 ? 30 : 30000; n > 0; --n) {
        damaged[section.offset + draw(corpus_.random(), section.size)] =
            static_cast<char>(corpus_.random()());
      }
      write_bytes(corpus_.path(), damaged);
      const auto index = TokenIndex::open(corpus_.path(), corpus_.pack());
      if (!index) continue;
      EXPECT_FALSE(index->file().verify().empty());
      const RowFilter half = random_filter(corpus_.random(), 0.9);
      for (const RowFilter* filter : {static_cast<const RowFilter*>(nullptr), &half}) {
        const std::vector<RowHit> hits = index->search(corpus_.question(3, 9), 50, filter);
        ASSERT_EQ(hits.size(), 50U);
        std::set<Row> distinct;
        for (const RowHit& hit : hits) {
          ASSERT_LT(hit.row, kRows);
          distinct.insert(hit.row);
        }
        ASSERT_EQ(distinct.size(), hits.size());
      }
    }
  }
  EXPECT_GE(damaged_sections, 3U);
}

TEST_F(PrunedSearch, AFileOfTheFirstVersionIsRefused) {
  // Version and checksum as a writer of version 1 would have them.
  SectionFileWriter writer({"BELEGTOK", 1}, {.rows = 0, .build = 0});
  MUST(writer.write(corpus_.path()));
  const auto index = TokenIndex::open(corpus_.path(), corpus_.pack());
  ASSERT_FALSE(index.has_value());
  EXPECT_EQ(index.error().code, ErrorCode::kCorrupt);
  EXPECT_NE(index.error().message.find("version"), std::string::npos);
}

TEST_F(PrunedSearch, APackThatEndsEarlyIsRefusedByTheBuilder) {
  const std::string pack = bytes_of(corpus_.pack());
  write_bytes(corpus_.pack(), std::string_view(pack).substr(0, pack.size() / 2));
  const auto written =
      corpus_.builder().write(corpus_.path(), corpus_.pack(), {.rows = kRows, .build = 7});
  ASSERT_FALSE(written.has_value());
  EXPECT_EQ(written.error().code, ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace beleg

#include "index/index_snapshot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <thread>

#include "base/hash.h"
#include "index/index_test_support.h"

namespace beleg {
namespace {

using testing_support::build_index;
using testing_support::bytes_of;
using testing_support::draw;
using testing_support::random_query;
using testing_support::random_rows;
using testing_support::TemporaryTestFolder;
using testing_support::TestIndex;
using testing_support::TestRow;

constexpr std::uint32_t kDims = 48;
const std::vector<std::string> kFiles{"manifest.idx", "segment.0/rows.idx", "segment.0/lexical.idx",
                                      "segment.0/dense.idx", "segment.0/tokens.idx"};

bool ranks_before(const RowHit& a, const RowHit& b) {
  return a.score != b.score ? a.score > b.score : a.row < b.row;
}

TEST(IndexSnapshot, AnEmptyIndexAnswersWithNothing) {
  const TemporaryTestFolder folder;
  std::unique_ptr<IndexBuilder> builder =
      IndexBuilder::create({.dims = 384, .pack = folder.path() / "none"}, folder.path() / "index");
  MUST(builder->write());
  // No row needs the pack, so it may be absent.
  const auto index = MUST(IndexSnapshot::open(folder.path() / "index", folder.path() / "none"));
  std::mt19937 random(1);
  const QueryVectors query = random_query(random, 3, 384);
  EXPECT_EQ(index->rows(), 0U);
  EXPECT_TRUE(index->search_lexical("Haus", "de", 10, nullptr, {}).hits.empty());
  EXPECT_TRUE(index->search_dense(query.dense, 10, nullptr).empty());
  EXPECT_TRUE(index->search_late(query, 10, nullptr).empty());
  EXPECT_EQ(index->make_filter({}).count(), 0U);
  EXPECT_TRUE(index->languages().empty());
  EXPECT_TRUE(index->verify().empty());
  EXPECT_EQ(index->counts().lexical, 0U);
}

TEST(IndexSnapshot, TheFingerprintIsThatOfThePassageIds) {
  const TemporaryTestFolder folder;
  std::mt19937 random(12);
  std::vector<TestRow> rows = random_rows(random, 40, kDims);
  std::vector<std::int64_t> ids;
  for (const TestRow& row : rows) {
    ids.push_back(static_cast<std::int64_t>(row.attributes.passage));
  }
  const auto fingerprint = [&](const std::string& name) {
    return build_index(folder.path(), rows, kDims, name).open()->passage_fingerprint();
  };
  const std::uint64_t first = fingerprint("first");
  EXPECT_EQ(first, checksum64(std::as_bytes(std::span(ids))));
  rows.front().body += " more";  // Not the content of the rows, but which rows there are.
  EXPECT_EQ(fingerprint("other text"), first);
  rows.back().attributes.passage = PassageId{ids.back() + 1};
  EXPECT_NE(fingerprint("other id"), first);
  rows.pop_back();
  EXPECT_NE(fingerprint("one less"), first);
  rows.clear();
  // XXH3-64 of nothing with seed 0, from the reference implementation's own test vectors.
  EXPECT_EQ(fingerprint("empty"), 0x2D06800538D394C2U);
}

TEST(IndexSnapshot, CountsAgreeAndReopeningGivesTheSame) {
  const TemporaryTestFolder folder;
  std::mt19937 random(2);
  const TestIndex built = build_index(folder.path(), random_rows(random, 300, kDims), kDims);
  const auto first = built.open();
  const auto second = built.open();
  EXPECT_EQ(first->counts().rows, 300U);
  EXPECT_EQ(first->counts().lexical, 300U);
  EXPECT_EQ(first->counts().dense, 300U);
  EXPECT_EQ(first->counts().tokens, 300U);
  EXPECT_TRUE(first->verify().empty());
  const QueryVectors query = random_query(random, 5, kDims);
  EXPECT_EQ(first->search_late(query, 20, nullptr), second->search_late(query, 20, nullptr));
  EXPECT_EQ(first->search_dense(query.dense, 20, nullptr),
            second->search_dense(query.dense, 20, nullptr));
  EXPECT_EQ(first->search_lexical("copper Kupfer", "en", 20, nullptr, {}).hits,
            second->search_lexical("copper Kupfer", "en", 20, nullptr, {}).hits);
}

TEST(IndexSnapshot, TheSameInputGivesTheSameBytes) {
  const TemporaryTestFolder folder;
  std::mt19937 random(3);
  const std::vector<TestRow> rows = random_rows(random, 200, kDims);
  const TestIndex a = build_index(folder.path(), rows, kDims, "a");
  const TestIndex b = build_index(folder.path(), rows, kDims, "b");
  for (const std::string& file : kFiles) {
    EXPECT_EQ(bytes_of(a.folder / file), bytes_of(b.folder / file)) << file;
  }
}

TEST(IndexSnapshot, WritingReplacesAnOldIndexAndLeavesNothingBeside) {
  const TemporaryTestFolder folder;
  std::mt19937 random(4);
  const TestIndex old = build_index(folder.path(), random_rows(random, 20, kDims), kDims);
  const auto reader = old.open();
  const TestIndex fresh = build_index(folder.path(), random_rows(random, 30, kDims), kDims);
  EXPECT_EQ(fresh.open()->rows(), 30U);
  EXPECT_EQ(reader->rows(), 20U);  // Who has it open keeps it.
  std::size_t entries = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    entries += entry.exists() ? 1 : 0;
  }
  EXPECT_EQ(entries, 2U);  // The index and its pack.
}

TEST(IndexSnapshot, FilesOfTwoIndexesDoNotMix) {
  const TemporaryTestFolder folder;
  std::mt19937 random(5);
  const TestIndex a = build_index(folder.path(), random_rows(random, 20, kDims), kDims, "a");
  std::vector<TestRow> rows = random_rows(random, 20, kDims);
  rows.back().attributes.passage = PassageId{100'000};
  const TestIndex b = build_index(folder.path(), rows, kDims, "b");
  for (const std::string& file : kFiles) {
    const std::string kept = bytes_of(a.folder / file);
    testing_support::write_bytes(a.folder / file, bytes_of(b.folder / file));
    const auto opened = IndexSnapshot::open(a.folder, a.pack);
    ASSERT_FALSE(opened.has_value()) << file;
    EXPECT_EQ(opened.error().code, ErrorCode::kCorrupt);
    testing_support::write_bytes(a.folder / file, kept);
  }
  EXPECT_TRUE(IndexSnapshot::open(a.folder, a.pack).has_value());
}

TEST(IndexSnapshot, DenseSearchIsExact) {
  const TemporaryTestFolder folder;
  std::mt19937 random(6);
  const std::vector<TestRow> rows = random_rows(random, 333, kDims);
  const auto index = build_index(folder.path(), rows, kDims).open();
  for (int round = 0; round < 20; ++round) {
    const QueryVectors query = random_query(random, 1, kDims);
    std::vector<RowHit> expected;
    for (Row row = 0; row < rows.size(); ++row) {
      double cosine = 0.0;
      for (std::uint32_t d = 0; d < kDims; ++d) {
        cosine += double{query.dense[d]} * double{rows[row].encoded.dense[d]};
      }
      expected.push_back({row, static_cast<float>(cosine)});
    }
    std::sort(expected.begin(), expected.end(), ranks_before);
    const std::vector<RowHit> hits = index->search_dense(query.dense, 17, nullptr);
    ASSERT_EQ(hits.size(), 17U);
    std::vector<Row> asked;
    for (std::size_t i = 0; i < hits.size(); ++i) {
      EXPECT_EQ(hits[i].row, expected[i].row);
      EXPECT_NEAR(hits[i].score, expected[i].score, 1e-6);
      asked.push_back(hits[i].row);
    }
    const std::vector<float> again = index->score_dense(query.dense, asked);
    for (std::size_t i = 0; i < hits.size(); ++i) EXPECT_EQ(again[i], hits[i].score);
  }
}

double naive_late(const QueryVectors& query, const EncodedText& encoded,
                  const std::vector<float>& weights) {
  double score = 0.0;
  for (std::size_t q = 0; q < query.tokens.size(); ++q) {
    double best = -1.0;
    for (std::size_t t = 0; t < encoded.tokens.size(); ++t) {
      double cosine = 0.0;
      for (std::size_t d = 0; d < kDims; ++d) {
        cosine += double{query.token_vectors[q * kDims + d]} *
                  double{encoded.token_vectors[t * kDims + d]};
      }
      best = std::max(best, cosine);
    }
    score += weights[q] * best;
  }
  return score;
}

TEST(IndexSnapshot, LateInteractionIsNearTheUncompressedOne) {
  const TemporaryTestFolder folder;
  std::mt19937 random(7);
  const std::vector<TestRow> rows = random_rows(random, 100, kDims);
  const auto index = build_index(folder.path(), rows, kDims).open();
  for (int round = 0; round < 10; ++round) {
    const QueryVectors query = random_query(random, 1 + draw(random, 20), kDims);
    const std::vector<float> weights = index->token_weights(query.tokens);
    std::vector<Row> all;
    for (Row row = 0; row < rows.size(); ++row) all.push_back(row);
    const std::vector<float> scores = index->score_late(query, all);
    std::size_t with_tokens = 0;
    for (const Row row : all) {
      const EncodedText& encoded = rows[row].encoded;
      if (encoded.tokens.empty()) {
        EXPECT_EQ(scores[row], -1.0F);
        continue;
      }
      ++with_tokens;
      // Few dimensions make the codes coarser: √(0.0115 / 48) ≈ 0.0155 for one product.
      EXPECT_NEAR(scores[row], naive_late(query, encoded, weights), 0.06);
    }
    const std::vector<RowHit> hits = index->search_late(query, rows.size(), nullptr);
    EXPECT_EQ(hits.size(), with_tokens);
    for (const RowHit& hit : hits) EXPECT_EQ(hit.score, scores[hit.row]);
    EXPECT_TRUE(std::is_sorted(hits.begin(), hits.end(), ranks_before));
  }
}

TEST(IndexSnapshot, TokenSimilaritiesExplainTheScore) {
  const TemporaryTestFolder folder;
  std::mt19937 random(8);
  const std::vector<TestRow> rows = random_rows(random, 30, kDims);
  const auto index = build_index(folder.path(), rows, kDims).open();
  const QueryVectors query = random_query(random, 14, kDims);
  const std::vector<float> weights = index->token_weights(query.tokens);
  for (Row row = 0; row < rows.size(); ++row) {
    const IndexSnapshot::TokenSimilarities similarities = index->token_similarities(query, row);
    ASSERT_EQ(similarities.row_tokens, rows[row].encoded.tokens.size());
    ASSERT_EQ(similarities.context_tokens, rows[row].encoded.context_tokens);
    ASSERT_EQ(similarities.cosine.size(), 14U * similarities.row_tokens);
    if (similarities.row_tokens == 0) continue;
    float score = 0.0F;
    for (std::size_t q = 0; q < 14; ++q) {
      const auto begin =
          similarities.cosine.begin() + static_cast<std::ptrdiff_t>(q * similarities.row_tokens);
      score += weights[q] * *std::max_element(begin, begin + similarities.row_tokens);
    }
    const std::vector<Row> asked{row};
    EXPECT_NEAR(index->score_late(query, asked)[0], score, 1e-5);
  }
}

// Two tokens: id 1 in both rows, id 2 in one; N = 2. By hand:
//   ln(1 + 0.5/2.5) = 0.182322, ln(1 + 1.5/1.5) = 0.693147, absent counts as seen once: 0.693147.
TEST(IndexSnapshot, TokenWeightsAreInverseFrequenciesThatSumToOne) {
  const TemporaryTestFolder folder;
  std::mt19937 random(9);
  std::vector<TestRow> rows = random_rows(random, 3, kDims);
  rows[0].encoded = testing_support::random_encoded(random, 3, kDims);
  rows[0].encoded.tokens = {{1, {}}, {1, {}}, {2, {}}};
  rows[1].encoded = testing_support::random_encoded(random, 1, kDims);
  rows[1].encoded.tokens = {{1, {}}};
  rows[2].encoded = testing_support::random_encoded(random, 0, kDims);
  const auto index = build_index(folder.path(), rows, kDims).open();
  const std::vector<TokenId> tokens{1, 2, 77};
  const std::vector<float> weights = index->token_weights(tokens);
  ASSERT_EQ(weights.size(), 3U);
  const double total = 0.182322 + 2 * 0.693147;
  EXPECT_NEAR(weights[0], 0.182322 / total, 1e-5);
  EXPECT_NEAR(weights[1], 0.693147 / total, 1e-5);
  EXPECT_NEAR(weights[2], 0.693147 / total, 1e-5);
  EXPECT_TRUE(index->token_weights({}).empty());
}

// For every list: what a filtered search gives is the head of the unfiltered list without the rows
// that are not allowed. So k rows come back whenever k allowed rows match.
TEST(IndexSnapshot, FiltersAreAppliedInsideTheSearch) {
  const TemporaryTestFolder folder;
  std::mt19937 random(10);
  const std::size_t count = 3000;  // Enough for the second thread.
  const auto index = build_index(folder.path(), random_rows(random, count, 8), 8).open();
  for (int round = 0; round < 40; ++round) {
    const QueryVectors query = random_query(random, 1 + draw(random, 6), 8);
    const std::string question = "harbour copper Hafen Winter DEC-54";
    const std::vector<RowHit> lexical =
        index->search_lexical(question, "de", count, nullptr, {}).hits;
    const std::vector<RowHit> dense = index->search_dense(query.dense, count, nullptr);
    const std::vector<RowHit> late = index->search_late(query, count, nullptr);
    ASSERT_EQ(dense.size(), count);
    for (const double share : {0.0, 0.0001, 0.001, 0.02, 0.2, 0.5, 1.0}) {
      RowFilter filter(count);
      for (Row row = 0; row < count; ++row) {
        if (draw(random, 1'000'000) < share * 1e6) filter.allow(row);
      }
      const std::size_t k = 1 + draw(random, 50);
      const auto expected = [&](const std::vector<RowHit>& all) {
        std::vector<RowHit> kept;
        for (const RowHit& hit : all) {
          if (kept.size() < k && filter.allows(hit.row)) kept.push_back(hit);
        }
        return kept;
      };
      ASSERT_EQ(index->search_lexical(question, "de", k, &filter, {}).hits, expected(lexical));
      ASSERT_EQ(index->search_dense(query.dense, k, &filter), expected(dense));
      ASSERT_EQ(index->search_late(query, k, &filter), expected(late));
    }
  }
}

TEST(IndexSnapshot, OddRequestsGiveEmptyLists) {
  const TemporaryTestFolder folder;
  std::mt19937 random(11);
  const auto index = build_index(folder.path(), random_rows(random, 50, kDims), kDims).open();
  const QueryVectors query = random_query(random, 4, kDims);
  EXPECT_TRUE(index->search_dense(query.dense, 0, nullptr).empty());
  EXPECT_TRUE(index->search_late(query, 0, nullptr).empty());
  EXPECT_TRUE(index->search_lexical("copper", "en", 0, nullptr, {}).hits.empty());
  EXPECT_TRUE(index->search_dense(std::vector<float>(7, 1.0F), 5, nullptr).empty());
  QueryVectors wrong = query;
  wrong.token_vectors.pop_back();
  EXPECT_TRUE(index->search_late(wrong, 5, nullptr).empty());
  EXPECT_TRUE(index->search_late({}, 5, nullptr).empty());
  const RowFilter foreign(49);  // Made for another index.
  EXPECT_TRUE(index->search_dense(query.dense, 5, &foreign).empty());
  EXPECT_TRUE(index->search_late(query, 5, &foreign).empty());
  EXPECT_TRUE(index->search_lexical("copper", "en", 5, &foreign, {}).hits.empty());
  const std::vector<Row> beyond{50, 4'000'000'000U};
  EXPECT_EQ(index->score_late(query, beyond), (std::vector<float>{-1.0F, -1.0F}));
  EXPECT_EQ(index->score_dense(query.dense, beyond), (std::vector<float>{-1.0F, -1.0F}));
  EXPECT_EQ(index->token_similarities(query, 50).row_tokens, 0U);
}

TEST(IndexSnapshot, MoreRowsThanSixteenBitsCount) {
  const TemporaryTestFolder folder;
  std::mt19937 random(12);
  constexpr std::size_t kRows = 70'000;
  const EncodedText shared = testing_support::random_encoded(random, 1, 8);
  std::vector<TestRow> rows(kRows);
  for (std::size_t i = 0; i < kRows; ++i) {
    rows[i].attributes.passage = PassageId{static_cast<std::int64_t>(i)};
    rows[i].attributes.language = "en";
    rows[i].body = "copper lantern";
    rows[i].encoded = shared;
  }
  rows[69'000].body = "copper lantern meadow";
  rows[69'000].encoded = testing_support::random_encoded(random, 1, 8);
  const auto index = build_index(folder.path(), rows, 8).open();
  EXPECT_EQ(index->search_lexical("meadow", "en", 5, nullptr, {}).hits.at(0).row, 69'000U);
  QueryVectors query;
  query.dense = rows[69'000].encoded.dense;
  query.tokens = {rows[69'000].encoded.tokens[0].id};
  query.token_vectors = rows[69'000].encoded.token_vectors;
  EXPECT_EQ(index->search_dense(query.dense, 1, nullptr).at(0).row, 69'000U);
  EXPECT_EQ(index->search_late(query, 1, nullptr).at(0).row, 69'000U);
  EXPECT_EQ(MUST(index->row_of(PassageId{69'999})), 69'999U);
}

TEST(IndexSnapshot, ManyThreadsGetTheSameAnswers) {
  const TemporaryTestFolder folder;
  std::mt19937 random(13);
  const auto index = build_index(folder.path(), random_rows(random, 2500, 8), 8).open();
  const QueryVectors query = random_query(random, 3, 8);
  const std::vector<RowHit> late = index->search_late(query, 10, nullptr);
  const std::vector<RowHit> lexical =
      index->search_lexical("copper Hafen", "de", 10, nullptr, {}).hits;
  std::vector<std::thread> threads;
  std::vector<int> agreed(4, 0);
  for (std::size_t t = 0; t < agreed.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) {
        const bool same =
            index->search_late(query, 10, nullptr) == late &&
            index->search_lexical("copper Hafen", "de", 10, nullptr, {}).hits == lexical;
        agreed[t] += same ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(agreed, std::vector<int>(4, 20));
}

TEST(IndexBuilder, RefusesPayloadsThatDoNotFit) {
  std::mt19937 random(14);
  const TemporaryTestFolder folder;
  std::unique_ptr<IndexBuilder> builder =
      IndexBuilder::create({.dims = 16, .pack = folder.path() / "none"}, folder.path() / "index");
  RowAttributes attributes;
  attributes.passage = PassageId{1};
  const std::vector<std::byte> wrong =
      pack_embedding(testing_support::random_encoded(random, 2, 8));
  EXPECT_FALSE(builder->add(attributes, {}, wrong, 0).has_value());
  EXPECT_FALSE(builder->add(attributes, {}, std::vector<std::byte>(10), 0).has_value());
  const std::vector<std::byte> right =
      pack_embedding(testing_support::random_encoded(random, 2, 16));
  EXPECT_FALSE(builder->add(attributes, {}, right, 3).has_value());
  EXPECT_TRUE(builder->add(attributes, {}, right, 64).has_value());
  EXPECT_FALSE(builder->add(attributes, {}, right, 64).has_value());  // The same passage again.
}

}  // namespace
}  // namespace beleg

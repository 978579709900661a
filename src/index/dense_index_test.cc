#include "index/dense_index.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <set>

#include "index/index_test_support.h"

namespace beleg {
namespace {

using testing_support::bytes_of;
using testing_support::draw;
using testing_support::random_vectors;
using testing_support::TemporaryTestFolder;
using testing_support::write_bytes;

constexpr std::size_t kDims = 72;  // No multiple of 16.

/// Vectors of length 1 in clusters around a common direction, as an encoder gives them.
std::vector<float> clustered(std::mt19937& random, std::size_t rows, std::size_t clusters) {
  const std::vector<float> common = random_vectors(random, 1, kDims);
  const std::vector<float> centres = random_vectors(random, clusters, kDims);
  std::vector<float> vectors = random_vectors(random, rows, kDims);
  for (std::size_t r = 0; r < rows; ++r) {
    const std::size_t cluster = draw(random, clusters);
    double squares = 0.0;
    for (std::size_t d = 0; d < kDims; ++d) {
      float& value = vectors[r * kDims + d];
      value = common[d] + 0.5F * centres[cluster * kDims + d] + 0.4F * value;
      squares += double{value} * double{value};
    }
    for (std::size_t d = 0; d < kDims; ++d) {
      vectors[r * kDims + d] /= static_cast<float>(std::sqrt(squares));
    }
  }
  return vectors;
}

class DenseIndexTest : public ::testing::Test {
 protected:
  DenseIndex build(const std::vector<float>& vectors) {
    DenseIndexBuilder builder(kDims);
    const std::size_t rows = vectors.size() / kDims;
    for (std::size_t r = 0; r < rows; ++r) {
      builder.add(std::span(vectors).subspan(r * kDims, kDims));
    }
    MUST(builder.write(file_, {rows, 0}));
    return MUST(DenseIndex::open(file_));
  }

  /// By the scores of all rows, sorted: what every strategy must agree with.
  static std::vector<RowHit> expected(const DenseIndex& index, std::span<const float> query,
                                      std::size_t k, const RowFilter* filter) {
    std::vector<Row> rows;
    for (Row row = 0; row < index.rows(); ++row) {
      if (filter == nullptr || filter->allows(row)) rows.push_back(row);
    }
    const std::vector<float> scores = index.score(query, rows);
    std::vector<RowHit> hits;
    hits.reserve(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) hits.push_back({rows[i], scores[i]});
    std::sort(hits.begin(), hits.end(), [](const RowHit& a, const RowHit& b) {
      return a.score != b.score ? a.score > b.score : a.row < b.row;
    });
    hits.resize(std::min(k, hits.size()));
    return hits;
  }

  /// Rows of `right` that `found` has; checks that what was found is exact and in order.
  static std::size_t common(const DenseIndex& index, std::span<const float> query,
                            const std::vector<RowHit>& found, const std::vector<RowHit>& right,
                            const RowFilter* filter) {
    EXPECT_EQ(found.size(), right.size());
    std::set<Row> rows;
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_TRUE(filter == nullptr || filter->allows(found[i].row));
      EXPECT_EQ(found[i].score, index.score(query, std::vector<Row>{found[i].row})[0]);
      if (i > 0) {
        EXPECT_TRUE(found[i - 1].score > found[i].score ||
                    (found[i - 1].score == found[i].score && found[i - 1].row < found[i].row));
      }
      rows.insert(found[i].row);
    }
    EXPECT_EQ(rows.size(), found.size());
    std::size_t count = 0;
    for (const RowHit& hit : right) count += rows.count(hit.row);
    return count;
  }

  std::mt19937 random_{5};
  TemporaryTestFolder folder_;
  std::filesystem::path file_ = folder_.path() / "dense.idx";
};

TEST_F(DenseIndexTest, SmallFilesAreSearchedExactly) {
  const std::vector<float> vectors = clustered(random_, DenseIndex::kQuantisedFrom - 1, 20);
  const DenseIndex index = build(vectors);
  EXPECT_EQ(index.strategy(10, nullptr), DenseStrategy::kExact);
  EXPECT_EQ(name_of(index.strategy(10, nullptr)), "exact");
  for (std::size_t q = 0; q < 5; ++q) {
    const std::span<const float> query = std::span(vectors).subspan(q * 11 * kDims, kDims);
    EXPECT_EQ(index.search(query, 10, nullptr), expected(index, query, 10, nullptr));
  }
  EXPECT_TRUE(index.search(std::vector<float>(kDims - 1, 0.1F), 10, nullptr).empty());
  EXPECT_TRUE(index.search(std::vector<float>(kDims, 0.1F), 0, nullptr).empty());
}

TEST_F(DenseIndexTest, TheQuantisedScanFindsTheSameRows) {
  // 6,001 rows: the last block of codes is not full.
  const std::vector<float> vectors = clustered(random_, 6001, 50);
  const DenseIndex index = build(vectors);
  ASSERT_EQ(index.strategy(10, nullptr), DenseStrategy::kQuantised);
  EXPECT_EQ(name_of(DenseStrategy::kQuantised), "quantised scan");
  for (const std::size_t k : {1U, 10U, 100U, 300U}) {
    ASSERT_EQ(index.strategy(k, nullptr), DenseStrategy::kQuantised);
    std::size_t found = 0;
    for (std::size_t q = 0; q < 20; ++q) {
      const std::span<const float> query = std::span(vectors).subspan(q * 300 * kDims, kDims);
      const auto hits = index.search(query, k, nullptr);
      found += common(index, query, hits, expected(index, query, k, nullptr), nullptr);
      EXPECT_EQ(hits[0].row, q * 300);  // The row itself.
    }
    EXPECT_GE(static_cast<double>(found), 0.985 * static_cast<double>(20 * k)) << k;
  }
  // Long lists leave nothing to skip.
  EXPECT_EQ(index.strategy(400, nullptr), DenseStrategy::kExact);
  const std::span<const float> query = std::span(vectors).first(kDims);
  EXPECT_EQ(index.search(query, 7000, nullptr), expected(index, query, 7000, nullptr));
}

TEST_F(DenseIndexTest, FiltersOfEverySelectivityAreFilled) {
  constexpr std::size_t kRows = 10000;
  const std::vector<float> vectors = clustered(random_, kRows, 50);
  const DenseIndex index = build(vectors);
  for (const double share : {0.0001, 0.001, 0.01, 0.1, 0.5}) {
    RowFilter filter(kRows);
    const auto count = static_cast<std::size_t>(share * kRows);
    while (filter.count() < count) filter.allow(draw(random_, kRows));
    for (const std::size_t k : {1U, 10U, 60U}) {
      std::size_t found = 0;
      std::size_t wanted = 0;
      for (std::size_t q = 0; q < 10; ++q) {
        const std::span<const float> query = std::span(vectors).subspan(q * 900 * kDims, kDims);
        const auto hits = index.search(query, k, &filter);
        const auto right = expected(index, query, k, &filter);
        ASSERT_EQ(hits.size(), std::min(k, count));
        if (share <= 0.1) {  // 1,000 rows are compared one by one.
          EXPECT_EQ(index.strategy(k, &filter), DenseStrategy::kSelected);
          EXPECT_EQ(hits, right) << share << " " << k;
        } else {
          EXPECT_EQ(index.strategy(k, &filter), DenseStrategy::kQuantised);
        }
        found += common(index, query, hits, right, &filter);
        wanted += right.size();
      }
      EXPECT_GE(static_cast<double>(found), 0.985 * static_cast<double>(wanted)) << share;
    }
  }
}

TEST_F(DenseIndexTest, AFilterAgainstTheNearestNineTenthsIsFilled) {
  // All rows of nine of ten stretches, in which the nearest ones lie, are disallowed.
  constexpr std::size_t kRows = 30000;
  const std::vector<float> vectors = clustered(random_, kRows, 30);
  const DenseIndex index = build(vectors);
  const std::span<const float> query = std::span(vectors).first(kDims);
  RowFilter filter(kRows);
  const auto order = expected(index, query, kRows, nullptr);
  for (std::size_t i = kRows * 9 / 10; i < kRows; ++i) filter.allow(order[i].row);
  ASSERT_EQ(index.strategy(10, &filter), DenseStrategy::kQuantised);
  const auto hits = index.search(query, 10, &filter);
  EXPECT_GE(common(index, query, hits, expected(index, query, 10, &filter), &filter), 9U);
}

TEST_F(DenseIndexTest, ABatchFindsWhatSingleSearchesFind) {
  const std::vector<float> vectors = clustered(random_, 5000, 40);
  const DenseIndex index = build(vectors);
  RowFilter few(5000);
  for (Row row = 100; row < 400; ++row) few.allow(row);
  RowFilter many(5000);
  for (Row row = 0; row < 5000; row += 2) many.allow(row);
  const RowFilter foreign(4999);
  std::vector<DenseRequest> requests;
  for (std::size_t q = 0; q < 37; ++q) {  // More than share one pass.
    const std::span<const float> query = std::span(vectors).subspan(q * 100 * kDims, kDims);
    requests.push_back({query, q % 3 == 0 ? nullptr : (q % 3 == 1 ? &few : &many)});
  }
  requests.push_back({std::span(vectors).first(kDims - 1), nullptr});
  requests.push_back({std::span(vectors).first(kDims), &foreign});
  const auto together = index.search_batch(requests, 20);
  ASSERT_EQ(together.size(), requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    EXPECT_EQ(together[i], index.search(requests[i].query, 20, requests[i].filter)) << i;
  }
  EXPECT_EQ(together[36].size(), 20U);
  EXPECT_TRUE(together[37].empty());
  EXPECT_TRUE(together[38].empty());
  EXPECT_TRUE(index.search_batch({}, 20).empty());
}

TEST_F(DenseIndexTest, AFloorSparesWorkAndLeavesOutOnlyWhatScoresLess) {
  const std::vector<float> vectors = clustered(random_, 6000, 40);
  const DenseIndex index = build(vectors);
  constexpr std::size_t kRows = 6000;
  const std::uint32_t stride = DenseMatrix::stride_for(kDims);
  std::vector<float> padded(kRows * stride, 0.0F);
  for (std::size_t r = 0; r < kRows; ++r) {
    std::copy_n(vectors.begin() + static_cast<std::ptrdiff_t>(r * kDims), kDims,
                padded.begin() + static_cast<std::ptrdiff_t>(r * stride));
  }
  const DenseMatrix matrix(padded, kRows, kDims);
  const dense_codes::Tables tables = dense_codes::encode(padded, kRows, kDims, stride);
  const QuantisedDense quantised(tables.mean, tables.signs, tables.records, matrix);
  std::size_t found = 0;
  for (std::size_t q = 0; q < 20; ++q) {
    const std::span<const float> query = std::span(vectors).subspan(q * 300 * kDims, kDims);
    const auto right = expected(index, query, 50, nullptr);
    const DenseRequest all{.query = query};
    const DenseRequest better{.query = query, .floor = right[4].score};
    const auto hits = index.search_batch({&better, 1}, 50).front();
    ASSERT_LE(hits.size(), 50U);
    EXPECT_EQ(hits[0], right[0]);
    const std::set<Row> wanted{right[0].row, right[1].row, right[2].row, right[3].row,
                               right[4].row};
    for (const RowHit& hit : hits) found += wanted.count(hit.row);
    QuantisedDense::Work work_of_all;
    QuantisedDense::Work work;
    const auto unbounded = quantised.search({&all, 1}, 50, best_dense_kernels(), &work_of_all);
    EXPECT_EQ(unbounded.front().size(), 50U);
    for (const DenseKernels* kernels : runnable_dense_kernels()) {
      work = {};
      EXPECT_EQ(quantised.search({&better, 1}, 50, *kernels, &work).front(), hits);
    }
    EXPECT_LT(work.fine, work_of_all.fine);
    EXPECT_LT(work.exact, work_of_all.exact);
    // Above the best row there is nothing; with less than all there is, k are found.
    const DenseRequest best{.query = query, .floor = 2.0F};
    EXPECT_TRUE(index.search_batch({&best, 1}, 50).front().empty());
    const DenseRequest low{.query = query, .floor = -1.0F};
    EXPECT_EQ(index.search_batch({&low, 1}, 50).front(), index.search(query, 50, nullptr));
  }
  EXPECT_GE(found, 98U);
}

TEST_F(DenseIndexTest, EqualScoresAreOrderedByRow) {
  // Ten different vectors, 300 times each: the ten best rows of a question are all alike.
  const std::vector<float> ten = clustered(random_, 10, 10);
  std::vector<float> vectors;
  for (std::size_t r = 0; r < 3000; ++r) {
    vectors.insert(vectors.end(), ten.begin() + static_cast<std::ptrdiff_t>(r % 10 * kDims),
                   ten.begin() + static_cast<std::ptrdiff_t>((r % 10 + 1) * kDims));
  }
  const DenseIndex index = build(vectors);
  const auto hits = index.search(std::span(ten).subspan(3 * kDims, kDims), 5, nullptr);
  ASSERT_EQ(hits.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(hits[i].row, 10 * i + 3);
}

TEST_F(DenseIndexTest, DegenerateVectorsFillTheList) {
  std::vector<float> vectors(3000 * kDims, 0.0F);
  for (std::size_t r = 0; r < 30; ++r) {
    vectors[r * 100 * kDims] = std::numeric_limits<float>::quiet_NaN();
  }
  const DenseIndex zeros = build(vectors);
  std::vector<float> query(kDims, 0.0F);
  query[0] = 1.0F;
  const auto hits = zeros.search(query, 10, nullptr);
  ASSERT_EQ(hits.size(), 10U);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(hits[i], (RowHit{static_cast<Row>(i + 1), 0.0F}));
  }
  EXPECT_EQ(zeros.search(std::vector<float>(kDims, 0.0F), 10, nullptr).size(), 10U);
  query[0] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(zeros.search(query, 10, nullptr).size(), 10U);
  query[0] = std::numeric_limits<float>::max();
  EXPECT_EQ(zeros.search(query, 10, nullptr).size(), 10U);
}

TEST_F(DenseIndexTest, DamageOfTheCodesIsHarmless) {
  const std::vector<float> vectors = clustered(random_, 2500, 20);
  build(vectors);
  const std::string intact = bytes_of(file_);
  SectionFileHeader header;
  std::memcpy(&header, intact.data(), sizeof header);
  std::vector<SectionEntry> table(header.sections);
  std::memcpy(table.data(), intact.data() + sizeof header, table.size() * sizeof(SectionEntry));
  ASSERT_EQ(table.size(), 5U);
  for (int round = 0; round < 60; ++round) {
    std::string damaged = intact;
    const SectionEntry& section = table[2 + static_cast<std::size_t>(round % 3)];
    for (std::uint32_t n = 1 + draw(random_, round < 30 ? 8 : 4000); n > 0; --n) {
      damaged[section.offset + draw(random_, section.size)] =
          static_cast<char>(round % 2 == 0 ? 0xff : random_());
    }
    write_bytes(file_, damaged);
    const auto opened = DenseIndex::open(file_);
    if (!opened) {
      EXPECT_EQ(opened.error().code, ErrorCode::kCorrupt);
      continue;
    }
    EXPECT_FALSE(opened->file().verify().empty());
    for (std::size_t q = 0; q < 5; ++q) {
      const std::span<const float> query = std::span(vectors).subspan(q * 400 * kDims, kDims);
      const auto hits = opened->search(query, 20, nullptr);
      ASSERT_EQ(hits.size(), 20U);
      for (const RowHit& hit : hits) {
        ASSERT_LT(hit.row, 2500U);
        EXPECT_EQ(hit.score, opened->score(query, std::vector<Row>{hit.row})[0]);
      }
    }
  }
}

TEST_F(DenseIndexTest, TheFormatBeforeIsRefused) {
  build(clustered(random_, 100, 5));
  testing_support::patch_byte(file_, offsetof(SectionFileHeader, version), 1);
  const auto opened = DenseIndex::open(file_);
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().code, ErrorCode::kCorrupt);
  EXPECT_NE(opened.error().message.find("its format version is 1, this build reads 2"),
            std::string::npos);
}

}  // namespace
}  // namespace beleg

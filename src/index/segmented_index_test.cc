#include "index/segmented_index.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "index/index_test_support.h"
#include "index/top_k.h"

namespace beleg {
namespace {

using testing_support::draw;
using testing_support::TemporaryTestFolder;
using testing_support::TestRow;

constexpr std::uint32_t kDims = 32;

/// Rows with their payloads in a pack, of which indexes of any subset can be built.
class SegmentedIndexTest : public ::testing::Test {
 protected:
  SegmentedIndexTest() { make_rows(900); }

  void make_rows(std::size_t count) {
    rows_ = testing_support::random_rows(random_, count, kDims);
    payloads_.clear();
    offsets_.clear();
    CompoundLexiconBuilder compounds;
    std::string pack(128, 'h');
    for (const TestRow& row : rows_) {
      compounds.add_text(row.body);
      payloads_.push_back(pack_embedding(row.encoded));
      offsets_.push_back(pack.size());
      pack.append(reinterpret_cast<const char*>(payloads_.back().data()), payloads_.back().size());
    }
    testing_support::write_bytes(pack_, pack);
    compounds_ = compounds.build();
  }

  [[nodiscard]] IndexForm form() const {
    return {.dims = kDims, .pack = pack_, .compounds = compounds_};
  }

  /// Builds the index of `live` (numbers of rows_), from `base` if it is not empty.
  std::shared_ptr<const SegmentedIndex> build(const std::string& name,
                                              const std::vector<std::size_t>& live,
                                              const std::string& base = {},
                                              IndexForm* with = nullptr) {
    const IndexForm used = with == nullptr ? form() : *with;
    auto builder = IndexBuilder::create(used, folder_.path() / name);
    std::vector<PassageId> passages;
    passages.reserve(live.size());
    for (const std::size_t i : live) passages.push_back(rows_[i].attributes.passage);
    PassageId first{0};
    if (!base.empty()) first = builder->keep(folder_.path() / base, passages);
    added_ = 0;
    for (const std::size_t i : live) {
      if (rows_[i].attributes.passage < first) continue;
      const TestRow& row = rows_[i];
      MUST(builder->add(row.attributes, {row.title, row.headings, row.body}, payloads_[i],
                        offsets_[i]));
      ++added_;
    }
    MUST(builder->write());
    return MUST(SegmentedIndex::open(folder_.path() / name, pack_));
  }

  static std::vector<std::size_t> range(std::size_t first, std::size_t end) {
    std::vector<std::size_t> numbers;
    for (std::size_t i = first; i < end; ++i) numbers.push_back(i);
    return numbers;
  }

  /// Hits by passage, which do not depend on how rows are spread over segments.
  using Hits = std::vector<std::pair<PassageId, float>>;
  static Hits by_passage(const IndexSnapshot& index, const std::vector<RowHit>& hits) {
    Hits out;
    for (const RowHit& hit : hits) out.emplace_back(index.passage_of(hit.row), hit.score);
    return out;
  }

  void expect_same(const IndexSnapshot& a, const IndexSnapshot& b) {
    EXPECT_EQ(a.rows(), b.rows());
    EXPECT_EQ(a.passage_fingerprint(), b.passage_fingerprint());
    EXPECT_EQ(a.median_published(), b.median_published());
    EXPECT_EQ(a.languages(), b.languages());
    EXPECT_TRUE(a.verify().empty());
    EXPECT_TRUE(b.verify().empty());
    FilterSpec spec;
    spec.languages = {"de", "en"};
    spec.held_access = {"board", "label1"};
    for (int round = 0; round < 20; ++round) {
      const QueryVectors query = testing_support::random_query(random_, 5, kDims);
      const std::string text = rows_[draw(random_, rows_.size())].body.substr(0, 60);
      for (const bool filtered : {false, true}) {
        const RowFilter of_a = a.make_filter(spec);
        const RowFilter of_b = b.make_filter(spec);
        EXPECT_EQ(of_a.count(), of_b.count());
        const RowFilter* fa = filtered ? &of_a : nullptr;
        const RowFilter* fb = filtered ? &of_b : nullptr;
        const LexicalResult la = a.search_lexical(text, "de", 50, fa, {});
        const LexicalResult lb = b.search_lexical(text, "de", 50, fb, {});
        ASSERT_EQ(by_passage(a, la.hits), by_passage(b, lb.hits)) << text;
        EXPECT_EQ(la.matched_mass, lb.matched_mass);
        ASSERT_EQ(by_passage(a, a.search_dense(query.dense, 50, fa)),
                  by_passage(b, b.search_dense(query.dense, 50, fb)));
        ASSERT_EQ(by_passage(a, a.search_late(query, 50, fa)),
                  by_passage(b, b.search_late(query, 50, fb)));
      }
      EXPECT_EQ(a.token_weights(query.tokens), b.token_weights(query.tokens));
    }
    for (Row row = 0; row < a.row_limit(); ++row) {
      if (!a.is_row(row)) continue;
      const Row other = MUST(b.row_of(a.passage_of(row)));
      const QueryVectors query = testing_support::random_query(random_, 3, kDims);
      ASSERT_EQ(a.score_late(query, {{row}}), b.score_late(query, {{other}}));
      ASSERT_EQ(a.score_dense(query.dense, {{row}}), b.score_dense(query.dense, {{other}}));
      ASSERT_EQ(a.attributes(row).story, b.attributes(other).story);
    }
  }

  std::mt19937 random_{31};
  TemporaryTestFolder folder_;
  std::filesystem::path pack_ = folder_.path() / "pack";
  std::vector<TestRow> rows_;
  std::vector<std::vector<std::byte>> payloads_;
  std::vector<std::uint64_t> offsets_;
  std::shared_ptr<const CompoundLexicon> compounds_;
  std::size_t added_ = 0;
};

TEST_F(SegmentedIndexTest, GrownAndBuiltAtOnceAnswerAlike) {
  build("1", range(0, 500));
  build("2", range(0, 600), "1");
  EXPECT_EQ(added_, 100U);  // The rest was taken over.
  const auto grown = build("3", range(0, 605), "2");
  EXPECT_EQ(added_, 5U);
  EXPECT_EQ(grown->segments().size(), 3U);
  expect_same(*grown, *build("whole", range(0, 605)));
}

TEST_F(SegmentedIndexTest, DeletedRowsAreGoneAndCountForNothing) {
  build("1", range(0, 500));
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < 520; ++i) {
    if (i % 3 != 0) left.push_back(i);
  }
  const auto grown = build("2", left, "1");
  EXPECT_EQ(added_, left.size() - 333);
  ASSERT_EQ(grown->segments().size(), 2U);
  EXPECT_EQ(grown->counts().lexical, left.size());
  EXPECT_EQ(grown->counts().tokens, left.size());
  EXPECT_FALSE(grown->is_row(0));
  EXPECT_FALSE(grown->row_of(rows_[0].attributes.passage).has_value());
  expect_same(*grown, *build("whole", left));
  // Undoing is going back to the folder of the parent, which nothing has touched.
  expect_same(*MUST(SegmentedIndex::open(folder_.path() / "1", pack_)),
              *build("again", range(0, 500)));
}

TEST_F(SegmentedIndexTest, AfterNineOfTenAreDeletedListsAreStillFilled) {
  build("1", range(0, 900));
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < 900; i += 10) left.push_back(i);
  const auto shrunk = build("2", left, "1");
  // Mostly dead segments are made anew.
  EXPECT_EQ(added_, left.size());
  const QueryVectors query = testing_support::random_query(random_, 5, kDims);
  EXPECT_EQ(shrunk->search_dense(query.dense, 50, nullptr).size(), 50U);
  expect_same(*shrunk, *build("whole", left));
}

TEST_F(SegmentedIndexTest, TheNumberOfSegmentsGrowsWithTheLogarithm) {
  std::string base;
  std::size_t written = 0;
  for (std::size_t i = 1; i <= 32; ++i) {
    const std::string name = "g" + std::to_string(i);
    const auto index = build(name, range(0, 10 * i), base);
    written += added_;
    EXPECT_LE(index->segments().size(), 6U) << i;
    if (!base.empty()) std::filesystem::remove_all(folder_.path() / base);
    base = name;
  }
  EXPECT_LE(written, 320U * 6);
  expect_same(*MUST(SegmentedIndex::open(folder_.path() / base, pack_)),
              *build("whole", range(0, 320)));
}

TEST_F(SegmentedIndexTest, MoreThanFitsIntoMemoryBecomesSeveralSegments) {
  IndexForm small = form();
  small.memory = 150'000;
  const auto index = build("small", range(0, 900), {}, &small);
  EXPECT_GT(index->segments().size(), 3U);
  expect_same(*index, *build("whole", range(0, 900)));
}

TEST_F(SegmentedIndexTest, DenseSearchOfLargeSegmentsFindsTheBestOfAllOfThem) {
  constexpr std::size_t kRows = 4 * DenseIndex::kQuantisedFrom;
  make_rows(kRows);
  build("1", range(0, kRows / 4 * 3));
  const auto index = build("2", range(0, kRows), "1");
  ASSERT_EQ(index->segments().size(), 2U);
  ASSERT_EQ(index->dense_passes(20, nullptr).front().strategy, "quantised scan");
  std::vector<Row> rows;
  for (Row row = 0; row < index->row_limit(); ++row) {
    if (index->is_row(row)) rows.push_back(row);
  }
  std::size_t found = 0;
  for (int round = 0; round < 20; ++round) {
    const QueryVectors query = testing_support::random_query(random_, 3, kDims);
    const std::vector<float> scores = index->score_dense(query.dense, rows);
    TopK best(20);
    for (std::size_t i = 0; i < rows.size(); ++i) best.push({rows[i], scores[i]});
    const auto hits = index->search_dense(query.dense, 20, nullptr);
    ASSERT_EQ(hits.size(), 20U);
    for (const RowHit& hit : best.take()) {
      found += static_cast<std::size_t>(std::ranges::find(hits, hit) != hits.end());
    }
  }
  EXPECT_GE(found, 392U);
}

TEST_F(SegmentedIndexTest, OfAnotherFormNothingIsTakenOver) {
  build("1", range(0, 500));
  IndexForm other = form();
  other.title_weight = 2.0F;
  build("2", range(0, 510), "1", &other);
  EXPECT_EQ(added_, 510U);
  CompoundLexiconBuilder compounds;
  compounds.add_text("Sternwarte Stern Warte Stern Warte");
  other = form();
  other.compounds = compounds.build();
  build("3", range(0, 510), "1", &other);
  EXPECT_EQ(added_, 510U);
  other = form();
  other.positions = false;
  build("4", range(0, 510), "1", &other);
  EXPECT_EQ(added_, 510U);
  // A passage that should be there and is not.
  build("5", {0, 1, 2, 4, 5}, "");
  build("6", {0, 1, 2, 3, 4, 5}, "5");
  EXPECT_EQ(added_, 6U);
  // No index at all.
  build("7", range(0, 10), "none");
  EXPECT_EQ(added_, 10U);
}

TEST_F(SegmentedIndexTest, ADamagedSegmentIsNotHandedOn) {
  for (const char* file : {"rows.idx", "lexical.idx", "dense.idx", "tokens.idx"}) {
    build("1", range(0, 500));
    const std::filesystem::path damaged = folder_.path() / "1" / "segment.0" / file;
    std::string bytes = testing_support::bytes_of(damaged);
    char& flipped = bytes[bytes.size() / 2];
    flipped = static_cast<char>(static_cast<unsigned char>(flipped) ^ 0x10U);
    testing_support::write_bytes(damaged, bytes);
    const auto next = build("2", range(0, 600), "1");
    EXPECT_EQ(added_, 600U) << file;
    EXPECT_TRUE(next->verify().empty()) << file;
    std::filesystem::remove_all(folder_.path() / "1");
    std::filesystem::remove_all(folder_.path() / "2");
  }
}

TEST_F(SegmentedIndexTest, TheMedianDateIsTheLowerMiddleOfTheLiveRows) {
  const std::vector<std::optional<UnixSeconds>> dates{5, std::nullopt, 1, 9, 7};
  for (std::size_t i = 0; i < dates.size(); ++i) rows_[i].attributes.published = dates[i];
  EXPECT_EQ(build("three", range(0, 4))->median_published(), 5);
  EXPECT_EQ(build("four", range(0, 5), "three")->median_published(), 5);
  EXPECT_EQ(build("two", {1, 2, 3}, "four")->median_published(), 1);
  EXPECT_EQ(build("none", {1})->median_published(), std::nullopt);
}

TEST_F(SegmentedIndexTest, FlippedBytesOfTheManifestAreNoticed) {
  build("1", range(0, 300));
  std::vector<std::size_t> left = range(3, 310);
  build("2", left, "1");
  const std::filesystem::path manifest = folder_.path() / "2" / "manifest.idx";
  const std::string intact = testing_support::bytes_of(manifest);
  SectionFileHeader header;
  std::memcpy(&header, intact.data(), sizeof header);
  for (std::uint32_t s = 0; s < header.sections; ++s) {
    SectionEntry entry;
    std::memcpy(&entry, intact.data() + sizeof header + s * sizeof entry, sizeof entry);
    if (entry.size == 0) continue;
    for (const std::uint64_t at : {std::uint64_t{0}, entry.size / 2, entry.size - 1}) {
      std::string damaged = intact;
      damaged[entry.offset + at] =
          static_cast<char>(static_cast<unsigned char>(damaged[entry.offset + at]) ^ 0x5aU);
      testing_support::write_bytes(manifest, damaged);
      EXPECT_FALSE(SegmentedIndex::open(folder_.path() / "2", pack_).has_value()) << entry.kind;
    }
  }
}

}  // namespace
}  // namespace beleg

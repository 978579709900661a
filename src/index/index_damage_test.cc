#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "index/index_test_support.h"
#include "index/section_file.h"

namespace beleg {
namespace {

using testing_support::build_index;
using testing_support::bytes_of;
using testing_support::draw;
using testing_support::TemporaryTestFolder;
using testing_support::TestIndex;
using testing_support::write_bytes;

constexpr std::uint32_t kDims = 16;
const std::vector<std::string> kFiles{"manifest.idx", "segment.0/rows.idx", "segment.0/lexical.idx",
                                      "segment.0/dense.idx", "segment.0/tokens.idx"};

/// Uses everything an index offers: under the address sanitizer, no damage may lead outside.
void exercise(const IndexSnapshot& index, std::mt19937& random) {
  const QueryVectors query = testing_support::random_query(random, 5, kDims);
  FilterSpec spec;
  spec.languages = {"de", "en"};
  spec.held_access = {"board", "label1"};
  spec.documents = {DocumentId{990}};
  spec.published_from = -100;
  const RowFilter filter = index.make_filter(spec);
  FilterSpec texts;
  for (const char* text : {"copper", "the Hafen", "und die Steuerzahler", "of DEC-54"}) {
    for (const TextConditionKind kind :
         {TextConditionKind::kPhrase, TextConditionKind::kAllWords}) {
      texts.texts = {{.text = text, .field = {}, .kind = kind}};
      (void)index.make_filter(texts);
    }
  }
  for (const RowFilter* allowed : {static_cast<const RowFilter*>(nullptr), &filter}) {
    for (const std::string_view question : {"copper Hafen the und DEC-54", "Steuerzahler"}) {
      for (const RowHit& hit : index.search_lexical(question, "de", 20, allowed, {}).hits) {
        ASSERT_LT(hit.row, index.rows());
        (void)index.explain_lexical(question, "de", hit.row, {});
      }
    }
    (void)index.dense_passes(20, allowed);
    (void)index.late_passes(20, allowed);
    for (const RowHit& hit : index.search_dense(query.dense, 20, allowed)) {
      ASSERT_LT(hit.row, index.rows());
      ASSERT_TRUE(hit.score >= -1.0F && hit.score <= 1.0F);
    }
    for (const RowHit& hit : index.search_late(query, 20, allowed)) {
      ASSERT_LT(hit.row, index.rows());
      ASSERT_TRUE(hit.score >= -1.0F && hit.score <= 1.0F);
    }
  }
  for (Row row = 0; row < index.rows(); ++row) {
    (void)index.attributes(row);
    (void)index.token_similarities(query, row);
  }
  (void)index.row_of(PassageId{10});
  (void)index.languages();
  (void)index.counts();
  (void)index.token_weights(query.tokens);
}

class IndexDamageTest : public ::testing::Test {
 protected:
  IndexDamageTest() : index_(build_index(folder_.path(), rows(), kDims)) {}

  std::vector<testing_support::TestRow> rows() {
    return testing_support::random_rows(random_, 150, kDims);
  }
  /// Opens the damaged index, uses it, and says whether somebody noticed.
  bool noticed() {
    const auto opened = IndexSnapshot::open(index_.folder, index_.pack);
    if (!opened) {
      EXPECT_EQ(opened.error().code, ErrorCode::kCorrupt);
      EXPECT_FALSE(opened.error().remedy.empty());
      return true;
    }
    exercise(**opened, random_);
    return !(*opened)->verify().empty();
  }

  std::mt19937 random_{21};
  TemporaryTestFolder folder_;
  TestIndex index_;
};

std::vector<SectionEntry> table_of(const std::string& bytes) {
  SectionFileHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  std::vector<SectionEntry> table(header.sections);
  std::memcpy(table.data(), bytes.data() + sizeof header, table.size() * sizeof(SectionEntry));
  return table;
}

TEST_F(IndexDamageTest, AnUntouchedIndexIsClean) { EXPECT_FALSE(noticed()); }

TEST_F(IndexDamageTest, FlippedBytesOfEverySectionAreNoticed) {
  for (const std::string& file : kFiles) {
    const std::string intact = bytes_of(index_.folder / file);
    for (const SectionEntry& section : table_of(intact)) {
      if (section.size == 0) continue;
      for (const std::uint64_t at : {std::uint64_t{0}, section.size / 2, section.size - 1}) {
        std::string damaged = intact;
        damaged[section.offset + at] =
            static_cast<char>(static_cast<unsigned char>(damaged[section.offset + at]) ^ 0xffU);
        write_bytes(index_.folder / file, damaged);
        EXPECT_TRUE(noticed()) << file << " section " << section.kind << "." << section.part
                               << " byte " << at;
      }
    }
    write_bytes(index_.folder / file, intact);
  }
}

TEST_F(IndexDamageTest, FlippedBitsOfHeaderAndTableFailToOpen) {
  for (const std::string& file : kFiles) {
    const std::string intact = bytes_of(index_.folder / file);
    const std::size_t head =
        sizeof(SectionFileHeader) + table_of(intact).size() * sizeof(SectionEntry);
    for (std::size_t i = 0; i < head; ++i) {
      const auto flipped =
          static_cast<char>(static_cast<unsigned char>(intact[i]) ^ (1U << (i % 8)));
      testing_support::patch_byte(index_.folder / file, i, flipped);
      ASSERT_FALSE(IndexSnapshot::open(index_.folder, index_.pack).has_value()) << file << " " << i;
      testing_support::patch_byte(index_.folder / file, i, intact[i]);
    }
    EXPECT_EQ(bytes_of(index_.folder / file), intact);
  }
}

TEST_F(IndexDamageTest, EveryTruncationFailsToOpen) {
  for (const std::string& file : kFiles) {
    const std::string intact = bytes_of(index_.folder / file);
    std::vector<std::size_t> sizes{0, 1, 63, 64, 65, intact.size() - 1, intact.size() - 64};
    for (const SectionEntry& section : table_of(intact)) sizes.push_back(section.offset);
    for (const std::size_t size : sizes) {
      write_bytes(index_.folder / file, std::string_view(intact).substr(0, size));
      const auto opened = IndexSnapshot::open(index_.folder, index_.pack);
      ASSERT_FALSE(opened.has_value()) << file << " at " << size;
      EXPECT_NE(opened.error().message.find(file), std::string::npos);
    }
    std::filesystem::remove(index_.folder / file);
    EXPECT_FALSE(IndexSnapshot::open(index_.folder, index_.pack).has_value());
    write_bytes(index_.folder / file, intact);
  }
}

TEST_F(IndexDamageTest, RandomGarbageInsideSectionsIsNoticedAndHarmless) {
  for (const std::string& file : kFiles) {
    const std::string intact = bytes_of(index_.folder / file);
    const std::vector<SectionEntry> table = table_of(intact);
    for (int round = 0; round < 60; ++round) {
      std::string damaged = intact;
      const SectionEntry& section = table[draw(random_, table.size())];
      if (section.size == 0) continue;
      for (std::uint32_t n = 1 + draw(random_, 64); n > 0; --n) {
        const std::uint64_t at = section.offset + draw(random_, section.size);
        damaged[at] = static_cast<char>(random_());
      }
      if (damaged == intact) continue;
      write_bytes(index_.folder / file, damaged);
      EXPECT_TRUE(noticed()) << file << " section " << section.kind << "." << section.part;
    }
    write_bytes(index_.folder / file, intact);
  }
}

TEST_F(IndexDamageTest, DamagedTokenVectorsAreNoticed) {
  const std::string intact = bytes_of(index_.pack);
  for (int round = 0; round < 40; ++round) {
    std::string damaged = intact;
    // The first 128 bytes belong to no payload.
    const std::size_t at = 128 + draw(random_, damaged.size() - 128);
    damaged[at] = static_cast<char>(static_cast<unsigned char>(damaged[at]) ^ 0x81U);
    write_bytes(index_.pack, damaged);
    EXPECT_TRUE(noticed()) << at;
  }
}

TEST_F(IndexDamageTest, ATruncatedOrMissingPackIsNamed) {
  const std::string intact = bytes_of(index_.pack);
  write_bytes(index_.pack, std::string_view(intact).substr(0, intact.size() - 1));
  const auto opened = IndexSnapshot::open(index_.folder, index_.pack);
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().code, ErrorCode::kCorrupt);
  EXPECT_NE(opened.error().message.find("index.pack"), std::string::npos);
  std::filesystem::remove(index_.pack);
  EXPECT_FALSE(IndexSnapshot::open(index_.folder, index_.pack).has_value());
}

}  // namespace
}  // namespace beleg

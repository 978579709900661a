#include "index/posting_list.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "index/index_test_support.h"

namespace beleg {
namespace {

using testing_support::draw;

/// A section that holds one list, in memory of exactly its size.
std::vector<std::byte> section_of(const std::string& list) {
  std::vector<std::byte> section(list.size() + kPostingsSlack);
  std::memcpy(section.data(), list.data(), list.size());
  return section;
}

std::vector<Posting> random_postings(std::mt19937& random, std::size_t count, std::uint32_t gap) {
  std::vector<Posting> postings;
  std::uint32_t document = draw(random, gap);
  for (std::size_t i = 0; i < count; ++i) {
    Posting posting;
    posting.document = document;
    posting.frequencies.body = draw(random, 7) * (random() % 50 == 0 ? 5 : kFrequencyUnit);
    if (random() % 40 == 0) posting.frequencies.title = kFrequencyUnit;
    if (random() % 500 == 0) posting.frequencies.headings = 100'000;
    postings.push_back(posting);
    document += 1 + draw(random, gap);
  }
  return postings;
}

/// The list alone, every document of the shortest class.
std::string encoded_list(const std::vector<Posting>& postings) {
  const std::vector<std::uint8_t> classes(postings.back().document + std::size_t{1}, 0);
  return encode_postings(postings, classes, {}).list;
}

TEST(PostingList, ComesBack) {
  std::mt19937 random(1);
  for (const std::size_t count : {1U, 2U, 127U, 128U, 129U, 256U, 1000U}) {
    for (const std::uint32_t gap : {1U, 2U, 100U, 100'000U}) {
      const std::vector<Posting> postings = random_postings(random, count, gap);
      const std::string list = encoded_list(postings);
      const std::vector<std::byte> section = section_of(list);
      const TermEntry entry{0, static_cast<std::uint32_t>(list.size()),
                            static_cast<std::uint32_t>(count)};
      const PostingList read(section, entry, postings.back().document + 1);
      ASSERT_EQ(read.blocks(), (count + 127) / 128);
      PostingBlock block;
      std::size_t i = 0;
      for (std::uint32_t b = 0; b < read.blocks(); ++b) {
        ASSERT_TRUE(read.decode(b, block));
        for (std::uint32_t n = 0; n < block.count; ++n, ++i) {
          ASSERT_EQ(block.documents[n], postings[i].document);
          ASSERT_EQ(static_cast<std::uint32_t>(block.body[n]), postings[i].frequencies.body);
          ASSERT_EQ(block.in_title ? block.title[n] : 0,
                    static_cast<std::int32_t>(postings[i].frequencies.title));
          ASSERT_EQ(block.in_headings ? block.headings[n] : 0,
                    static_cast<std::int32_t>(postings[i].frequencies.headings));
        }
      }
      ASSERT_EQ(i, count);
    }
  }
}

TEST(PostingList, KnowsWhichDocumentsItHas) {
  std::mt19937 random(2);
  const std::vector<Posting> postings = random_postings(random, 400, 3);
  const std::string list = encoded_list(postings);
  const std::vector<std::byte> section = section_of(list);
  const std::uint32_t documents = postings.back().document + 10;
  const PostingList read(section, {0, static_cast<std::uint32_t>(list.size()), 400}, documents);
  std::size_t i = 0;
  for (std::uint32_t document = 0; document < documents; ++document) {
    const bool expected = i < postings.size() && postings[i].document == document;
    if (expected) ++i;
    EXPECT_EQ(read.contains(document), expected) << document;
  }
}

TEST(PostingList, HugeFrequenciesSaturate) {
  Posting posting;
  posting.frequencies.body = 0xffffffffU;
  const std::string list = encoded_list({posting});
  const std::vector<std::byte> section = section_of(list);
  PostingBlock block;
  ASSERT_TRUE(
      PostingList(section, {0, static_cast<std::uint32_t>(list.size()), 1}, 1).decode(0, block));
  EXPECT_EQ(block.body[0], (1 << 24) - 16);
}

TEST(PostingList, OneOccurrenceInOneDocumentIsSmall) {
  Posting posting;
  posting.document = 5;
  posting.frequencies.body = kFrequencyUnit;
  // Four bytes of widths, three bits of gap, one bit of frequency.
  EXPECT_EQ(encoded_list({posting}).size(), 6U);
}

// Under the address sanitizer this proves that no byte outside the section is read.
TEST(PostingList, DamageStaysInside) {
  std::mt19937 random(3);
  const std::vector<Posting> postings = random_postings(random, 300, 5);
  const std::string list = encoded_list(postings);
  const std::uint32_t documents = postings.back().document + 1;
  for (int round = 0; round < 20'000; ++round) {
    std::string damaged = list;
    if (random() % 3 == 0) damaged.resize(random() % damaged.size());
    for (std::uint32_t n = random() % 4; n > 0 && !damaged.empty(); --n) {
      damaged[random() % std::min<std::size_t>(damaged.size(), 40)] = static_cast<char>(random());
    }
    const std::vector<std::byte> section = section_of(damaged);
    const auto size = static_cast<std::uint32_t>(damaged.size() + random() % 3);
    const TermEntry entry{random() % 5 == 0 ? random() : 0, size,
                          random() % 5 == 0 ? static_cast<std::uint32_t>(random()) : 300};
    const PostingList read(section, entry, documents);
    PostingBlock block;
    for (std::uint32_t b = 0; b < read.blocks(); ++b) {
      if (!read.decode(b, block)) continue;
      ASSERT_LE(block.count, kDocumentsPerBlock);
      for (std::uint32_t n = 0; n < block.count; ++n) ASSERT_LT(block.documents[n], documents);
    }
    (void)read.contains(draw(random, documents));
  }
}

}  // namespace
}  // namespace beleg

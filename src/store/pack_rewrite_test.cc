#include "store/pack_rewrite.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <vector>

#include "store/embedding_pack.h"
#include "store/store_test_support.h"

namespace beleg {
namespace {

using store_test::TemporaryFolder;

/// Bytes that no other payload has anywhere.
std::vector<std::byte> payload_of(int number, std::size_t size) {
  std::vector<std::byte> bytes;
  for (int block = 0; bytes.size() < size; ++block) {
    for (const std::uint8_t byte :
         sha256(std::to_string(number) + "/" + std::to_string(block)).bytes) {
      if (bytes.size() < size) bytes.push_back(static_cast<std::byte>(byte));
    }
  }
  return bytes;
}

Sha256 key_of(int number) { return sha256("key " + std::to_string(number)); }

std::string file_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class PackRewriteTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto pack = MUST(EmbeddingPack::open_writer(file_));
    for (int i = 0; i < kRecords; ++i) {
      MUST(pack->append(key_of(i), payload_of(i, 100 + static_cast<std::size_t>(i) * 300)));
    }
    MUST(pack->sync());
  }
  static constexpr int kRecords = 9;
  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_.path() / "embeddings.pack";
};

TEST_F(PackRewriteTest, KeptRecordsStayWhereTheyWereAndTheOthersLeaveNothing) {
  const auto before = MUST(EmbeddingPack::open_reader(file_));
  const std::set<Sha256> kept = {key_of(0), key_of(4), key_of(5), key_of(7)};
  const PackRewrite rewrite =
      MUST(rewrite_pack(file_, [&](const Sha256& key) { return kept.contains(key); }));
  EXPECT_EQ(rewrite.kept, 4U);
  EXPECT_EQ(rewrite.dropped, 5U);

  const auto after = MUST(EmbeddingPack::open_reader(file_));
  EXPECT_EQ(after->size(), 4U);
  EXPECT_EQ(after->unreadable_bytes(), 0U);
  EXPECT_TRUE(MUST(after->damaged()).empty());
  const std::string bytes = file_bytes(file_);
  const std::string directory = file_bytes(folder_.path() / "embeddings.idx");
  for (int i = 0; i < kRecords; ++i) {
    const auto where = after->find(key_of(i));
    ASSERT_EQ(where.has_value(), kept.contains(key_of(i))) << i;
    const auto expected = payload_of(i, 100 + static_cast<std::size_t>(i) * 300);
    const Sha256 digest = key_of(i);
    const std::string key(digest.bytes.begin(), digest.bytes.end());
    EXPECT_EQ(bytes.find(key) != std::string::npos, where.has_value()) << i;
    EXPECT_EQ(directory.find(key) != std::string::npos, where.has_value()) << i;
    if (!where) {
      const std::string payload(reinterpret_cast<const char*>(expected.data()), 64);
      EXPECT_EQ(bytes.find(payload), std::string::npos) << i;
      continue;
    }
    EXPECT_EQ(where->offset, before->find(key_of(i))->offset) << i;
    EXPECT_TRUE(std::ranges::equal(MUST(after->payload(*where)), expected)) << i;
  }
  // Who mapped the old file has all of it.
  EXPECT_TRUE(before->payload(*before->find(key_of(3))).has_value());
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "embeddings.new.pack"));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "embeddings.new.idx"));
}

TEST_F(PackRewriteTest, TheNewPackIsAppendedToAndRewrittenAgain) {
  MUST(rewrite_pack(file_, [](const Sha256& key) { return key == key_of(8); }));
  {
    const auto pack = MUST(EmbeddingPack::open_writer(file_));
    MUST(pack->append(key_of(1), payload_of(1, 77)));
    MUST(pack->sync());
  }
  const PackRewrite again = MUST(rewrite_pack(file_, [](const Sha256&) { return true; }));
  EXPECT_EQ(again.kept, 2U);
  EXPECT_EQ(again.dropped, 0U);
  const auto pack = MUST(EmbeddingPack::open_reader(file_));
  EXPECT_TRUE(std::ranges::equal(MUST(pack->payload(*pack->find(key_of(1)))), payload_of(1, 77)));
  EXPECT_EQ(pack->size(), 2U);
}

TEST_F(PackRewriteTest, ADamagedRecordThatIsToBeKeptEndsItWithoutAChange) {
  const auto where = MUST(EmbeddingPack::open_reader(file_))->find(key_of(4));
  {
    std::fstream file(file_, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(where->offset));
    file.put('\x55');
  }
  const std::string bytes = file_bytes(file_);
  const auto refused = rewrite_pack(file_, [](const Sha256&) { return true; });
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(file_bytes(file_), bytes);
  // One that goes anyway may be damaged.
  EXPECT_TRUE(rewrite_pack(file_, [](const Sha256& key) { return key != key_of(4); }));
}

TEST_F(PackRewriteTest, AnEmptyPackAndAMissingOne) {
  MUST(rewrite_pack(file_, [](const Sha256&) { return false; }));
  EXPECT_EQ(MUST(EmbeddingPack::open_reader(file_))->size(), 0U);
  EXPECT_EQ(std::filesystem::file_size(file_), 64U);
  const PackRewrite none =
      MUST(rewrite_pack(folder_.path() / "none.pack", [](const Sha256&) { return true; }));
  EXPECT_EQ(none.kept + none.dropped, 0U);
}

}  // namespace
}  // namespace beleg

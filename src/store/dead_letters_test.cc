#include "store/dead_letters.h"

#include <gtest/gtest.h>

#include "store/ingest_job.h"
#include "store/store_schema.h"
#include "store/store_test_support.h"

namespace beleg {
namespace {

using store_test::TemporaryFolder;

DeadLetter letter(std::uint64_t record, std::string id, std::string reason) {
  return {.record = record,
          .external_id = std::move(id),
          .code = "corrupt",
          .reason = std::move(reason),
          .remedy = "repair"};
}

class DeadLettersTest : public ::testing::Test {
 protected:
  void SetUp() override {
    MUST(create_truth(folder_.path() / "truth.db"));
    database_ = MUST(open_truth(folder_.path() / "truth.db"));
  }
  void note(UnixSeconds now, std::vector<DeadLetter> letters) {
    MUST(note_failures(*database_, Generation{7}, now, {"q", "/q", "/q/\xFF", std::move(letters)}));
  }

  TemporaryFolder folder_;
  std::unique_ptr<SqliteDatabase> database_;
};

TEST_F(DeadLettersTest, MetAgainByRecordOrById) {
  note(100, {letter(2, "", "erst"), letter(5, "x", "fünf")});
  // A record was put before the one with the known id; line 5 is another failure now.
  note(200, {letter(2, "", "wieder"), letter(5, "", "neu"), letter(6, "x", "verschoben")});
  const auto letters = MUST(read_dead_letters(*database_));
  ASSERT_EQ(letters.size(), 3U);
  EXPECT_EQ(letters[0].path, "/q/\xFF");
  EXPECT_EQ(letters[0].reason, "wieder");
  EXPECT_EQ(letters[0].attempts, 2U);
  EXPECT_EQ(letters[0].first_at, 100);
  EXPECT_EQ(letters[0].last_at, 200);
  EXPECT_EQ(letters[2].record, 6U);
  EXPECT_EQ(letters[2].external_id, "x");
  EXPECT_EQ(letters[2].attempts, 2U);
  EXPECT_EQ(letters[1].attempts, 1U);
}

TEST_F(DeadLettersTest, WhatIsNotMetStaysUntilItIsDropped) {
  note(100, {letter(1, "", "eins"), letter(2, "", "zwei")});
  note(200, {letter(2, "", "zwei")});
  const auto letters = MUST(read_dead_letters(*database_));
  ASSERT_EQ(letters.size(), 2U);
  EXPECT_EQ(letters[0].attempts, 1U);
  EXPECT_EQ(MUST(drop_letters(*database_, {letters[0].id, 12345})), 1U);
  EXPECT_EQ(MUST(read_dead_letters(*database_)).size(), 1U);
}

}  // namespace
}  // namespace beleg

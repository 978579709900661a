#include "store/sqlite_database.h"

#include <gtest/gtest.h>

#include "store/store_test_support.h"

namespace beleg {
namespace {

using store_test::TemporaryFolder;

class SqliteDatabaseTest : public testing::Test {
 protected:
  void SetUp() override {
    database_ = MUST(SqliteDatabase::open(folder_.path() / "x.db", SqliteDatabase::Mode::kCreate));
    MUST(database_->execute(
        "PRAGMA journal_mode = WAL; CREATE TABLE t(id INTEGER PRIMARY KEY, text TEXT, hash BLOB)"
        " STRICT; CREATE TABLE child(t INTEGER REFERENCES t(id)) STRICT"));
  }

  Result<void> insert(std::int64_t id) {
    auto statement = TRY(database_->prepare("INSERT INTO t(id) VALUES(?1)"));
    statement.bind(id);
    return statement.run();
  }

  TemporaryFolder folder_;
  std::unique_ptr<SqliteDatabase> database_;
};

TEST_F(SqliteDatabaseTest, ValuesComeBackByType) {
  auto add = MUST(database_->prepare("INSERT INTO t(id, text, hash) VALUES(?1, ?2, ?3)"));
  const Sha256 hash = sha256("x");
  add.bind(std::int64_t{-9'000'000'000}, std::string_view("a\0ü", 4), hash);
  MUST(add.run());
  add.bind(1, std::string_view(), std::optional<std::int64_t>());
  MUST(add.run());
  auto row = MUST(database_->prepare("SELECT id, text, hash FROM t ORDER BY id"));
  ASSERT_TRUE(MUST(row.step()));
  EXPECT_EQ(row.integer(0), -9'000'000'000);
  EXPECT_EQ(row.text(1), std::string_view("a\0ü", 4));
  EXPECT_EQ(MUST(row.sha256(2)), hash);
  ASSERT_TRUE(MUST(row.step()));
  EXPECT_FALSE(row.is_null(1));  // An empty text is a text.
  EXPECT_TRUE(row.is_null(2));
  EXPECT_EQ(row.sha256(2).error().code, ErrorCode::kCorrupt);
  EXPECT_FALSE(MUST(row.step()));
}

TEST_F(SqliteDatabaseTest, StatementsNestAndAreReused) {
  for (int i = 0; i < 3; ++i) MUST(insert(i));
  constexpr std::string_view kSql = "SELECT id FROM t ORDER BY id";
  auto outer = MUST(database_->prepare(kSql));
  int pairs = 0;
  while (MUST(outer.step())) {
    auto inner = MUST(database_->prepare(kSql));
    while (MUST(inner.step())) ++pairs;
  }
  EXPECT_EQ(pairs, 9);
}

TEST_F(SqliteDatabaseTest, TransactionsEndWithTheirScope) {
  {
    auto transaction = MUST(SqliteTransaction::begin_write(*database_, Durability::kRelaxed));
    MUST(insert(1));
    EXPECT_FALSE(SqliteTransaction::begin_write(*database_, Durability::kFull));
    EXPECT_TRUE(database_->in_transaction());
  }
  EXPECT_FALSE(database_->in_transaction());
  EXPECT_EQ(MUST(database_->query_integer("SELECT count(*) FROM t")), 0);
  {
    auto transaction = MUST(SqliteTransaction::begin_write(*database_, Durability::kFull));
    MUST(insert(1));
    MUST(transaction.commit());
  }
  EXPECT_EQ(MUST(database_->query_integer("SELECT count(*) FROM t")), 1);
  {
    const auto outer = MUST(SqliteTransaction::begin_read(*database_));
    {
      const auto inner = MUST(SqliteTransaction::begin_read(*database_));
    }
    EXPECT_TRUE(database_->in_transaction());  // The inner one joined.
  }
  EXPECT_FALSE(database_->in_transaction());
}

TEST_F(SqliteDatabaseTest, ErrorsHaveAKindAndAMessage) {
  MUST(insert(1));
  const auto twice = insert(1);
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().code, ErrorCode::kInternal);
  EXPECT_NE(twice.error().message.find("UNIQUE"), std::string::npos) << twice.error().message;
  EXPECT_NE(twice.error().message.find("x.db"), std::string::npos);
  EXPECT_FALSE(database_->execute("INSERT INTO child VALUES(5)"));  // Foreign keys are on.
  EXPECT_FALSE(database_->prepare("SELECT nothing FROM nowhere"));
  EXPECT_EQ(MUST(database_->query_integer("PRAGMA synchronous")), 2);
  EXPECT_EQ(
      SqliteDatabase::open(folder_.path() / "none.db", SqliteDatabase::Mode::kOpen).error().code,
      ErrorCode::kNotFound);
  EXPECT_FALSE(SqliteDatabase::open(folder_.path() / "no" / "x.db", SqliteDatabase::Mode::kCreate));
}

TEST_F(SqliteDatabaseTest, DurabilityIsThatOfTheTransaction) {
  {
    auto relaxed = MUST(SqliteTransaction::begin_write(*database_, Durability::kRelaxed));
    EXPECT_EQ(MUST(database_->query_integer("PRAGMA synchronous")), 1);
  }
  auto full = MUST(SqliteTransaction::begin_write(*database_, Durability::kFull));
  EXPECT_EQ(MUST(database_->query_integer("PRAGMA synchronous")), 2);
}

TEST_F(SqliteDatabaseTest, ReadersAreNotStoppedByAWriter) {
  auto transaction = MUST(SqliteTransaction::begin_write(*database_, Durability::kFull));
  MUST(insert(1));
  const auto other =
      MUST(SqliteDatabase::open(folder_.path() / "x.db", SqliteDatabase::Mode::kOpen));
  EXPECT_EQ(MUST(other->query_integer("SELECT count(*) FROM t")), 0);
  MUST(transaction.commit());
  EXPECT_EQ(MUST(other->query_integer("SELECT count(*) FROM t")), 1);
}

}  // namespace
}  // namespace beleg

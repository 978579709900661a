#include "store/truth_migration.h"

#include <grp.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <optional>

#include "store/corpus_store.h"
#include "store/ingest_job.h"
#include "store/sqlite_database.h"
#include "store/store_schema.h"
#include "store/store_test_support.h"

namespace beleg {
namespace {

using store_test::in_child;
using store_test::make_sample;
using store_test::stage;
using store_test::TemporaryFolder;

/// The schema of format 1 as it was released. Never to be changed: it is what old files have.
constexpr const char* kReleasedFormatOne = R"sql(
CREATE TABLE generation(
  number INTEGER PRIMARY KEY CHECK(number >= 0),
  parent INTEGER REFERENCES generation(number) CHECK(parent < number),
  created_at INTEGER NOT NULL,
  state TEXT NOT NULL CHECK(state IN ('building', 'committed', 'rolled_back')),
  stats TEXT NOT NULL
) STRICT;

CREATE TABLE corpus(
  id INTEGER PRIMARY KEY CHECK(id = 1),
  current_generation INTEGER NOT NULL REFERENCES generation(number),
  next_generation INTEGER NOT NULL CHECK(next_generation > current_generation)
) STRICT;

CREATE TABLE document(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  source TEXT NOT NULL,
  external_id TEXT NOT NULL,
  from_generation INTEGER NOT NULL REFERENCES generation(number),
  UNIQUE(source, external_id)
) STRICT;
CREATE INDEX document_from ON document(from_generation);

CREATE TABLE version(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  document INTEGER NOT NULL REFERENCES document(id),
  from_generation INTEGER NOT NULL REFERENCES generation(number),
  to_generation INTEGER REFERENCES generation(number) CHECK(to_generation > from_generation),
  content_hash BLOB NOT NULL CHECK(length(content_hash) = 32),
  origin TEXT NOT NULL,
  story TEXT NOT NULL,
  published INTEGER,
  language TEXT NOT NULL,
  UNIQUE(document, from_generation)
) STRICT;
CREATE UNIQUE INDEX version_head ON version(document) WHERE to_generation IS NULL;
CREATE INDEX version_from ON version(from_generation);
CREATE INDEX version_to ON version(to_generation) WHERE to_generation IS NOT NULL;
CREATE INDEX version_story ON version(story);

CREATE TABLE content(
  version INTEGER PRIMARY KEY REFERENCES version(id),
  meta TEXT NOT NULL,
  encoding TEXT NOT NULL,
  replacements INTEGER NOT NULL CHECK(replacements BETWEEN 0 AND 4294967295),
  warnings TEXT NOT NULL,
  blocks TEXT NOT NULL,
  text TEXT NOT NULL
) STRICT;

CREATE TABLE passage(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  version INTEGER NOT NULL REFERENCES version(id),
  ordinal INTEGER NOT NULL CHECK(ordinal BETWEEN 0 AND 4294967295),
  start_code_point INTEGER NOT NULL CHECK(start_code_point >= 0),
  end_code_point INTEGER NOT NULL CHECK(end_code_point BETWEEN start_code_point AND 4294967295),
  start_byte INTEGER NOT NULL CHECK(start_byte >= 0),
  end_byte INTEGER NOT NULL CHECK(end_byte BETWEEN start_byte AND 4294967295),
  page INTEGER NOT NULL CHECK(page BETWEEN 0 AND 4294967295),
  heading_path TEXT NOT NULL,
  embedding_key BLOB NOT NULL CHECK(length(embedding_key) = 32),
  UNIQUE(version, ordinal)
) STRICT;

CREATE TABLE receipt(
  sha256 TEXT NOT NULL PRIMARY KEY CHECK(length(sha256) = 64),
  created_at INTEGER NOT NULL,
  json TEXT NOT NULL
) STRICT;

CREATE TABLE trace(
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  json TEXT NOT NULL
) STRICT;

CREATE TABLE failure(
  sequence INTEGER PRIMARY KEY,
  origin TEXT NOT NULL,
  reason TEXT NOT NULL
) STRICT;
)sql";

std::string text_of(SqliteDatabase& database, std::string_view sql) {
  auto row = MUST(database.prepare(sql));
  std::string lines;
  while (MUST(row.step())) lines += std::string(row.text(0)) + "\n";
  return lines;
}

std::unique_ptr<SqliteDatabase> open_raw(const std::filesystem::path& folder) {
  return MUST(SqliteDatabase::open(folder / "truth.db", SqliteDatabase::Mode::kOpen));
}

/// A corpus of format 1 with one document, of which the text is "Ein Satz.", in generation 1.
void make_format_one(const std::filesystem::path& folder) {
  const store_test::Sample sample = make_sample("Ein Satz.");
  const auto database =
      MUST(SqliteDatabase::open(folder / "truth.db", SqliteDatabase::Mode::kCreate));
  MUST(database->execute("PRAGMA page_size = 8192; PRAGMA journal_mode = WAL;"));
  MUST(database->execute(kReleasedFormatOne));
  MUST(
      database->execute("INSERT INTO generation VALUES(0, NULL, 1700000000, 'committed', '{}'),"
                        " (1, 0, 1700000100, 'committed', '{\"added\":1}');"
                        "INSERT INTO corpus VALUES(1, 1, 2);"
                        "INSERT INTO document VALUES(1, 'quelle', 'a', 1);"
                        "INSERT INTO failure VALUES(1, '/archiv/b', 'unlesbar');"
                        "PRAGMA application_id = 1111837767; PRAGMA user_version = 1;"));
  {
    auto add = MUST(database->prepare(
        "INSERT INTO version VALUES(1, 1, 1, NULL, ?1, '/archiv/a', 'a', NULL, ?2)"));
    const Sha256 hash = content_hash(sample.content);  // Bound by reference.
    add.bind(hash, sample.content.meta.language);
    MUST(add.run());
  }
  {
    auto add =
        MUST(database->prepare("INSERT INTO content VALUES(1, ?1, 'UTF-8', 0, '[]', ?2, ?3)"));
    const std::string meta = metadata_to_json(sample.content.meta);
    const std::string blocks = blocks_to_json(sample.content.blocks);
    add.bind(meta, blocks, sample.content.text);
    MUST(add.run());
  }
  auto add = MUST(database->prepare(
      "INSERT INTO passage VALUES(1, 1, 0, 0, 9, 0, 9, 0, '[\"Kapitel 0\"]', ?1)"));
  add.bind(sample.keys[0]);
  MUST(add.run());
}

TEST(TruthMigrationTest, AFileOfFormatOneIsBroughtUpToDate) {
  const TemporaryFolder folder;
  make_format_one(folder.path());
  const auto store = MUST(CorpusStore::open(folder.path()));
  EXPECT_EQ(MUST(open_raw(folder.path())->query_integer("PRAGMA user_version")), 2);
  EXPECT_EQ(MUST(store->current()).number, Generation{1});
  EXPECT_EQ(MUST(store->current()).created_at, 1'700'000'100);
  ASSERT_EQ(MUST(store->heads(Generation{1})).size(), 1U);
  EXPECT_EQ(MUST(store->version(VersionId{1})).content.text, "Ein Satz.");
  EXPECT_TRUE(MUST(store->check_integrity(Generation{1})).empty());
  EXPECT_FALSE(MUST(store->lexicon(Generation{1})));
  EXPECT_FALSE(MUST(store->jobs().unfinished()));
  EXPECT_TRUE(MUST(store->dead_letters()).empty());

  const Generation next = MUST(store->begin());
  MUST(stage(*store, "b", "Noch ein Satz."));
  MUST(store->put_lexicon("Worte"));
  MUST(store->commit("{}"));
  EXPECT_EQ(MUST(store->lexicon(next))->second, "Worte");
}

TEST(TruthMigrationTest, ANewFileIsTheSameAsOneBroughtUpToDate) {
  const TemporaryFolder old_folder;
  const TemporaryFolder new_folder;
  make_format_one(old_folder.path());
  MUST(CorpusStore::open(old_folder.path()));
  MUST(CorpusStore::open_or_create(new_folder.path()));
  constexpr std::string_view kSchema =
      "SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_schema ORDER BY 1";
  const std::string migrated = text_of(*open_raw(old_folder.path()), kSchema);
  EXPECT_EQ(migrated, text_of(*open_raw(new_folder.path()), kSchema));
  for (const char* table : {"lexicon", "ingest_job", "ingest_job_file", "dead_letter"}) {
    EXPECT_NE(migrated.find(std::string("CREATE TABLE ") + table + "("), std::string::npos)
        << table;
  }
  EXPECT_EQ(migrated.find("failure"), std::string::npos);
}

TEST(TruthMigrationTest, AStepThatFailsLeavesTheOldFormat) {
  const TemporaryFolder folder;
  make_format_one(folder.path());
  // A table of the same name, as if someone had made it by hand: the step cannot run to its end.
  MUST(open_raw(folder.path())->execute("CREATE TABLE lexicon(x)"));
  const auto opened = CorpusStore::open(folder.path());
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message.find("from format 1 to format 2"), std::string::npos);
  const auto raw = open_raw(folder.path());
  EXPECT_EQ(MUST(raw->query_integer("PRAGMA user_version")), 1);
  EXPECT_EQ(MUST(raw->query_integer("SELECT count(*) FROM sqlite_schema WHERE name = 'tag'")), 0);
}

TEST(TruthMigrationTest, WhoMayOnlyReadReadsFormatOneAsItIs) {
  const TemporaryFolder folder;
  make_format_one(folder.path());
  std::filesystem::permissions(folder.path() / "truth.db", std::filesystem::perms{0444});
  std::filesystem::permissions(folder.path(), std::filesystem::perms{0555});
  constexpr int kCannotDropRights = 99;
  const int status = in_child([&] {
    constexpr uid_t kNobody = 65534;
    if (::geteuid() == 0 &&
        (::setgroups(0, nullptr) != 0 || ::setresgid(kNobody, kNobody, kNobody) != 0 ||
         ::setresuid(kNobody, kNobody, kNobody) != 0)) {
      return kCannotDropRights;
    }
    const auto store = CorpusStore::open(folder.path());
    if (!store) {
      std::fprintf(stderr, "%s\n", store.error().to_line().c_str());
      return 1;
    }
    const auto heads = (*store)->heads(Generation{1});
    const auto lexicon = (*store)->lexicon(Generation{1});
    const auto findings = (*store)->check_integrity(Generation{1});
    if (!heads || heads->size() != 1) return 2;
    if (!lexicon || *lexicon) return 3;
    if (!findings || !findings->empty()) return 4;
    const auto letters = (*store)->dead_letters();
    const auto job = (*store)->jobs().unfinished();
    if (!letters || !letters->empty() || !job || *job) return 6;
    const auto begun = (*store)->begin();
    return begun || begun.error().code != ErrorCode::kPermission ? 5 : 0;
  });
  std::filesystem::permissions(folder.path(), std::filesystem::perms{0755});
  ASSERT_TRUE(WIFEXITED(status)) << status;
  if (WEXITSTATUS(status) == kCannotDropRights) GTEST_SKIP() << "rights cannot be given up here";
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(MUST(open_raw(folder.path())->query_integer("PRAGMA user_version")), 1);
}

class LexiconTest : public testing::Test {
 protected:
  void SetUp() override { store_ = MUST(CorpusStore::open_or_create(folder_.path())); }

  Generation ingest(std::string_view id, std::optional<std::string> lexicon) {
    MUST(store_->begin());
    MUST(stage(*store_, id, "Text"));
    if (lexicon) MUST(store_->put_lexicon(*lexicon));
    return MUST(store_->commit("{}")).number;
  }

  TemporaryFolder folder_;
  std::unique_ptr<CorpusStore> store_;
};

TEST_F(LexiconTest, AGenerationHasTheNewestUpToIt) {
  const Generation first = ingest("a", std::nullopt);
  const Generation second = ingest("b", std::string("zwei\0Teile", 10));
  const Generation third = ingest("c", std::nullopt);
  const Generation fourth = ingest("d", "");
  EXPECT_FALSE(MUST(store_->lexicon(first)));
  using Found = std::pair<Generation, std::string>;
  EXPECT_EQ(MUST(store_->lexicon(second)), Found(second, std::string("zwei\0Teile", 10)));
  EXPECT_EQ(MUST(store_->lexicon(third)), Found(second, std::string("zwei\0Teile", 10)));
  EXPECT_EQ(MUST(store_->lexicon(fourth)), Found(fourth, ""));
  EXPECT_EQ(store_->lexicon(Generation{77}).error().code, ErrorCode::kNotFound);
}

TEST_F(LexiconTest, OfAGenerationBeingBuiltOnlyItsBuilderSeesIt) {
  const Generation first = ingest("a", "alt");
  const Generation next = MUST(store_->begin());
  MUST(store_->put_lexicon("wird ersetzt"));
  MUST(store_->put_lexicon("neu"));
  EXPECT_EQ(MUST(store_->lexicon(next))->second, "neu");
  const auto reader = MUST(CorpusStore::open(folder_.path()));
  EXPECT_EQ(MUST(reader->lexicon(first))->second, "alt");
  MUST(store_->abandon());
  EXPECT_EQ(MUST(store_->lexicon(first))->second, "alt");
  EXPECT_EQ(MUST(open_raw(folder_.path())->query_integer("SELECT count(*) FROM lexicon")), 1);
}

TEST_F(LexiconTest, ItGoesWithItsGeneration) {
  ingest("a", "alt");
  ingest("b", "neu");
  MUST(store_->rollback());
  EXPECT_EQ(MUST(store_->lexicon(Generation{1}))->second, "alt");
  EXPECT_EQ(MUST(open_raw(folder_.path())->query_integer("SELECT count(*) FROM lexicon")), 1);
  EXPECT_EQ(store_->put_lexicon("x").error().code, ErrorCode::kInternal);
}

}  // namespace
}  // namespace beleg

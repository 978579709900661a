#include "store/truth_audit.h"

#include <gtest/gtest.h>

#include <fstream>

#include "store/store_schema.h"
#include "store/store_test_support.h"

namespace beleg {
namespace {

using store_test::stage;
using store_test::TemporaryFolder;

class TruthAuditTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto store = MUST(CorpusStore::open_or_create(folder_.path()));
    MUST(store->begin());
    for (int i = 0; i < 3; ++i) {
      MUST(stage(*store, "d" + std::to_string(i),
                 "Äpfel, Birnen und Öl: viele Wörter, Teil " + std::to_string(i)));
    }
    generation_ = MUST(store->commit("{}")).number;
  }

  /// Changes the file behind the store's back, then audits it.
  std::vector<std::string> audit_after(const std::string& sql) {
    {
      const auto raw = MUST(open_truth(truth()));
      MUST(raw->execute("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON;"));
      MUST(raw->execute(sql.c_str()));
    }
    const auto store = MUST(CorpusStore::open(folder_.path()));
    return MUST(store->check_integrity(generation_));
  }

  [[nodiscard]] std::filesystem::path truth() const { return folder_.path() / "truth.db"; }

  TemporaryFolder folder_;
  Generation generation_{};
};

TEST_F(TruthAuditTest, AGoodCorpusHasNoFindings) { EXPECT_TRUE(audit_after("SELECT 1").empty()); }

struct Damage {
  const char* sql;
  const char* finding;  ///< Must occur in one of the lines.
};

class TruthDamageTest : public TruthAuditTest, public testing::WithParamInterface<Damage> {};

TEST_P(TruthDamageTest, IsFound) {
  const std::vector<std::string> findings = audit_after(GetParam().sql);
  ASSERT_FALSE(findings.empty());
  const bool named = std::ranges::any_of(findings, [](const std::string& line) {
    return line.find(GetParam().finding) != std::string::npos;
  });
  EXPECT_TRUE(named) << findings.front();
}

INSTANTIATE_TEST_SUITE_P(
    Each, TruthDamageTest,
    testing::Values(
        Damage{"UPDATE content SET text = text || '.' WHERE version = 2", "version 2: the content"},
        Damage{"UPDATE content SET meta = replace(meta, 'und', 'de') WHERE version = 1",
               "version 1: the content"},
        Damage{"UPDATE content SET meta = '{' WHERE version = 1", "version 1"},
        Damage{"INSERT INTO generation VALUES(5, 1, 0, 'rolled_back', '{}');"
               "INSERT INTO tag VALUES('druck', 5, 0)",
               "tag names a generation that cannot be read: generation 5"},
        Damage{"INSERT INTO generation VALUES(-1, NULL, 0, 'rolled_back', '{}');"
               "INSERT INTO lexicon VALUES(-1, x'00')",
               "lexicon belongs to a generation that cannot be read: generation -1"},
        Damage{"UPDATE version SET from_generation = 0 WHERE id = 2;"
               "UPDATE generation SET state = 'building' WHERE number = 0",
               "never committed: version 2"},
        Damage{"UPDATE version SET to_generation = 1, from_generation = 0 WHERE id = 2;"
               "INSERT INTO purge VALUES(1, 0, 1, 3, 'done', 0, 0)",
               "purge left a row: version 2"},
        Damage{"INSERT INTO purge VALUES(1, 0, 1, 3, 'begun', 0, 0)", "purge was cut short"},
        Damage{"UPDATE content SET warnings = '{}' WHERE version = 3", "version 3"},
        Damage{"UPDATE content SET blocks = '[7]' WHERE version = 3", "version 3"},
        Damage{"UPDATE content SET text = CAST(x'C328' AS TEXT) WHERE version = 2",
               "not valid UTF-8"},
        Damage{"UPDATE content SET text = 'kurz' WHERE version = 2", "reaches beyond its text"},
        Damage{"UPDATE version SET content_hash = zeroblob(32) WHERE id = 3",
               "version 3: the content"},
        Damage{"UPDATE version SET content_hash = x'00' WHERE id = 3", "content_hash has 1 bytes"},
        Damage{"UPDATE passage SET start_byte = start_byte + 1 WHERE id = 2",
               "passage 2 has bytes"},
        Damage{"UPDATE passage SET end_code_point = end_code_point - 1 WHERE id = 1",
               "passage 1 has bytes"},
        Damage{"UPDATE passage SET end_code_point = 100000 WHERE id = 3",
               "passage 3 reaches beyond"},
        Damage{"UPDATE passage SET start_code_point = -1 WHERE id = 3", "CHECK constraint failed"},
        Damage{"UPDATE passage SET ordinal = 7 WHERE version = 1 AND ordinal = 2",
               "does not follow"},
        Damage{"DELETE FROM passage WHERE version = 2 AND ordinal = 0", "does not follow"},
        Damage{"UPDATE passage SET heading_path = 'x' WHERE id = 4", "not a JSON array"},
        Damage{"UPDATE passage SET id = 99 WHERE id = 1", "older than one of an earlier version"},
        Damage{"DELETE FROM content WHERE version = 2", "version 2: its content is missing"},
        Damage{"DELETE FROM document WHERE id = 2", "missing row of document"},
        Damage{"UPDATE passage SET version = 77 WHERE version = 3", "missing row of version"},
        Damage{"INSERT INTO version SELECT 50, document, 0, NULL, content_hash, origin, story,"
               " published, language FROM version WHERE id = 1 AND 0;"
               "DROP INDEX version_head; CREATE INDEX version_head ON version(document)"
               " WHERE to_generation IS NULL;"
               "INSERT INTO version SELECT 50, document, 0, NULL, content_hash, origin, story,"
               " published, language FROM version WHERE id = 1",
               "document 1 has 2 visible versions"}));

TEST_F(TruthAuditTest, NoFindingHidesAnother) {
  const std::vector<std::string> findings = audit_after(
      "UPDATE content SET meta = '{', blocks = '[7]', warnings = '{}' WHERE version = 1;"
      "UPDATE passage SET heading_path = 'x' WHERE id IN (1, 2, 4);"
      "UPDATE passage SET end_code_point = 100000 WHERE id = 3;"
      "UPDATE content SET text = CAST(x'C328' AS TEXT), blocks = '{}' WHERE version = 2;"
      "UPDATE content SET blocks = '[7]' WHERE version = 3");
  for (const char* part :
       {"version 1: metadata: ", "version 1: warnings: ", "version 1: blocks: ",
        "version 1: passage 1: heading path: ", "version 1: passage 2: heading path: ",
        "version 1: passage 3 reaches beyond its text", "version 2: the text is not valid UTF-8",
        "version 2: blocks: ", "version 2: passage 4: heading path: ", "version 3: blocks: "}) {
    EXPECT_EQ(std::ranges::count_if(
                  findings, [&](const std::string& line) { return line.starts_with(part); }),
              1)
        << part;
  }
}

TEST_F(TruthAuditTest, VersionsOfEarlierGenerationsAreChecked) {
  {
    const auto store = MUST(CorpusStore::open(folder_.path()));
    MUST(store->begin());
    MUST(stage(*store, "d1", "Ein neuer Text über Äpfel und Birnen, der den alten ablöst."));
    generation_ = MUST(store->commit("{}")).number;
  }
  const std::vector<std::string> findings =
      audit_after("UPDATE content SET blocks = '[7]' WHERE version = 2");
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_TRUE(findings.front().starts_with("version 2: blocks: ")) << findings.front();
}

TEST_F(TruthAuditTest, OrphansAreCounted) {
  audit_after(
      "DELETE FROM version WHERE id = 1;"
      "INSERT INTO document(source, external_id, from_generation) VALUES('q', 'nie', 1)");
  const auto store = MUST(CorpusStore::open(folder_.path()));
  // Of version 1: three passages and a content; document 1 and the one never used.
  EXPECT_EQ(MUST(store->counts(generation_)).orphans, 3 + 1 + 2);
  EXPECT_EQ(MUST(store->counts(generation_)).documents, 2);
}

TEST_F(TruthAuditTest, ATextThatLostItsHashIsNotGivenOut) {
  audit_after("UPDATE content SET text = replace(text, 'e', 'f') WHERE version = 2");
  const auto store = MUST(CorpusStore::open(folder_.path()));
  EXPECT_TRUE(store->version(VersionId{1}));
  const auto damaged = store->version(VersionId{2});
  ASSERT_FALSE(damaged);
  EXPECT_EQ(damaged.error().code, ErrorCode::kCorrupt);
  EXPECT_FALSE(damaged.error().remedy.empty());
}

TEST_F(TruthAuditTest, WhatAKilledRemovalLeftIsNoOrphan) {
  // The versions of an unfinished generation go first, their documents in a later step.
  audit_after(
      "INSERT INTO generation(number, parent, created_at, state, stats)"
      " VALUES(2, 1, 0, 'building', '{}');"
      "INSERT INTO document(source, external_id, from_generation) VALUES('q', 'rest', 2)");
  const auto store = MUST(CorpusStore::open(folder_.path()));
  EXPECT_EQ(MUST(store->counts(generation_)).orphans, 0);
  MUST(store->begin());
  MUST(store->abandon());
  EXPECT_EQ(MUST(store->counts(generation_)).documents, 3);
}

TEST_F(TruthAuditTest, DamagedPagesAreFindingsNotCrashes) {
  const auto size = std::filesystem::file_size(truth());
  constexpr std::uint64_t kPage = 8192;
  ASSERT_EQ(size % kPage, 0U);
  int found = 0;
  for (std::uint64_t page = 1; page < size / kPage; ++page) {
    const TemporaryFolder copy;
    std::filesystem::copy_file(truth(), copy.path() / "truth.db");
    std::fstream file(copy.path() / "truth.db", std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(page * kPage));
    for (int i = 0; i < 200; ++i) file.put(static_cast<char>(0xA5));
    file.close();
    const auto store = CorpusStore::open(copy.path());
    if (!store) {
      EXPECT_EQ(store.error().code, ErrorCode::kCorrupt);
      ++found;
      continue;
    }
    const auto findings = (*store)->check_integrity(generation_);
    if (!findings) {
      EXPECT_EQ(findings.error().code, ErrorCode::kCorrupt) << findings.error().to_line();
      EXPECT_FALSE(findings.error().remedy.empty());
    }
    if (!findings || !findings->empty()) ++found;
  }
  // Every page of a small file is in use.
  EXPECT_EQ(found, static_cast<int>(size / kPage) - 1);
}

}  // namespace
}  // namespace beleg

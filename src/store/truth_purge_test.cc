#include "store/truth_purge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>

#include "store/ingest_job.h"
#include "store/store_test_support.h"
#include "store/truth_copy.h"

namespace beleg {
namespace {

using store_test::make_sample;
using store_test::Sample;
using store_test::stage;
using store_test::TemporaryFolder;

constexpr std::string_view kSecret =
    "Zeugin Ottilie Brandner wohnt in Wuppertal, Hofaue 12, und sah alles.";

class TruthPurgeTest : public testing::Test {
 protected:
  /// Generation 1: a, b, c. Generation 2: a changed, b removed. So three versions and one document
  /// are visible no more, or never were in the current generation.
  void SetUp() override {
    store_ = MUST(CorpusStore::open_or_create(folder_.path()));
    MUST(store_->begin());
    MUST(stage_titled("a", "Der erste Wortlaut war voreilig und falsch.", "Erste Fassung"));
    MUST(stage_titled("b", kSecret, "Akte Brandner"));
    MUST(stage_titled("c", "Das Wetter bleibt heiter und trocken.", "Wetterlage"));
    MUST(store_->put_lexicon("brandner hofaue wuppertal wetter"));
    MUST(store_->commit("{}"));
    MUST(store_->jobs().begin("{}", 1));
    MUST(stage_titled("a", "Der zweite Wortlaut ist abgewogen und richtig.", "Zweite Fassung"));
    for (const DocumentHead& head : MUST(store_->heads(Generation{1}))) {
      if (head.external_id == "b") MUST(store_->stage_removal(head.document));
    }
    MUST(store_->jobs().checkpoint(
        {.failures = {{"quelle", "/archiv", "/archiv/brandner.md", {{.reason = "unlesbar"}}}}}));
    MUST(store_->jobs().commit("{}", {}));
  }

  Result<VersionId> stage_titled(std::string_view id, std::string_view text,
                                 std::string_view title) {
    Sample sample = make_sample(text);
    sample.content.meta.title = title;
    return stage(*store_, id, sample);
  }

  std::string all_files() {
    std::string bytes;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      std::ifstream file(entry.path(), std::ios::binary);
      bytes.append(std::istreambuf_iterator<char>(file), {});
    }
    return bytes;
  }

  void purge() {
    const auto purge = MUST(TruthPurge::open(folder_.path()));
    MUST(purge->plan());
    MUST(purge->begin());
    MUST(purge->erase_rows());
    MUST(purge->compact());
    MUST(purge->finish());
  }

  void expect_second_generation(bool cut_short = false) {
    const auto store = MUST(CorpusStore::open(folder_.path()));
    EXPECT_EQ(MUST(store->current()).number, Generation{2});
    const auto heads = MUST(store->heads(Generation{2}));
    ASSERT_EQ(heads.size(), 2U);
    EXPECT_EQ(MUST(store->version(heads[0].version)).content.text,
              "Der zweite Wortlaut ist abgewogen und richtig.");
    const std::vector<std::string> findings = MUST(store->check_integrity(Generation{2}));
    EXPECT_EQ(findings.empty(), !cut_short);
    if (cut_short) {
      EXPECT_TRUE(std::ranges::any_of(findings, [](const std::string& finding) {
        return finding.starts_with("a purge was cut short");
      }));
    }
    EXPECT_EQ(MUST(store->counts(Generation{2})).orphans, 0);
  }

  TemporaryFolder folder_;
  std::unique_ptr<CorpusStore> store_;
};

TEST_F(TruthPurgeTest, ThePlanCountsAndChangesNothing) {
  const std::string before = all_files();
  const auto purge = MUST(TruthPurge::open_to_plan(folder_.path()));
  const PurgeScope scope = MUST(purge->plan());
  EXPECT_EQ(scope.generation, Generation{2});
  EXPECT_EQ(scope.documents, 1);
  EXPECT_EQ(scope.versions, 2);
  EXPECT_EQ(scope.failures, 1);
  EXPECT_FALSE(scope.resumes);
  EXPECT_EQ(MUST(store_->heads(Generation{1})).size(), 3U);
}

TEST_F(TruthPurgeTest, NoByteIsLeftAndWhatLivesStays) {
  ASSERT_NE(all_files().find("Hofaue 12"), std::string::npos);
  purge();
  const std::string bytes = all_files();
  for (const char* gone : {"Hofaue", "Brandner", "brandner", "voreilig", "Erste Fassung"}) {
    EXPECT_EQ(bytes.find(gone), std::string::npos) << gone;
  }
  EXPECT_NE(bytes.find("abgewogen"), std::string::npos);
  expect_second_generation();
  EXPECT_FALSE(MUST(store_->lexicon(Generation{2})));
  EXPECT_TRUE(MUST(store_->dead_letters()).empty());
}

TEST_F(TruthPurgeTest, AnUnfinishedIngestIsNotSwept) {
  MUST(store_->jobs().begin("{}", 2));
  MUST(stage_titled("d", "Halb fertig.", "Entwurf"));
  MUST(store_->jobs().checkpoint({.files_done = 1}));
  MUST(store_->jobs().suspend());
  const auto refused = TruthPurge::open(folder_.path());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kConflict);
  EXPECT_NE(refused.error().message.find("1 of 2 files"), std::string::npos);
  EXPECT_EQ(MUST(store_->jobs().unfinished())->files_done, 1U);
  MUST(store_->jobs().discard());
  purge();
  expect_second_generation();
}

TEST_F(TruthPurgeTest, GenerationsBeforeAreGoneAndSaySo) {
  purge();
  const auto log = MUST(store_->log());
  ASSERT_EQ(log.size(), 2U);
  EXPECT_FALSE(log[0].purged);
  EXPECT_TRUE(log[1].purged);
  const auto read = store_->heads(Generation{1});
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("was purged"), std::string::npos);
  const auto back = store_->rollback();
  ASSERT_FALSE(back);
  EXPECT_NE(back.error().message.find("was purged"), std::string::npos);
  EXPECT_FALSE(store_->put_tag("alt", Generation{1}));

  EXPECT_TRUE(MUST(store_->was_purged(VersionId{2})));
  EXPECT_FALSE(MUST(store_->was_purged(VersionId{3})));   // Lives.
  EXPECT_FALSE(MUST(store_->was_purged(VersionId{99})));  // Never was.
  EXPECT_FALSE(MUST(store_->was_purged(VersionId{-1})));

  MUST(store_->begin());
  MUST(stage(*store_, "d", "neu"));
  EXPECT_EQ(MUST(store_->commit("{}")).number, Generation{3});
  EXPECT_EQ(MUST(store_->rollback()).number, Generation{2});
}

TEST_F(TruthPurgeTest, RecordsThatQuoteWhatGoesAreErased) {
  const auto put = [&](const std::string& name, const std::string& json) {
    const std::string hash = sha256(name).hex();
    MUST(store_->put_receipt(hash, json));
    const std::string trace = R"({"receipt":)" + json + "}";
    MUST(store_->put_trace(name, trace));
    return hash;
  };
  const std::string living = put(
      "lebt", R"({"generation":2,"statements":[{"citations":[{"document":"c","title":"Wetterlage",)"
              R"("quote":"heiter"}]}]})");
  const std::string same_words =
      put("gleich",
          R"({"generation":1,"s":[{"document":"a","title":"Zweite Fassung","quote":"Der "}]})");
  const std::vector<std::string> dead = {
      put("text", R"({"generation":1,"answer":")" + std::string(kSecret) + "\"}"),
      put("kurz", R"({"generation":1,"c":[{"document":"a","quote":"falsch"}]})"),
      put("titel", R"({"generation":1,"evidence":[{"document":"a","title":"Erste Fassung"}]})"),
      put("id", R"({"generation":1,"evidence":[{"document":"b"}]})")};
  purge();
  EXPECT_TRUE(store_->receipt(living));
  EXPECT_TRUE(store_->receipt(same_words));
  EXPECT_TRUE(store_->trace("lebt"));
  for (const std::string& hash : dead) EXPECT_FALSE(store_->receipt(hash)) << hash;
  for (const char* name : {"text", "kurz", "titel", "id"}) EXPECT_FALSE(store_->trace(name));
}

TEST_F(TruthPurgeTest, AnAnswerFromAnErasedGenerationIsNotRecordedAfterwards) {
  purge();
  const auto receipt = store_->put_receipt(sha256("x").hex(), R"({"generation":1})");
  ASSERT_FALSE(receipt);
  EXPECT_EQ(receipt.error().code, ErrorCode::kConflict);
  EXPECT_FALSE(store_->put_trace("x", R"({"receipt":{"generation":1}})"));
  MUST(store_->put_receipt(sha256("y").hex(), R"({"generation":2})"));
  MUST(store_->put_trace("y", "no JSON at all"));
}

TEST_F(TruthPurgeTest, ATaggedGenerationIsNotErased) {
  MUST(store_->put_tag("druck", Generation{1}));
  const auto purge = MUST(TruthPurge::open(folder_.path()));
  MUST(purge->plan());
  const auto begun = purge->begin();
  ASSERT_FALSE(begun);
  EXPECT_EQ(begun.error().code, ErrorCode::kConflict);
  EXPECT_NE(begun.error().message.find("'druck'"), std::string::npos);
  EXPECT_EQ(MUST(store_->heads(Generation{1})).size(), 3U);
}

TEST_F(TruthPurgeTest, OneCutShortAnywhereIsFinishedByTheNext) {
  const std::vector<std::function<void(TruthPurge&)>> steps = {
      [](TruthPurge& p) { MUST(p.begin()); }, [](TruthPurge& p) { MUST(p.erase_rows()); },
      [](TruthPurge& p) { MUST(p.compact()); }};
  for (std::size_t done = 0; done <= steps.size(); ++done) {
    const auto purge_object = MUST(TruthPurge::open(folder_.path()));
    const PurgeScope scope = MUST(purge_object->plan());
    EXPECT_EQ(scope.resumes, done > 1);
    for (std::size_t step = 0; step < done; ++step) steps[step](*purge_object);
    expect_second_generation(done > 0);
    EXPECT_EQ(store_->heads(Generation{1}).has_value(), done == 0);
  }
  EXPECT_FALSE(MUST(store_->check_integrity(Generation{2})).empty());
  purge();
  expect_second_generation();
  EXPECT_TRUE(MUST(store_->check_integrity(Generation{2})).empty());
  EXPECT_EQ(all_files().find("Hofaue"), std::string::npos);
}

TEST_F(TruthPurgeTest, OneAtATimeAndNotDuringAnIngest) {
  MUST(store_->begin());
  const auto refused = TruthPurge::open(folder_.path());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kConflict);
}

TEST_F(TruthPurgeTest, ACopyHoldsTheCommittedGenerationOnly) {
  MUST(store_->begin());
  MUST(stage(*store_, "d", "noch nicht fertig"));
  MUST(stage(*store_, "a", "auch nicht"));
  MUST(store_->put_lexicon("unfertig"));
  const std::filesystem::path copy = folder_.path() / "kopie";
  std::filesystem::create_directories(copy);
  EXPECT_EQ(MUST(copy_truth(folder_.path(), copy / "truth.db")).number, Generation{2});
  EXPECT_FALSE(std::filesystem::exists(copy / "truth.db-wal"));
  MUST(adopt_truth(copy / "truth.db"));
  const auto copied = MUST(CorpusStore::open(copy));
  EXPECT_EQ(MUST(copied->heads(Generation{2})).size(), 2U);
  EXPECT_EQ(MUST(copied->heads(Generation{1})).size(), 3U);
  EXPECT_EQ(MUST(copied->lexicon(Generation{2}))->second, "brandner hofaue wuppertal wetter");
  EXPECT_TRUE(MUST(copied->check_integrity(Generation{2})).empty());
  EXPECT_EQ(MUST(copied->passage_fingerprint(Generation{2})),
            MUST(store_->passage_fingerprint(Generation{2})));
  // The source goes on as if nothing had been.
  EXPECT_EQ(MUST(store_->commit("{}")).number, Generation{3});
}

}  // namespace
}  // namespace beleg

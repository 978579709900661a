#include "store/ingest_job.h"

#include <gtest/gtest.h>

#include "store/store_test_support.h"

namespace beleg {
namespace {

using store_test::in_child;
using store_test::stage;
using store_test::TemporaryFolder;

JobCheckpoint checkpoint_of(std::string path, std::vector<std::string> staged, bool done) {
  JobCheckpoint checkpoint;
  checkpoint.files.push_back({.id = 1,
                              .root = 0,
                              .source = "quelle",
                              .path = std::move(path),
                              .sha256 = std::string(64, 'a'),
                              .record = staged.size(),
                              .done = done,
                              .progress = "{}"});
  for (std::string& id : staged) checkpoint.documents.push_back({1, std::move(id), true});
  checkpoint.files_done = done ? 1 : 0;
  return checkpoint;
}

class IngestJobTest : public ::testing::Test {
 protected:
  void SetUp() override {
    store_ = MUST(CorpusStore::open_or_create(folder_.path()));
    MUST(store_->begin());
    MUST(stage(*store_, "a", "alt"));
    first_ = MUST(store_->commit("{}")).number;
  }
  void reopen() {
    store_.reset();
    store_ = MUST(CorpusStore::open(folder_.path()));
  }
  std::int64_t visible(Generation generation) { return MUST(store_->counts(generation)).documents; }

  TemporaryFolder folder_;
  std::unique_ptr<CorpusStore> store_;
  Generation first_{};
};

TEST_F(IngestJobTest, WhatACheckpointWroteOutlivesTheProcess) {
  store_.reset();
  EXPECT_EQ(in_child([&] {
              auto store = MUST(CorpusStore::open(folder_.path()));
              MUST(store->jobs().begin("{\"paths\":1}", 3));
              MUST(stage(*store, "b", "dazu"));
              MUST(store->jobs().checkpoint(checkpoint_of("/b", {"b"}, false)));
              MUST(stage(*store, "c", "nach dem Halt"));
              return 0;  // _exit: no destructor runs.
            }),
            0);
  reopen();
  EXPECT_EQ(visible(first_), 1);
  const auto job = MUST(store_->jobs().unfinished());
  ASSERT_TRUE(job);
  EXPECT_EQ(job->request, "{\"paths\":1}");
  EXPECT_EQ(job->parent, first_);
  EXPECT_EQ(job->files_total, 3U);

  EXPECT_EQ(MUST(store_->jobs().resume(4)).generation, job->generation);
  const auto files = MUST(store_->jobs().files());
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files[0].record, 1U);
  EXPECT_FALSE(files[0].done);
  EXPECT_EQ(MUST(store_->jobs().documents()).size(), 1U);
  EXPECT_EQ(MUST(store_->jobs().staged_documents()).size(), 1U);
  // The id that the lost version had is given out again: ids are as without the interruption.
  EXPECT_EQ(MUST(stage(*store_, "c", "noch einmal")), VersionId{3});
  const GenerationInfo committed = MUST(store_->jobs().commit("{}", {}));
  EXPECT_EQ(committed.number, job->generation);
  EXPECT_EQ(visible(committed.number), 3);
  EXPECT_FALSE(MUST(store_->jobs().unfinished()));
  EXPECT_TRUE(MUST(store_->jobs().files()).empty());
}

TEST_F(IngestJobTest, TheDestructorKeepsTheJob) {
  MUST(store_->jobs().begin("{}", 1));
  MUST(stage(*store_, "b", "dazu"));
  MUST(store_->jobs().checkpoint(checkpoint_of("/b", {"b"}, true)));
  reopen();
  EXPECT_EQ(MUST(store_->jobs().unfinished())->files_done, 1U);
}

TEST_F(IngestJobTest, OtherWritersAreRefusedUntilItIsDiscarded) {
  MUST(store_->jobs().begin("{}", 1));
  MUST(stage(*store_, "b", "dazu"));
  MUST(store_->jobs().checkpoint(checkpoint_of("/b", {"b"}, true)));
  MUST(store_->jobs().suspend());
  const auto refused = store_->begin();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kConflict);
  EXPECT_NE(refused.error().message.find("1 of 1 files"), std::string::npos);
  EXPECT_NE(refused.error().remedy.find("--restart"), std::string::npos);

  MUST(store_->jobs().discard());
  EXPECT_EQ(store_->jobs().discard().error().code, ErrorCode::kNotFound);
  MUST(store_->begin());
  MUST(store_->abandon());
  EXPECT_EQ(visible(first_), 1);
}

TEST_F(IngestJobTest, RollbackDiscardsIt) {
  MUST(store_->jobs().begin("{}", 1));
  MUST(store_->jobs().checkpoint(checkpoint_of("/b", {}, true)));
  MUST(store_->jobs().suspend());
  EXPECT_EQ(MUST(store_->rollback()).number, Generation{0});
  EXPECT_FALSE(MUST(store_->jobs().unfinished()));
}

TEST_F(IngestJobTest, AForgottenFileLeavesItsDocumentsAsTheyWere) {
  MUST(store_->jobs().begin("{}", 1));
  MUST(stage(*store_, "a", "neu"));
  MUST(stage(*store_, "b", "dazu"));
  const JobCheckpoint checkpoint = checkpoint_of("/b", {"a", "b"}, true);
  MUST(store_->jobs().checkpoint(checkpoint));
  EXPECT_TRUE(MUST(store_->jobs().changed_anything()));
  MUST(store_->jobs().forget_file(checkpoint.files[0]));
  EXPECT_FALSE(MUST(store_->jobs().changed_anything()));
  EXPECT_TRUE(MUST(store_->jobs().files()).empty());
  EXPECT_TRUE(MUST(store_->jobs().documents()).empty());
  MUST(store_->jobs().finish_unchanged({}));
  const auto heads = MUST(store_->heads(first_));
  ASSERT_EQ(heads.size(), 1U);
  EXPECT_EQ(MUST(store_->version(heads[0].version)).content.text, "alt");
  EXPECT_EQ(MUST(store_->counts(first_)).orphans, 0);
}

TEST_F(IngestJobTest, RemovalsAreStagedAnewByTheResumedRun) {
  const DocumentId document = MUST(store_->heads(first_))[0].document;
  MUST(store_->jobs().begin("{}", 1));
  MUST(store_->stage_removal(document));
  MUST(store_->jobs().suspend());
  MUST(store_->jobs().resume(1));
  EXPECT_FALSE(MUST(store_->jobs().changed_anything()));
  MUST(store_->stage_removal(document));
  EXPECT_EQ(visible(MUST(store_->jobs().commit("{}", {})).number), 0);
}

TEST_F(IngestJobTest, ALexiconIsMadeAnewByTheResumedRun) {
  const Generation next = MUST(store_->jobs().begin("{}", 1));
  MUST(store_->put_lexicon("Worte von Dateien, die sich noch ändern"));
  MUST(store_->jobs().suspend());
  MUST(store_->jobs().resume(1));
  EXPECT_FALSE(MUST(store_->lexicon(next)));
}

TEST_F(IngestJobTest, LettersGoWithTheCommitNotBefore) {
  const InputFailures failed{
      "quelle", "/", "/b", {{.record = 2, .code = "corrupt", .reason = "kaputt"}}};
  MUST(store_->jobs().begin("{}", 1));
  JobCheckpoint first = checkpoint_of("/b", {}, true);
  first.failures.push_back(failed);
  MUST(store_->jobs().checkpoint(first));
  MUST(store_->jobs().finish_unchanged({}));
  ASSERT_EQ(MUST(store_->dead_letters()).size(), 1U);

  MUST(store_->jobs().begin("{}", 1));
  MUST(stage(*store_, "b", "gelungen"));
  MUST(store_->jobs().checkpoint(checkpoint_of("/b", {"b"}, true)));
  EXPECT_EQ(MUST(store_->dead_letters()).size(), 1U);
  MUST(store_->jobs().suspend());
  MUST(store_->jobs().discard());
  EXPECT_EQ(MUST(store_->dead_letters()).size(), 1U) << "what succeeded was discarded";

  MUST(store_->jobs().begin("{}", 1));
  MUST(stage(*store_, "b", "gelungen"));
  MUST(store_->jobs().checkpoint(checkpoint_of("/b", {"b"}, true)));
  MUST(store_->jobs().commit("{}", {}));
  EXPECT_TRUE(MUST(store_->dead_letters()).empty());
}

}  // namespace
}  // namespace beleg

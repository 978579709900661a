#include <grp.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>

#include "store/answer_format.h"
#include "store/corpus_store.h"
#include "store/store_test_support.h"

namespace beleg {
namespace {

using store_test::in_child;
using store_test::stage;
using store_test::TemporaryFolder;

constexpr uid_t kNobody = 65534;

/// Gives up the rights of root, for whom permissions do not hold. True where they hold now.
bool drop_rights() {
  if (::geteuid() != 0) return true;
  return ::setgroups(0, nullptr) == 0 && ::setresgid(kNobody, kNobody, kNobody) == 0 &&
         ::setresuid(kNobody, kNobody, kNobody) == 0;
}

constexpr int kGood = 0;
constexpr int kCannotDropRights = 99;

/// What was not as it must be, in the child process that ran the check.
class Findings {
 public:
  void expect(bool holds, std::string_view what) {
    if (holds) return;
    std::fprintf(stderr, "not so: %.*s\n", static_cast<int>(what.size()), what.data());
    status_ = 1;
  }
  [[nodiscard]] int status() const { return status_; }

 private:
  int status_ = kGood;
};

/// A trace that an audit finds nothing wrong with.
std::string whole_trace(const std::string& id) {
  nlohmann::json receipt = {{"question", "Was?"}};
  receipt["receipt_sha256"] = receipt_hash(receipt);
  return nlohmann::json{{"id", id}, {"receipt", receipt}}.dump();
}

void check_reading(CorpusStore& store, Findings& findings) {
  const auto current = store.current();
  findings.expect(current && current->number == Generation{1}, "the current generation is 1");
  const auto heads = store.heads(Generation{1});
  findings.expect(heads && heads->size() == 2, "there are two heads");
  std::size_t passages = 0;
  const auto visited = store.for_each_passage(
      Generation{1}, [&](const StoredPassage& passage, const StoredVersion& version) {
        const auto again = store.passage(passage.id);
        findings.expect(again && again->version == version.version, "a passage is found by its id");
        ++passages;
        return true;
      });
  findings.expect(visited && passages == 3, "three passages are visited");
  const auto story = store.versions_of_story("s", Generation{1});
  findings.expect(story && story->size() == 1, "the story has a version");
  const auto counts = store.counts(Generation{1});
  findings.expect(counts && counts->passages == 3, "three passages are counted");
  findings.expect(store.passage_fingerprint(Generation{1}).has_value(), "there is a fingerprint");
  const auto integrity = store.check_integrity(Generation{1});
  findings.expect(integrity && integrity->empty(), "the audit finds nothing");
  findings.expect(store.trace("last").value_or("") == whole_trace("t1"), "the trace is read");
  findings.expect(store.dead_letters().has_value(), "the dead letters are read");
}

template <class Value>
void check_refused(const Result<Value>& written, const std::filesystem::path& folder,
                   std::string_view call, Findings& findings) {
  findings.expect(!written && written.error().code == ErrorCode::kPermission, call);
  findings.expect(!written && written.error().remedy.find(folder.string()) != std::string::npos,
                  std::string(call) + " names the folder");
}

void check_writing(CorpusStore& store, Findings& findings) {
  const std::filesystem::path& folder = store.folder();
  check_refused(store.begin(), folder, "begin is refused", findings);
  check_refused(store.put_receipt(sha256("x").hex(), "{}"), folder, "a receipt is refused",
                findings);
  check_refused(store.put_trace("t2", "{}"), folder, "a trace is refused", findings);
  check_refused(store.dismiss_dead_letters({1}), folder, "a dismissal is refused", findings);
  check_refused(store.rollback(), folder, "rollback is refused", findings);
}

int read_and_try_to_write(const std::filesystem::path& folder) {
  if (!drop_rights()) return kCannotDropRights;
  const auto store = CorpusStore::open(folder);
  Findings findings;
  findings.expect(store.has_value(), store ? "" : store.error().to_line());
  if (!store) return findings.status();
  check_reading(**store, findings);
  check_writing(**store, findings);
  findings.expect(CorpusStore::open_or_create(folder).has_value(), "open_or_create opens it too");
  return findings.status();
}

class ReadOnlyTest : public testing::Test {
 protected:
  ~ReadOnlyTest() override { set_permissions(0755, 0644); }

  /// A corpus in folder_, closed. `keep` gets the files as they are while it is still open: the
  /// last rows are in the log, as a killed writer leaves them.
  void fill(const std::filesystem::path& folder, const std::filesystem::path& keep = {}) {
    const auto store = MUST(CorpusStore::open_or_create(folder));
    MUST(store->begin());
    store_test::Sample sample = store_test::make_sample("ein Text von mehr als zwanzig Zeichen");
    sample.content.meta.story = "s";
    MUST(stage(*store, "a", sample));
    MUST(stage(*store, "b", "kurz"));
    MUST(store->commit("{}"));
    MUST(store->put_trace("t1", whole_trace("t1")));
    if (keep.empty()) return;
    std::filesystem::create_directories(keep);
    for (const char* name : {"truth.db", "truth.db-wal", "truth.db-shm"}) {
      std::filesystem::copy_file(folder / name, keep / name);
    }
  }

  void set_permissions(unsigned folder_mode, unsigned file_mode) {
    const auto set = [](const std::filesystem::path& path, unsigned mode) {
      std::filesystem::permissions(path, static_cast<std::filesystem::perms>(mode));
    };
    set(home_.path(), 0755);
    if (!std::filesystem::exists(folder_)) return;
    set(folder_, folder_mode);
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      set(entry.path(), file_mode);
    }
  }

  /// Runs `body` without the rights of root.
  static void run_without_rights(const std::function<int()>& body) {
    const int status = in_child(body);
    ASSERT_TRUE(WIFEXITED(status)) << status;
    if (WEXITSTATUS(status) == kCannotDropRights) {
      GTEST_SKIP() << "permissions do not hold for root, and its rights cannot be given up here";
    }
    EXPECT_EQ(WEXITSTATUS(status), kGood);
  }

  TemporaryFolder home_;
  // Characters that mean something in a URI.
  std::filesystem::path folder_ = home_.path() / "a?mode=rw&b#c%20d ä";
};

TEST_F(ReadOnlyTest, AFolderThatTakesNoFilesIsRead) {
  fill(folder_);
  ASSERT_FALSE(std::filesystem::exists(folder_ / "truth.db-wal"));
  set_permissions(0555, 0444);
  run_without_rights([&] { return read_and_try_to_write(folder_); });
}

TEST_F(ReadOnlyTest, AFileInAWritableFolderIsRead) {
  fill(folder_);
  set_permissions(0777, 0444);
  run_without_rights([&] { return read_and_try_to_write(folder_); });
}

TEST_F(ReadOnlyTest, AWritableFileWithoutRoomForItsLogIsRead) {
  fill(folder_);
  set_permissions(0555, 0666);
  run_without_rights([&] { return read_and_try_to_write(folder_); });
}

TEST_F(ReadOnlyTest, WhatIsOnlyInTheLogIsReadToo) {
  fill(home_.path() / "live", folder_);
  ASSERT_GT(std::filesystem::file_size(folder_ / "truth.db-wal"), 0U);
  set_permissions(0555, 0444);
  run_without_rights([&] { return read_and_try_to_write(folder_); });
}

TEST_F(ReadOnlyTest, ALogThatCannotBeReadIsNeverLeftOut) {
  fill(home_.path() / "live", folder_);
  std::filesystem::remove(folder_ / "truth.db-shm");
  set_permissions(0555, 0444);
  run_without_rights([&] {
    if (!drop_rights()) return kCannotDropRights;
    Findings findings;
    check_refused(CorpusStore::open(folder_), folder_, "opening is refused", findings);
    return findings.status();
  });
}

TEST_F(ReadOnlyTest, AChangeByAnotherUserIsNoticed) {
  fill(folder_);
  set_permissions(0555, 0444);
  int go_on[2];
  int opened[2];
  ASSERT_TRUE(::pipe(go_on) == 0 && ::pipe(opened) == 0);
  // The writer keeps its rights; it waits for the reader, writes, and lets the reader go on.
  const pid_t writer = ::fork();
  if (writer == 0) {
    char byte = 0;
    if (::read(opened[0], &byte, 1) != 1) ::_exit(1);
    set_permissions(0755, 0644);
    const auto store = CorpusStore::open(folder_);
    const bool written = store && (*store)->put_trace("t2", "{}").has_value();
    if (::write(go_on[1], "x", 1) != 1) ::_exit(1);
    ::_exit(written ? 0 : 1);
  }
  run_without_rights([&] {
    char byte = 'x';
    if (!drop_rights()) {
      static_cast<void>(::write(opened[1], &byte, 1));
      return kCannotDropRights;
    }
    const auto store = CorpusStore::open(folder_);
    Findings findings;
    findings.expect(store && (*store)->trace("last").has_value(), "it is read before");
    findings.expect(::write(opened[1], &byte, 1) == 1 && ::read(go_on[0], &byte, 1) == 1,
                    "the writer was there");
    if (!store) return 1;
    const auto after = (*store)->trace("last");
    findings.expect(!after && after.error().code == ErrorCode::kConflict, "the change is noticed");
    return findings.status();
  });
  int status = -1;
  ::waitpid(writer, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  for (const int descriptor : {go_on[0], go_on[1], opened[0], opened[1]}) ::close(descriptor);
}

}  // namespace
}  // namespace beleg

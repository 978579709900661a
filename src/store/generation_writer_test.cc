#include "store/generation_writer.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <map>
#include <random>

#include "base/clock.h"
#include "store/store_schema.h"
#include "store/store_test_support.h"

namespace beleg {
namespace {

using store_test::in_child;
using store_test::stage;
using store_test::TemporaryFolder;

/// Everything that answers can depend on, as one text.
std::string dump(CorpusStore& store, Generation generation) {
  std::string out;
  for (const DocumentHead& head : MUST(store.heads(generation))) {
    const StoredVersion version = MUST(store.version(head.version));
    out += std::to_string(static_cast<std::int64_t>(head.document)) + "|" +
           std::to_string(static_cast<std::int64_t>(head.version)) + "|" + head.external_id + "|" +
           head.origin + "|" + head.content_hash.hex() + "|" + version.content.text + "\n";
  }
  MUST(store.for_each_passage(
      generation, [&](const StoredPassage& passage, const StoredVersion& version) {
        out += std::to_string(static_cast<std::int64_t>(passage.id)) + "|" +
               std::to_string(passage.passage.span.start) + "|" +
               std::to_string(static_cast<std::int64_t>(version.version)) + "\n";
        return true;
      }));
  return out;
}

/// Rows of generations that are not current's past, as a killed writer leaves them.
std::int64_t uncommitted_rows(const std::filesystem::path& folder) {
  const auto raw = MUST(open_truth(folder / "truth.db"));
  std::int64_t rows = 0;
  for (const std::string_view sql :
       {"SELECT count(*) FROM version, corpus WHERE from_generation > current_generation",
        "SELECT count(*) FROM version, corpus WHERE to_generation > current_generation",
        "SELECT count(*) FROM document, corpus WHERE from_generation > current_generation"}) {
    rows += MUST(raw->query_integer(sql));
  }
  return rows;
}

TEST(GenerationWriter, RollsBackOneByOneDownToTheEmptyCorpus) {
  const TemporaryFolder folder;
  const auto store = MUST(CorpusStore::open_or_create(folder.path()));
  std::vector<std::pair<Generation, std::string>> states = {{Generation{0}, ""}};
  for (int round = 0; round < 4; ++round) {
    MUST(store->begin());
    MUST(stage(*store, "gleich", "Fassung " + std::to_string(round)));
    MUST(stage(*store, "neu " + std::to_string(round), "nur einmal"));
    if (round > 0) {
      const auto heads = MUST(store->heads(states.back().first));
      MUST(store->stage_removal(heads.back().document));
    }
    const Generation generation = MUST(store->commit("{}")).number;
    states.emplace_back(generation, dump(*store, generation));
  }
  VersionId newest_id = MUST(store->heads(states.back().first)).back().version;
  while (states.size() > 1) {
    const Generation undone = states.back().first;
    states.pop_back();
    const GenerationInfo now = MUST(store->rollback());
    EXPECT_EQ(now.number, states.back().first);
    EXPECT_EQ(MUST(store->current()).number, now.number);
    EXPECT_EQ(MUST(store->log()).size(), states.size() - 1);
    EXPECT_EQ(dump(*store, now.number), states.back().second);
    EXPECT_EQ(store->heads(undone).error().code, ErrorCode::kNotFound);
    EXPECT_EQ(uncommitted_rows(folder.path()), 0);
    EXPECT_TRUE(MUST(store->check_integrity(now.number)).empty());
  }
  const auto below_zero = store->rollback();
  ASSERT_FALSE(below_zero);
  EXPECT_EQ(below_zero.error().code, ErrorCode::kConflict);
  EXPECT_FALSE(below_zero.error().remedy.empty());
  EXPECT_EQ(MUST(store->begin()), Generation{5});  // 1 to 4 are spent.
  EXPECT_GT(MUST(stage(*store, "gleich", "Fassung 9")), newest_id);
  EXPECT_EQ(MUST(store->commit("{}")).parent, Generation{0});
}

TEST(GenerationWriter, AbandonAndDestructionLeaveNothing) {
  const TemporaryFolder folder;
  auto store = MUST(CorpusStore::open_or_create(folder.path()));
  MUST(store->begin());
  MUST(stage(*store, "a", "alt"));
  const Generation first = MUST(store->commit("{}")).number;
  const std::string before = dump(*store, first);
  for (const bool destroy : {false, true}) {
    MUST(store->begin());
    MUST(stage(*store, "a", "neu"));
    MUST(stage(*store, "b", "dazu"));
    MUST(store->dead_letters());
    MUST(store->version(VersionId{1}));  // Flushes.
    EXPECT_GT(uncommitted_rows(folder.path()), 0);
    if (destroy) {
      store.reset();
      store = MUST(CorpusStore::open(folder.path()));
    } else {
      MUST(store->abandon());
    }
    EXPECT_EQ(uncommitted_rows(folder.path()), 0);
    EXPECT_EQ(dump(*store, first), before);
  }
  EXPECT_EQ(MUST(store->begin()), Generation{4});
}

/// Random ingests, removals, rollbacks and abandoned builds against a plain map per generation.
TEST(GenerationWriter, AgreesWithAModelOverManyGenerations) {
  const TemporaryFolder folder;
  auto store = MUST(CorpusStore::open_or_create(folder.path()));
  std::mt19937 random(20'261'201);
  using State = std::map<std::string, std::string>;
  std::vector<std::pair<Generation, State>> states = {{Generation{0}, {}}};
  std::map<std::string, DocumentId> identities;
  const auto check = [&](Generation generation, const State& state) {
    State seen;
    for (const DocumentHead& head : MUST(store->heads(generation))) {
      seen[head.external_id] = MUST(store->version(head.version)).content.text;
      const auto known = identities.find(head.external_id);
      if (known != identities.end()) {
        EXPECT_EQ(known->second, head.document);
      }
    }
    EXPECT_EQ(seen, state) << "generation " << static_cast<std::int64_t>(generation);
  };
  for (int round = 0; round < 60; ++round) {
    if (random() % 5 == 0 && states.size() > 1) {
      MUST(store->rollback());
      states.pop_back();
      identities.clear();  // A document that was never there may get another id.
    } else {
      State state = states.back().second;
      const Generation building = MUST(store->begin());
      for (auto left = random() % 9; left > 0; --left) {
        const std::string id = "d" + std::to_string(random() % 12);
        if (random() % 3 == 0 && state.contains(id)) {
          for (const DocumentHead& head : MUST(store->heads(building))) {
            if (head.external_id == id) MUST(store->stage_removal(head.document));
          }
          state.erase(id);
        } else {
          state[id] = "Text " + std::to_string(random());
          MUST(stage(*store, id, state[id]));
        }
      }
      if (random() % 6 == 0) {
        MUST(store->abandon());
      } else {
        MUST(store->commit("{}"));
        states.emplace_back(building, state);
        for (const DocumentHead& head : MUST(store->heads(building))) {
          identities[head.external_id] = head.document;
        }
      }
    }
    for (const auto& [generation, state] : states) check(generation, state);
    const StoreCounts counts = MUST(store->counts(states.back().first));
    EXPECT_EQ(counts.documents, static_cast<std::int64_t>(states.back().second.size()));
    EXPECT_EQ(counts.versions, counts.documents);
    EXPECT_EQ(counts.orphans, 0);
  }
  for (const auto& [generation, state] : states) {
    EXPECT_TRUE(MUST(store->check_integrity(generation)).empty());
  }
}

/// A generation of the documents d0 to d<documents - 1> and no others; its stats say how many, for
/// whoever checks it.
Result<void> build_generation(CorpusStore& store, unsigned documents, unsigned salt) {
  const Generation building = TRY(store.begin());
  for (unsigned i = 0; i < documents; ++i) {
    const std::string text = "Generation " + std::to_string(salt) + ", Dokument " +
                             std::to_string(i) + ". " + std::string(i % 7 * 40, 'x');
    const VersionId id = TRY(stage(store, "d" + std::to_string(i), text));
    if (i % 6 == 5) TRY(store.version(id));  // Reading it writes what waits: one batch more.
  }
  const std::vector<DocumentHead> heads = TRY(store.heads(building));
  for (const DocumentHead& head : heads) {
    if (std::stoul(head.external_id.substr(1)) >= documents) {
      TRY(store.stage_removal(head.document));
    }
  }
  TRY(store.commit(std::to_string(documents)));
  return {};
}

/// Empty when generation g has exactly the documents that its stats promise, all of one build.
std::string fault_of(CorpusStore& store, const GenerationInfo& info) {
  if (info.number == Generation{0}) return {};
  const auto heads = store.heads(info.number);
  if (!heads) return heads.error().to_line();
  if (std::to_string(heads->size()) != info.stats_json) {
    return std::to_string(heads->size()) + " heads instead of " + info.stats_json;
  }
  std::string build;
  std::string fault;
  std::size_t versions = 0;
  VersionId last{};
  const auto visited = store.for_each_passage(
      info.number, [&](const StoredPassage& passage, const StoredVersion& version) {
        if (version.version != last) ++versions;
        last = version.version;
        const std::string begin = version.content.text.substr(0, version.content.text.find(','));
        if (build.empty()) build = begin;
        if (build != begin) fault = "mixes " + build + " and " + begin;
        const CodePointIndex index(version.content.text);
        if (passage.embedding_key != sha256(index.slice(passage.passage.span)))
          fault = "wrong span";
        return fault.empty();
      });
  if (!visited) return visited.error().to_line();
  if (versions != heads->size()) return "passages of " + std::to_string(versions) + " versions";
  return fault;
}

/// Reads whole generations until one has a single document; records traces, as an asker does, and
/// opens the corpus anew now and then. Writes a byte to `ready` after the first reads. Returns an
/// exit status: 0 if nothing ever went wrong.
int read_until_the_end(const std::filesystem::path& folder, int ready) {
  for (int reads = 0;;) {
    const auto reader = CorpusStore::open(folder);
    if (!reader) return 10;
    for (int i = 0; i < 5; ++i, ++reads) {
      const auto info = (*reader)->current();
      if (!info) return 11;
      if (info->stats_json == "1") return 0;
      const std::string fault = fault_of(**reader, *info);
      // A generation may be rolled back between two calls; that is said, not mixed up.
      if (!fault.empty() && fault.find("rolled back") == std::string::npos) {
        std::fprintf(stderr, "reader: %s\n", fault.c_str());
        return 12;
      }
      const auto put =
          (*reader)->put_trace("t-" + std::to_string(::getpid()) + std::to_string(reads), "{}");
      if (!put) {
        std::fprintf(stderr, "reader: %s\n", put.error().to_line().c_str());
        return 13;
      }
      if (reads == 2 && ::write(ready, "r", 1) != 1) return 14;
    }
  }
}

TEST(GenerationWriter, ReadersNeverSeeALockOrAMixedGeneration) {
  const TemporaryFolder folder;
  {
    const auto creator = MUST(CorpusStore::open_or_create(folder.path()));
    MUST(build_generation(*creator, 50, 0));
  }
  int ready[2] = {-1, -1};
  ASSERT_EQ(::pipe(ready), 0);
  std::vector<pid_t> readers;
  for (int r = 0; r < 2; ++r) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(read_until_the_end(folder.path(), ready[1]));
    readers.push_back(child);
  }
  char byte = 0;
  for (int r = 0; r < 2; ++r) ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  const auto store = MUST(CorpusStore::open(folder.path()));
  for (unsigned g = 1; g <= 12; ++g) {
    MUST(build_generation(*store, 40 + g * 5, g));
    if (g % 4 == 0) MUST(store->rollback());
  }
  const Generation last = MUST(store->current()).number;
  MUST(store->begin());
  for (const DocumentHead& head : MUST(store->heads(last))) {
    if (head.external_id != "d0") MUST(store->stage_removal(head.document));
  }
  MUST(store->commit("1"));
  for (const pid_t child : readers) {
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << WEXITSTATUS(status);
  }
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST(GenerationWriter, AKilledWriterChangesNothing) {
  const TemporaryFolder folder;
  std::mt19937 random(7);
  // How long a generation takes here, so that kills fall into all of it on any machine.
  double build_ms = 0;
  {
    const auto store = MUST(CorpusStore::open_or_create(folder.path()));
    const Stopwatch watch;
    MUST(build_generation(*store, 30, 1'000));
    build_ms = watch.wall_ms();
  }
  std::uniform_real_distribution<double> moment(0.0, 1.5 * build_ms);
  int killed_in_build = 0;
  for (unsigned round = 0; round < 16; ++round) {
    int ready[2] = {};
    ASSERT_EQ(::pipe(ready), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      // Ingests, and every third round also undoes, until the end.
      auto store = CorpusStore::open(folder.path());
      if (!store) ::_exit(1);
      if (::write(ready[1], "x", 1) != 1) ::_exit(4);
      for (unsigned g = 0;; ++g) {
        if (!build_generation(**store, 25 + (g + round) % 20, round * 1'000 + g)) ::_exit(2);
        if (round % 3 == 0 && !(*store)->rollback()) ::_exit(3);
      }
    }
    char byte = 0;
    ASSERT_EQ(::read(ready[0], &byte, 1), 1);
    ::close(ready[0]);
    ::close(ready[1]);
    ::usleep(static_cast<useconds_t>(moment(random) * 1000.0));
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the child ended: " << WEXITSTATUS(status);

    const auto store = MUST(CorpusStore::open(folder.path()));
    const GenerationInfo current = MUST(store->current());
    EXPECT_EQ(fault_of(*store, current), "");
    EXPECT_EQ(MUST(store->check_integrity(current.number)), std::vector<std::string>());
    EXPECT_EQ(MUST(store->counts(current.number)).orphans, 0);
    if (uncommitted_rows(folder.path()) > 0) ++killed_in_build;
    const Generation next = MUST(store->begin());
    EXPECT_GT(next, current.number);
    EXPECT_EQ(uncommitted_rows(folder.path()), 0);
    if (round % 2 == 0) {
      MUST(stage(*store, "d0", "Generation X, nach dem Ende"));
      MUST(store->abandon());
      EXPECT_EQ(fault_of(*store, current), "");
    } else {
      MUST(store->abandon());
      MUST(build_generation(*store, 28, 900'000 + round));
      EXPECT_EQ(fault_of(*store, MUST(store->current())), "");
    }
    if (HasFailure()) return;
  }
  // Otherwise the test would not have tested what it says.
  EXPECT_GT(killed_in_build, 0);
}

TEST(GenerationWriter, AFullDiskIsReportedAndLosesNothing) {
  const TemporaryFolder folder;
  Generation before{};
  std::string state;
  {
    const auto store = MUST(CorpusStore::open_or_create(folder.path()));
    MUST(build_generation(*store, 30, 1));
    before = MUST(store->current()).number;
    state = dump(*store, before);
  }
  const int status = in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{3U << 20U, 3U << 20U};  // Bytes per file.
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 20;
    auto store = CorpusStore::open(folder.path());
    if (!store || !(*store)->begin()) return 21;
    Result<void> failed;
    for (int i = 0; i < 400 && failed; ++i) {
      const auto staged = stage(**store, "gross " + std::to_string(i), std::string(50'000, 'y'));
      if (!staged) failed = std::unexpected(staged.error());
    }
    if (failed) return 22;
    if (failed.error().code != ErrorCode::kIo || failed.error().remedy.empty()) return 23;
    if ((*store)->commit("{}")) return 24;  // What could not be written cannot be committed.
    // A second reader is not concerned.
    auto reader = CorpusStore::open(folder.path());
    if (!reader || dump(**reader, before) != state) return 25;
    return 0;
  });
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << WEXITSTATUS(status);
  const auto store = MUST(CorpusStore::open(folder.path()));
  EXPECT_EQ(MUST(store->current()).number, before);
  EXPECT_EQ(dump(*store, before), state);
  EXPECT_TRUE(MUST(store->check_integrity(before)).empty());
  MUST(build_generation(*store, 10, 2));
}

}  // namespace
}  // namespace beleg

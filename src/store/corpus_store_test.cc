#include "store/corpus_store.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <span>
#include <thread>

#include "store/answer_format.h"
#include "store/sqlite_database.h"
#include "store/store_schema.h"
#include "store/store_test_support.h"

namespace beleg {
namespace {

using store_test::make_sample;
using store_test::Sample;
using store_test::stage;
using store_test::TemporaryFolder;

class CorpusStoreTest : public testing::Test {
 protected:
  void SetUp() override { store_ = MUST(CorpusStore::open_or_create(folder_.path())); }

  /// One generation with the given documents.
  Generation ingest(const std::vector<std::pair<std::string, std::string>>& documents) {
    MUST(store_->begin());
    for (const auto& [id, text] : documents) MUST(stage(*store_, id, text));
    return MUST(store_->commit("{}")).number;
  }

  DocumentHead head_of(std::string_view id, Generation generation) {
    for (const DocumentHead& head : MUST(store_->heads(generation))) {
      if (head.external_id == id) return head;
    }
    return {};
  }

  TemporaryFolder folder_;
  std::unique_ptr<CorpusStore> store_;
};

TEST_F(CorpusStoreTest, AnEmptyCorpusIsGenerationZero) {
  EXPECT_EQ(MUST(store_->current()).number, Generation{0});
  EXPECT_TRUE(MUST(store_->log()).empty());
  EXPECT_TRUE(MUST(store_->heads(Generation{0})).empty());
  EXPECT_TRUE(MUST(store_->check_integrity(Generation{0})).empty());
  const StoreCounts counts = MUST(store_->counts(Generation{0}));
  EXPECT_EQ(counts.documents + counts.versions + counts.passages + counts.orphans, 0);
}

TEST_F(CorpusStoreTest, OpeningWhatIsNotThereSaysSo) {
  const auto opened = CorpusStore::open(folder_.path() / "none");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kNotFound);
  EXPECT_FALSE(opened.error().remedy.empty());
}

TEST_F(CorpusStoreTest, EveryFieldComesBack) {
  Sample sample =
      make_sample(std::string("Grüße aus Köln \xF0\x9F\x8D\xBA, Zeile\nzwei\0drei", 34), 5);
  DocumentMetadata& meta = sample.content.meta;
  meta.id = "a/ß.html";
  meta.title = "Titel \"mit\" Zeichen";
  meta.published = Date{1'614'556'800, DatePrecision::kDay, false};
  meta.updated = Date{-86'400, DatePrecision::kMinute, true};
  meta.language = "de";
  meta.url = "https://example.org/a?b=c&d";
  meta.source = "Blatt";
  meta.story = "s-1";
  meta.domain = "medizin";
  meta.authors = {"Ärztin", ""};
  meta.tags = {"x"};
  meta.access = {"intern"};
  sample.content.encoding = "WINDOWS-1252";
  sample.content.replacements = 4'294'967'295;
  sample.content.warnings = {"ein \"Fehler\"", "\x01"};
  sample.content.blocks = {{BlockKind::kHeading, 2, 7, {0, 5}}, {BlockKind::kTable, 0, 8, {5, 9}}};
  sample.passages[1].page = 12;
  sample.passages[1].heading_path = {"A", "", "Ü \"b\""};
  sample.passages[2].heading_path = {};

  MUST(store_->begin());
  // File names need not be UTF-8 and may hold anything but a NUL; ids of feeds may even hold that.
  const std::string id("\xFF\xFE b\0c'", 7);
  const VersionId version = MUST(
      store_->stage_version("q'u", id, "ort\x80", sample.content, sample.passages, sample.keys));
  const Generation generation = MUST(store_->commit(R"({"a":1})")).number;

  store_ = MUST(CorpusStore::open(folder_.path()));
  const StoredVersion stored = MUST(store_->version(version));
  EXPECT_EQ(stored.source, "q'u");
  EXPECT_EQ(stored.external_id, id);
  EXPECT_EQ(stored.origin, "ort\x80");
  EXPECT_EQ(stored.from, generation);
  EXPECT_EQ(stored.content_hash, content_hash(sample.content));
  EXPECT_EQ(stored.content.meta, meta);
  EXPECT_EQ(stored.content.text, sample.content.text);
  EXPECT_EQ(stored.content.blocks, sample.content.blocks);
  EXPECT_EQ(stored.content.encoding, "WINDOWS-1252");
  EXPECT_EQ(stored.content.replacements, 4'294'967'295U);
  EXPECT_EQ(stored.content.warnings, sample.content.warnings);

  const std::vector<StoredPassage> passages = MUST(store_->passages_of(version));
  ASSERT_EQ(passages.size(), sample.passages.size());
  for (std::size_t i = 0; i < passages.size(); ++i) {
    EXPECT_EQ(passages[i].passage, sample.passages[i]);
    EXPECT_EQ(passages[i].embedding_key, sample.keys[i]);
    EXPECT_EQ(passages[i].version, version);
    EXPECT_EQ(passages[i].document, stored.document);
    EXPECT_EQ(MUST(store_->passage(passages[i].id)).passage, sample.passages[i]);
  }
  EXPECT_EQ(MUST(store_->current()).stats_json, R"({"a":1})");
  EXPECT_TRUE(MUST(store_->check_integrity(generation)).empty());
}

TEST_F(CorpusStoreTest, NothingIsVisibleBeforeCommit) {
  const Generation first = ingest({{"a", "alt"}});
  const auto reader = MUST(CorpusStore::open(folder_.path()));
  const Generation second = MUST(store_->begin());
  MUST(stage(*store_, "a", "neu"));
  MUST(stage(*store_, "b", "dazu"));
  EXPECT_EQ(MUST(store_->heads(second)).size(), 2U);  // The writer itself sees what it builds.
  EXPECT_EQ(MUST(reader->current()).number, first);
  const std::vector<DocumentHead> heads = MUST(reader->heads(first));
  ASSERT_EQ(heads.size(), 1U);
  EXPECT_EQ(MUST(reader->version(heads[0].version)).content.text, "alt");
  const auto early = reader->heads(second);
  ASSERT_FALSE(early);
  EXPECT_EQ(early.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(MUST(store_->commit("{}")).number, second);
  EXPECT_EQ(MUST(reader->current()).number, second);
  EXPECT_EQ(MUST(reader->heads(second)).size(), 2U);
  EXPECT_EQ(MUST(reader->heads(first)).size(), 1U);  // The past stays readable.
}

TEST_F(CorpusStoreTest, OnlyOneWriterAtATime) {
  const auto other = MUST(CorpusStore::open(folder_.path()));
  MUST(store_->begin());
  for (const auto& refused : {other->begin(), store_->begin()}) {
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kConflict);
    EXPECT_FALSE(refused.error().remedy.empty());
  }
  const auto undone = other->rollback();
  ASSERT_FALSE(undone);
  EXPECT_EQ(undone.error().code, ErrorCode::kConflict);
  MUST(store_->abandon());
  MUST(other->begin());
}

TEST_F(CorpusStoreTest, StagingWithoutBeginIsRefused) {
  EXPECT_FALSE(stage(*store_, "a", "x"));
  EXPECT_FALSE(store_->stage_removal(DocumentId{1}));
  EXPECT_FALSE(store_->commit("{}"));
  EXPECT_TRUE(store_->abandon());
}

TEST_F(CorpusStoreTest, RemovedDocumentsComeBackUnderTheirId) {
  const Generation first = ingest({{"a", "eins"}, {"b", "zwei"}});
  const DocumentHead before = head_of("a", first);
  MUST(store_->begin());
  MUST(store_->stage_removal(before.document));
  const auto again = store_->stage_removal(before.document);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::kNotFound);
  const Generation second = MUST(store_->commit("{}")).number;
  EXPECT_EQ(MUST(store_->heads(second)).size(), 1U);
  const Generation third = ingest({{"a", "wieder"}});
  EXPECT_EQ(head_of("a", third).document, before.document);
  EXPECT_NE(head_of("a", third).version, before.version);
  EXPECT_EQ(head_of("b", third).version, head_of("b", first).version);  // Untouched.
  EXPECT_EQ(head_of("a", first).version, before.version);
}

TEST_F(CorpusStoreTest, TheLastOfTwoVersionsInOneGenerationCounts) {
  ingest({{"a", "alt"}});
  const Generation generation = ingest({{"a", "eins"}, {"a", "zwei"}, {"b", "x"}, {"b", "y"}});
  EXPECT_EQ(MUST(store_->version(head_of("a", generation).version)).content.text, "zwei");
  EXPECT_EQ(MUST(store_->version(head_of("b", generation).version)).content.text, "y");
  EXPECT_TRUE(MUST(store_->check_integrity(generation)).empty());
  const StoreCounts counts = MUST(store_->counts(generation));
  EXPECT_EQ(counts.documents, 2);
  EXPECT_EQ(counts.versions, 2);
  EXPECT_EQ(counts.orphans, 0);
}

TEST_F(CorpusStoreTest, RemovingWhatWasJustStagedLeavesNothing) {
  const Generation first = ingest({{"a", "alt"}});
  const Generation second = MUST(store_->begin());
  MUST(stage(*store_, "a", "neu"));
  MUST(stage(*store_, "b", "nur kurz"));
  MUST(store_->stage_removal(head_of("a", second).document));
  MUST(store_->stage_removal(head_of("b", second).document));
  MUST(store_->commit("{}"));
  EXPECT_TRUE(MUST(store_->heads(second)).empty());
  EXPECT_EQ(MUST(store_->counts(second)).orphans, 0);
  EXPECT_TRUE(MUST(store_->check_integrity(second)).empty());
  EXPECT_EQ(MUST(store_->version(head_of("a", first).version)).content.text, "alt");
}

TEST_F(CorpusStoreTest, PassagesAreVisitedInTheOrderOfTheirIds) {
  ingest({{"a", "eins zwei drei vier fünf sechs sieben"}, {"b", "kurz"}, {"c", "xyz"}});
  const Generation generation = ingest({{"a", "ganz anders und wieder lang genug"}, {"d", ""}});
  std::vector<PassageId> ids;
  std::set<std::string> texts;
  const auto visit = [&](const StoredPassage& passage, const StoredVersion& version) {
    EXPECT_EQ(passage.version, version.version);
    EXPECT_EQ(passage.document, version.document);
    const CodePointIndex index(version.content.text);
    EXPECT_EQ(passage.embedding_key, sha256(index.slice(passage.passage.span)));
    // Reading within a visit is allowed, with the same statements too.
    EXPECT_EQ(MUST(store_->passages_of(version.version)).size(), (index.size() + 19U) / 20U);
    EXPECT_EQ(MUST(store_->heads(generation)).size(), 4U);
    ids.push_back(passage.id);
    texts.insert(version.content.text);
    return true;
  };
  MUST(store_->for_each_passage(generation, visit));
  EXPECT_TRUE(std::ranges::is_sorted(ids));
  EXPECT_EQ(ids.size(), 4U);
  EXPECT_EQ(texts.count("eins zwei drei vier fünf sechs sieben"), 0U);
  int visits = 0;
  MUST(store_->for_each_passage(generation, [&](const auto&, const auto&) {
    ++visits;
    return false;
  }));
  EXPECT_EQ(visits, 1);
  EXPECT_TRUE(store_->begin());  // No snapshot was left open.
}

TEST_F(CorpusStoreTest, WritingDuringAVisitIsRefusedNotDeadlocked) {
  const Generation generation = ingest({{"a", "text"}});
  MUST(store_->for_each_passage(generation, [&](const StoredPassage&, const StoredVersion&) {
    const auto put = store_->put_trace("t-1", "{}");
    EXPECT_FALSE(put);
    EXPECT_TRUE(put || put.error().code == ErrorCode::kInvalidArgument);
    return true;
  }));
  MUST(store_->put_trace("t-1", "{}"));
}

TEST_F(CorpusStoreTest, TheFingerprintIsThatOfTheVisiblePassageIds) {
  const auto expected = [&](Generation generation) {
    std::vector<std::int64_t> ids;
    MUST(store_->for_each_passage(generation,
                                  [&](const StoredPassage& passage, const StoredVersion&) {
                                    ids.push_back(static_cast<std::int64_t>(passage.id));
                                    return true;
                                  }));
    return checksum64(std::as_bytes(std::span(ids)));
  };
  std::vector<Generation> generations = {Generation{0}};
  std::set<std::uint64_t> fingerprints = {MUST(store_->passage_fingerprint(Generation{0}))};
  // XXH3-64 of nothing with seed 0, from the reference implementation's own test vectors.
  EXPECT_EQ(*fingerprints.begin(), 0x2D06800538D394C2U);
  const std::string text(130, 'x');
  generations.push_back(ingest({{"a", text}, {"b", ""}, {"c", text}, {"d", text}}));
  generations.push_back(ingest({{"c", text + "neu"}, {"e", "kurz"}}));
  MUST(store_->begin());
  MUST(store_->stage_removal(head_of("a", generations.back()).document));
  generations.push_back(MUST(store_->commit("{}")).number);
  for (const Generation generation : generations) {
    const std::uint64_t fingerprint = MUST(store_->passage_fingerprint(generation));
    EXPECT_EQ(fingerprint, expected(generation));
    fingerprints.insert(fingerprint);
  }
  EXPECT_EQ(fingerprints.size(), 4U);
  EXPECT_EQ(store_->passage_fingerprint(Generation{9}).error().code, ErrorCode::kNotFound);
}

TEST_F(CorpusStoreTest, StoriesListTheirNewestVersionFirst) {
  MUST(store_->begin());
  const auto add = [&](std::string_view id, std::string_view story, std::optional<Date> published) {
    Sample sample = make_sample(id);
    sample.content.meta.story = story;
    sample.content.meta.published = published;
    return MUST(stage(*store_, id, sample));
  };
  const VersionId old = add("a", "s", Date{.time = -5});
  const VersionId undated = add("b", "s", std::nullopt);
  const VersionId newest = add("c", "s", Date{.time = 2'000});
  const VersionId tie = add("d", "s", Date{.time = 2'000});
  add("e", "t", Date{.time = 9'000});
  const VersionId alone = add("f", "", std::nullopt);
  const Generation first = MUST(store_->commit("{}")).number;
  using Ids = std::vector<VersionId>;
  EXPECT_EQ(MUST(store_->versions_of_story("s", first)), (Ids{tie, newest, old, undated}));
  EXPECT_EQ(MUST(store_->versions_of_story("f", first)), Ids{alone});  // Its own id by default.
  EXPECT_TRUE(MUST(store_->versions_of_story("", first)).empty());
  MUST(store_->begin());
  MUST(store_->stage_removal(head_of("d", first).document));
  const Generation second = MUST(store_->commit("{}")).number;
  EXPECT_EQ(MUST(store_->versions_of_story("s", second)), (Ids{newest, old, undated}));
  EXPECT_EQ(MUST(store_->versions_of_story("s", first)), (Ids{tie, newest, old, undated}));
}

TEST_F(CorpusStoreTest, InexactSpansAreRefused) {
  MUST(store_->begin());
  const Sample good = make_sample("Größe und Maß, dann noch etwas", 7);
  const std::vector<std::function<void(Sample&)>> faults = {
      [](Sample& s) { s.passages[1].bytes.start += 1; },
      [](Sample& s) { s.passages[1].bytes.end -= 1; },
      [](Sample& s) { s.passages.back().span.end += 1; },
      [](Sample& s) { s.passages[0].span = {3, 2}; },
      [](Sample& s) { s.passages[2].ordinal = 1; },
      [](Sample& s) { s.passages[0].ordinal = 1; },
      [](Sample& s) { s.passages[0].heading_path = {"\xC3"}; },
      [](Sample& s) { s.content.text += "\xED\xA0\x80"; },
      [](Sample& s) { s.content.blocks[0].span.end += 1; },
      [](Sample& s) { s.keys.pop_back(); },
  };
  for (std::size_t i = 0; i < faults.size(); ++i) {
    Sample bad = good;
    faults[i](bad);
    EXPECT_FALSE(stage(*store_, "bad", bad)) << "fault " << i;
  }
  EXPECT_FALSE(stage(*store_, "", good));
  MUST(stage(*store_, "good", good));
  const Generation generation = MUST(store_->commit("{}")).number;
  EXPECT_EQ(MUST(store_->heads(generation)).size(), 1U);
}

TEST_F(CorpusStoreTest, RecordsOfAnswersAreKept) {
  const nlohmann::json receipt = {
      {"answer", "ja"}, {"cost", 1}, {"steps", nlohmann::json::array()}};
  const std::string hash = receipt_hash(receipt);
  EXPECT_EQ(store_->receipt(hash).error().code, ErrorCode::kNotFound);
  MUST(store_->put_receipt(hash, receipt.dump()));
  // The same answer again, at another cost: the first one stays.
  nlohmann::json again = receipt;
  again["cost"] = 2;
  MUST(store_->put_receipt(hash, again.dump()));
  EXPECT_EQ(MUST(store_->receipt(hash)), receipt.dump());
  // One that is not what its hash says gives way.
  const std::string other = sha256("other").hex();
  MUST(store_->put_receipt(other, receipt.dump()));
  MUST(store_->put_receipt(other, again.dump()));
  EXPECT_EQ(MUST(store_->receipt(other)), again.dump());
  EXPECT_EQ(store_->put_receipt("abc", "{}").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(store_->receipt("' OR 1=1 --").error().code, ErrorCode::kInvalidArgument);
}

TEST_F(CorpusStoreTest, TracesAreFoundByIdPrefixAndLast) {
  EXPECT_EQ(store_->trace("last").error().code, ErrorCode::kNotFound);
  MUST(store_->put_trace("t-20261201-ab", "1"));
  MUST(store_->put_trace("t-20261201-abc", "2"));
  MUST(store_->put_trace("t-20261202-xy", "3"));
  EXPECT_EQ(MUST(store_->trace("last")), "3");
  EXPECT_EQ(MUST(store_->trace("t-20261201-ab")), "1");  // Exact, though also a prefix.
  EXPECT_EQ(MUST(store_->trace("t-20261201-abc")), "2");
  EXPECT_EQ(MUST(store_->trace("t-20261202")), "3");
  EXPECT_EQ(store_->trace("t-20261201").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(store_->trace("u").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(store_->trace("").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(store_->trace("%").error().code, ErrorCode::kNotFound);
  MUST(store_->put_trace("t-20261201-ab", "4"));
  EXPECT_EQ(MUST(store_->trace("last")), "4");
  EXPECT_FALSE(store_->put_trace("last", "{}"));
  EXPECT_FALSE(store_->put_trace("", "{}"));
}

TEST_F(CorpusStoreTest, OnlyTheNewestThousandTracesAreKept) {
  {
    // Traces 0 to 999 at once: a thousand durable transactions would take their time.
    const auto raw = MUST(open_truth(folder_.path() / "truth.db"));
    MUST(raw->execute(
        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 999)"
        " INSERT INTO trace(id, created_at, json) SELECT 't-' || (10000 + i), 0, '{}' FROM n"));
  }
  EXPECT_TRUE(store_->trace("t-10000"));
  for (int i = 1'000; i < 1'003; ++i) {
    MUST(store_->put_trace("t-" + std::to_string(10'000 + i), "{}"));
  }
  EXPECT_FALSE(store_->trace("t-10002"));
  EXPECT_TRUE(store_->trace("t-10003"));
  EXPECT_TRUE(store_->trace("t-11002"));
}

TEST_F(CorpusStoreTest, AnswersAreRecordedWhileAnIngestRuns) {
  const auto asker = MUST(CorpusStore::open(folder_.path()));
  MUST(store_->begin());
  MUST(stage(*store_, "a", "wartet im Speicher"));
  MUST(asker->put_trace("t-1", "{}"));  // Would wait for the busy timeout if the lock were held.
  MUST(store_->commit("{}"));
}

TEST_F(CorpusStoreTest, ForeignAndNewerFilesAreRefused) {
  store_.reset();
  {
    const auto raw =
        MUST(SqliteDatabase::open(folder_.path() / "truth.db", SqliteDatabase::Mode::kOpen));
    MUST(raw->execute("PRAGMA user_version = 99"));
  }
  const auto newer = CorpusStore::open_or_create(folder_.path());
  ASSERT_FALSE(newer);
  EXPECT_EQ(newer.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(newer.error().message.find("newer Beleg"), std::string::npos);
  EXPECT_EQ(newer.error().remedy, "update Beleg");

  const auto refuse = [&](std::string_view bytes) {
    std::ofstream(folder_.path() / "truth.db", std::ios::binary | std::ios::trunc) << bytes;
    const auto foreign = CorpusStore::open_or_create(folder_.path());
    ASSERT_FALSE(foreign);
    EXPECT_EQ(foreign.error().code, ErrorCode::kCorrupt) << foreign.error().to_line();
    EXPECT_FALSE(foreign.error().remedy.empty());
  };
  refuse("");
  refuse("just a text file that someone put here, long enough to be looked at: " +
         std::string(200, 'x'));
  refuse("SQLite format 3");
}

TEST_F(CorpusStoreTest, TwoCreatorsShareOneCorpus) {
  const std::filesystem::path folder = folder_.path() / "deep" / "corpus";
  std::vector<std::thread> creators;
  for (int i = 0; i < 8; ++i) {
    creators.emplace_back([&] {
      const auto opened = CorpusStore::open_or_create(folder);
      EXPECT_TRUE(opened) << opened.error().to_line();
    });
  }
  for (std::thread& creator : creators) creator.join();
  const auto store = MUST(CorpusStore::open(folder));
  EXPECT_EQ(MUST(store->current()).number, Generation{0});
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    EXPECT_EQ(entry.path().filename().string().find(".tmp."), std::string::npos);
  }
}

TEST(CorpusFolder, NamesCannotLeaveTheHome) {
  const std::filesystem::path home("home");
  EXPECT_EQ(MUST(corpus_folder(home, "news-2026.a_b")), home / "corpora" / "news-2026.a_b");
  EXPECT_TRUE(corpus_folder(home, std::string(64, 'a')));
  for (const std::string& name :
       {std::string(), std::string("."), std::string(".."), std::string("../x"), std::string("a/b"),
        std::string("A"), std::string(65, 'a'), std::string("-a"), std::string("a\0b", 3),
        std::string("ä"), std::string("a b"), std::string("/etc")}) {
    const auto refused = corpus_folder(home, name);
    ASSERT_FALSE(refused) << name;
    EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST(CorpusFolder, ListsCorporaOnly) {
  const TemporaryFolder home;
  EXPECT_TRUE(MUST(list_corpora(home.path())).empty());
  for (const char* name : {"zeta", "alpha", "m.1"}) {
    const std::filesystem::path folder = MUST(corpus_folder(home.path(), name));
    MUST(CorpusStore::open_or_create(folder));
  }
  std::filesystem::create_directories(home.path() / "corpora" / "no-truth");
  std::filesystem::create_directories(home.path() / "corpora" / "Upper");
  std::ofstream(home.path() / "corpora" / "Upper" / "truth.db") << "x";
  std::ofstream(home.path() / "corpora" / "file") << "x";
  EXPECT_EQ(MUST(list_corpora(home.path())), (std::vector<std::string>{"alpha", "m.1", "zeta"}));
}

}  // namespace
}  // namespace beleg

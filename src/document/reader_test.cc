#include "document/reader.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "document/date.h"
#include "document/reader_test_support.h"
#include "document/test_files.h"

namespace beleg {
namespace {

struct Outcome {
  std::vector<std::pair<std::uint64_t, Result<ParsedDocument>>> records;
  Result<void> whole;
};

Outcome read_all(const std::filesystem::path& path,
                 const ReadSettings& settings = default_settings()) {
  Outcome outcome;
  outcome.whole =
      read_documents(path, "vorgabe", settings, [&](std::uint64_t record, auto document) {
        outcome.records.emplace_back(record, std::move(document));
        return true;
      });
  return outcome;
}

ParsedDocument record(std::string_view line) {
  auto document = read_json_record(line, default_settings());
  EXPECT_TRUE(document) << document.error().to_line();
  if (!document) return {};
  EXPECT_EQ(broken_invariant(*document), "");
  return document.take();
}

TEST(JsonRecord, NewsFields) {
  const auto document = record(
      R"({"id": "n-1", "source": "blatt.example", "date": "2020-11-05T15:40:24+01:00",)"
      R"( "url": "https://blatt.example/1", "title": "Kopf", "text": "Erster.\n\nZweiter.\r\nNoch.",)"
      R"( "lang": "de", "tags": ["a", 2], "unbekannt": {"x": [1, 2]}, "access": ["intern"]})");
  EXPECT_EQ(document.meta.id, "n-1");
  EXPECT_EQ(document.meta.story, "n-1");
  EXPECT_EQ(document.meta.source, "blatt.example");
  EXPECT_EQ(document.meta.url, "https://blatt.example/1");
  EXPECT_EQ(document.meta.title, "Kopf");
  EXPECT_EQ(document.meta.language, "de");
  EXPECT_EQ(document.meta.tags, (Lines{"a", "2"}));
  EXPECT_EQ(document.meta.access, Lines{"intern"});
  ASSERT_TRUE(document.meta.published);
  EXPECT_EQ(document.meta.published->time, 1604587224);
  EXPECT_EQ(outline(document), (Lines{"p Erster.", "p Zweiter.\nNoch."}));
  EXPECT_TRUE(document.warnings.empty());
}

TEST(JsonRecord, BeirFields) {
  const auto document = record(R"({"_id": 7, "title": "T", "text": "Body", "metadata": {}})");
  EXPECT_EQ(document.meta.id, "7");
  EXPECT_EQ(document.text, "Body");
}

TEST(JsonRecord, TextStaysAsItIs) {
  const auto document = record("{\"text\": \"  TITEL\\n=====\\n\\tx  y\\n\"}");
  EXPECT_EQ(document.text, "  TITEL\n=====\n\tx  y\n");
  EXPECT_EQ(document.meta.title, "");
}

TEST(JsonRecord, TitleStandsForAnEmptyText) {
  const auto document = record(R"({"_id": "1", "title": "Nur ein Titel", "text": ""})");
  EXPECT_EQ(document.text, "Nur ein Titel");
  EXPECT_EQ(document.warnings.size(), 1U);
}

TEST(JsonRecord, OtherFieldNames) {
  ReadSettings settings = default_settings();
  settings.fields["text"] = {"inhalt", "text"};
  settings.fields["published"] = {"stand"};
  const auto document = read_json_record(
      R"({"text": "zweite Wahl", "inhalt": "erste Wahl", "stand": "8. März 2021", "date": "x"})",
      settings);
  ASSERT_TRUE(document);
  EXPECT_EQ(document->text, "erste Wahl");
  ASSERT_TRUE(document->meta.published);
  EXPECT_EQ(format_date(*document->meta.published), "2021-03-08");
  EXPECT_TRUE(document->warnings.empty());
}

TEST(JsonRecord, WrongTypesAreWarnings) {
  const auto document = record(
      R"({"text": "x", "title": ["a"], "url": {"a": 1}, "date": 5, "lang": 3, "tags": true})");
  EXPECT_EQ(
      document.warnings,
      (Lines{"field 'title' is a list, not text", "date '5' in field 'date' is not readable",
             "field 'lang' is a number, not a language", "field 'url' is a nested value, not text",
             "field 'tags' is true or false, not a list"}));
}

TEST(JsonRecord, MissingTextIsAnError) {
  for (const char* line : {R"({"title": "x"})", R"({"text": null})", R"({"text": 5})",
                           R"({"text": ["a"]})", R"({"text": " \n"})"}) {
    const auto document = read_json_record(line, default_settings());
    ASSERT_FALSE(document) << line;
    EXPECT_EQ(document.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(document.error().message.find("text"), std::string::npos);
  }
}

TEST(JsonRecord, BadJsonSaysWhere) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"text": "ä" "x"})", "column 16: "},  // After the second string, counted in characters.
      {R"({"text": nul})", "column 13: "},     {R"({"text": "x")", "column "},
      {R"([1])", "another kind of value"},     {R"("x")", "another kind of value"},
      {R"({"text": "\ud800"})", "column "},    {"{\"text\": \"a\tb\"}", "column "},
  };
  for (const auto& [line, where] : cases) {
    const auto document = read_json_record(line, default_settings());
    ASSERT_FALSE(document) << line;
    EXPECT_EQ(document.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(document.error().message.find(where), std::string::npos) << document.error().message;
  }
}

TEST(JsonRecord, WhatOnlyTheSlowParserReads) {
  const auto document =
      record(R"({"nr": 123456789012345678901234567890, "text": "x", "tags": ["a"]})");
  EXPECT_EQ(document.text, "x");
  EXPECT_EQ(document.meta.tags, Lines{"a"});
  std::string deep =
      R"({"text": "x", "a": )" + std::string(5000, '[') + std::string(5000, ']') + "}";
  EXPECT_EQ(record(deep).text, "x");
}

TEST(JsonRecord, NulAndLatin1) {
  const auto nul = record(R"({"text": "a\u0000b"})");
  EXPECT_EQ(nul.text, "a\uFFFDb");
  EXPECT_EQ(nul.replacements, 1U);
  const auto latin = record(
      "{\"text\": \"f\xFC"
      "r alle K\xE4ufer\"}");
  EXPECT_EQ(latin.text, "für alle Käufer");
  EXPECT_NE(latin.encoding, "UTF-8");
}

TEST(JsonLines, BadLinesDoNotStopTheRest) {
  const TestFolder folder;
  const auto path = folder.write("a.jsonl",
                                 "\xEF\xBB\xBF{\"id\": \"1\", \"text\": \"eins\"}\r\n"
                                 "\n"
                                 "{\"text\": \"zwei\"\n"
                                 "{\"text\": \"drei\"}\n"
                                 "{\"id\": \"x\"}\n"
                                 "{\"id\": \"6\", \"text\": \"sechs\"}");
  const Outcome outcome = read_all(path);
  ASSERT_TRUE(outcome.whole) << outcome.whole.error().to_line();
  ASSERT_EQ(outcome.records.size(), 5U);
  EXPECT_EQ(outcome.records[0].first, 1U);
  EXPECT_EQ(outcome.records[0].second->meta.id, "1");
  EXPECT_EQ(outcome.records[1].first, 3U);
  ASSERT_FALSE(outcome.records[1].second);
  EXPECT_TRUE(outcome.records[1].second.error().message.starts_with("line 3: "))
      << outcome.records[1].second.error().message;
  EXPECT_EQ(outcome.records[2].second->meta.id, "vorgabe#4");
  EXPECT_EQ(outcome.records[2].second->meta.story, "vorgabe#4");
  EXPECT_FALSE(outcome.records[3].second);
  EXPECT_EQ(outcome.records[4].first, 6U);
  EXPECT_EQ(outcome.records[4].second->text, "sechs");
}

TEST(JsonLines, TheSinkCanStop) {
  const TestFolder folder;
  const auto path =
      folder.write("a.ndjson", "{\"text\":\"1\"}\n{\"text\":\"2\"}\n{\"text\":\"3\"}\n");
  int seen = 0;
  ASSERT_TRUE(
      read_documents(path, "x", default_settings(), [&](auto, auto) { return ++seen < 2; }));
  EXPECT_EQ(seen, 2);
}

TEST(JsonLines, LongLinesAreErrorsAndTheNextIsRead) {
  const TestFolder folder;
  ReadSettings settings = default_settings();
  settings.max_record_bytes = 100;
  for (const std::size_t length : {101U, 5000U, 3000000U}) {
    const auto path =
        folder.write("a.jsonl", "{\"text\": \"" + std::string(length, 'x') +
                                    "\"}\n{\"text\": \"kurz\"}\n" + std::string(length, 'y'));
    const Outcome outcome = read_all(path, settings);
    ASSERT_TRUE(outcome.whole);
    ASSERT_EQ(outcome.records.size(), 3U) << length;
    ASSERT_FALSE(outcome.records[0].second);
    EXPECT_EQ(outcome.records[0].second.error().code, ErrorCode::kLimit);
    EXPECT_EQ(outcome.records[1].second->text, "kurz");
    EXPECT_EQ(outcome.records[1].first, 2U);
    EXPECT_FALSE(outcome.records[2].second);
  }
}

TEST(ReadDocuments, TheLimitOfRecordsIsNotThatOfFiles) {
  const TestFolder folder;
  ReadSettings settings = default_settings();
  settings.max_record_bytes = 10;
  for (const char* name : {"a.txt", "a.md", "a.html"}) {
    const Outcome outcome = read_all(folder.write(name, "Mehr als zehn Bytes."), settings);
    ASSERT_TRUE(outcome.whole) << name;
    ASSERT_EQ(outcome.records.size(), 1U) << name;
    EXPECT_EQ(outcome.records[0].second->text, "Mehr als zehn Bytes.") << name;
  }
  settings.max_file_bytes = 10;
  const Outcome outcome = read_all(folder.write("a.txt", "Mehr als zehn Bytes."), settings);
  ASSERT_FALSE(outcome.whole);
  EXPECT_EQ(outcome.whole.error().code, ErrorCode::kLimit);
}

TEST(JsonLines, LinesAcrossReadBuffersStayWhole) {
  const TestFolder folder;
  std::string bytes;
  for (int i = 0; i < 3000; ++i) {
    const std::string text(static_cast<std::size_t>(i * 37 % 2000),
                           static_cast<char>('a' + i % 26));
    bytes += "{\"id\": " + std::to_string(i) + ", \"text\": \"T" + text + "\"}\n";
  }
  ASSERT_GT(bytes.size(), 2U << 20U);
  const Outcome outcome = read_all(folder.write("a.jsonl", bytes));
  ASSERT_EQ(outcome.records.size(), 3000U);
  for (std::size_t i = 0; i < 3000; ++i) {
    ASSERT_TRUE(outcome.records[i].second);
    EXPECT_EQ(outcome.records[i].second->meta.id, std::to_string(i));
    EXPECT_EQ(outcome.records[i].second->text.size(), 1 + i * 37 % 2000);
  }
}

TEST(JsonLines, Utf16IsReadAsAWhole) {
  const TestFolder folder;
  std::string bytes = "\xFF\xFE";
  for (const char c : std::string("{\"text\": \"eins\"}\n{\"text\": \"zwei\"}\n")) {
    bytes += c;
    bytes += '\0';
  }
  const Outcome outcome = read_all(folder.write("a.jsonl", bytes));
  ASSERT_TRUE(outcome.whole) << outcome.whole.error().to_line();
  ASSERT_EQ(outcome.records.size(), 2U);
  EXPECT_EQ(outcome.records[1].second->text, "zwei");
}

TEST(JsonLines, WhatIsNoJsonLinesIsOneError) {
  const TestFolder folder;
  const std::pair<std::string, ErrorCode> cases[] = {
      {"[\n{\"text\": \"x\"}\n]\n", ErrorCode::kUnsupported},
      {"{\n  \"text\": \"x\"\n}\n", ErrorCode::kUnsupported},
      {"%PDF-1.4\n%abc\n", ErrorCode::kUnsupported},
      {std::string("\x7F"
                   "ELF\0\0\0\0",
                   8),
       ErrorCode::kUnsupported},
      {"", ErrorCode::kInvalidArgument},
      {"\n  \n\n", ErrorCode::kInvalidArgument},
  };
  for (const auto& [bytes, code] : cases) {
    const Outcome outcome = read_all(folder.write("a.jsonl", bytes));
    ASSERT_FALSE(outcome.whole) << bytes;
    EXPECT_EQ(outcome.whole.error().code, code) << outcome.whole.error().message;
    EXPECT_TRUE(outcome.records.empty());
  }
}

TEST(ReadDocuments, KindsByTheirSuffix) {
  EXPECT_TRUE(is_readable_kind("a.md"));
  EXPECT_TRUE(is_readable_kind("a.MARKDOWN"));
  EXPECT_TRUE(is_readable_kind("b/a.Htm"));
  EXPECT_TRUE(is_readable_kind("a.xhtml"));
  EXPECT_TRUE(is_readable_kind("a.txt"));
  EXPECT_TRUE(is_readable_kind("a.ndjson"));
  EXPECT_FALSE(is_readable_kind("a.pdf"));
  EXPECT_FALSE(is_readable_kind("md"));
  EXPECT_FALSE(is_readable_kind(".md"));
  EXPECT_FALSE(is_readable_kind("a.md~"));
  const TestFolder folder;
  const Outcome outcome = read_all(folder.write("a.pdf", "x"));
  ASSERT_FALSE(outcome.whole);
  EXPECT_EQ(outcome.whole.error().code, ErrorCode::kUnsupported);
}

TEST(ReadDocuments, DefaultIdAndOwnId) {
  const TestFolder folder;
  const Outcome plain = read_all(folder.write("a.md", "# Kopf\n\nText\n"));
  ASSERT_EQ(plain.records.size(), 1U);
  EXPECT_EQ(plain.records[0].first, 0U);
  EXPECT_EQ(plain.records[0].second->meta.id, "vorgabe");
  EXPECT_EQ(plain.records[0].second->meta.story, "vorgabe");
  const Outcome named = read_all(folder.write("b.md", "---\nid: x\nstory: s\n---\nText\n"));
  EXPECT_EQ(named.records[0].second->meta.id, "x");
  EXPECT_EQ(named.records[0].second->meta.story, "s");
}

TEST(ReadDocuments, BinaryBehindAWrongSuffix) {
  const TestFolder folder;
  const Outcome outcome = read_all(folder.write("foto.md", "\x89PNG\r\n\x1a\n...."));
  ASSERT_FALSE(outcome.whole);
  EXPECT_EQ(outcome.whole.error().code, ErrorCode::kUnsupported);
  const std::string& message = outcome.whole.error().message;
  EXPECT_NE(message.find("foto.md"), std::string::npos) << message;
  EXPECT_NE(message.find("PNG"), std::string::npos) << message;
  EXPECT_NE(message.find("Markdown"), std::string::npos) << message;
}

TEST(ReadDocuments, HtmlBehindAWrongSuffixIsReadAsHtml) {
  const TestFolder folder;
  const Outcome outcome = read_all(folder.write("a.txt", "<!DOCTYPE html><p>Text <b>hier</b>"));
  ASSERT_EQ(outcome.records.size(), 1U);
  EXPECT_EQ(outcome.records[0].second->text, "Text hier");
  EXPECT_EQ(outcome.records[0].second->warnings.size(), 1U);
}

TEST(ReadDocuments, EmptyMissingAndTooLargeFiles) {
  const TestFolder folder;
  for (const char* name : {"a.md", "a.txt", "a.html"}) {
    EXPECT_EQ(read_all(folder.write(name, " \n")).whole.error().code, ErrorCode::kInvalidArgument);
  }
  EXPECT_EQ(read_all(folder.path() / "fehlt.md").whole.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(read_all(folder.path() / "fehlt.jsonl").whole.error().code, ErrorCode::kNotFound);
  ReadSettings settings = default_settings();
  settings.max_file_bytes = 3;
  EXPECT_EQ(read_all(folder.write("a.md", "1234"), settings).whole.error().code, ErrorCode::kLimit);
}

ParsedDocument plain(std::string_view text) {
  auto document = read_plain_text(text, default_settings());
  EXPECT_TRUE(document) << document.error().to_line();
  if (!document) return {};
  EXPECT_EQ(broken_invariant(*document), "");
  return document.take();
}

TEST(PlainText, ParagraphsAndTitle) {
  const auto document =
      plain("Die kurze Überschrift\n\nErster Absatz\nläuft weiter.\n \t\nZweiter.\n");
  EXPECT_EQ(outline(document),
            (Lines{"p Die kurze Überschrift", "p Erster Absatz\nläuft weiter.", "p Zweiter."}));
  EXPECT_EQ(document.meta.title, "Die kurze Überschrift");
  EXPECT_EQ(plain("Nur eine Zeile").meta.title, "");
  EXPECT_EQ(plain("Zeile\nnoch eine\n\nx").meta.title, "");
  EXPECT_EQ(plain(std::string(120, 'a') + "\n\nx").meta.title, "");
  EXPECT_EQ(plain(std::string(119, 'a') + "\n\nx").meta.title, std::string(119, 'a'));
}

TEST(PlainText, ObviousHeadings) {
  const auto document = plain(
      "Handbuch\n========\nText gleich darunter.\n\nEinbau\n------\n\nText.\n\nWARTUNG UND "
      "PFLEGE\n\n"
      "Text.\n\nABC\n\nNICHT SO EIN SATZ.\n\n- - -\n\nTEIL Straße\n");
  EXPECT_EQ(outline(document),
            (Lines{"h1 Handbuch\n========", "p Text gleich darunter.", "h2 Einbau\n------",
                   "p Text.", "h2 WARTUNG UND PFLEGE", "p Text.", "p ABC", "p NICHT SO EIN SATZ.",
                   "p - - -", "p TEIL Straße"}));
  EXPECT_EQ(document.meta.title, "Handbuch");
}

TEST(PlainText, FormFeedsArePages) {
  const auto document = plain("eins\nläuft\f\nzwei\n\n\fdrei\fvier");
  ASSERT_EQ(document.blocks.size(), 4U);
  EXPECT_EQ(outline(document), (Lines{"p eins\nläuft", "p zwei", "p drei", "p vier"}));
  EXPECT_EQ(document.blocks[0].page, 1U);
  EXPECT_EQ(document.blocks[1].page, 2U);
  EXPECT_EQ(document.blocks[2].page, 3U);
  EXPECT_EQ(document.blocks[3].page, 4U);
  EXPECT_EQ(plain("ohne Seiten").blocks[0].page, 0U);
}

}  // namespace
}  // namespace beleg

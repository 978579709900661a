#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "document/date.h"
#include "document/folder.h"
#include "document/reader.h"
#include "document/reader_test_support.h"
#include "document/test_files.h"

namespace beleg {
namespace {

std::vector<ParsedDocument> read_folder(const std::filesystem::path& root) {
  std::vector<ParsedDocument> documents;
  const auto listing = list_folder(root);
  EXPECT_TRUE(listing);
  if (!listing) return documents;
  EXPECT_TRUE(listing->problems.empty());
  for (const FoundFile& file : listing->files) {
    const auto whole =
        read_documents(file.path, file.default_id, default_settings(),
                       [&](std::uint64_t record, Result<ParsedDocument> document) {
                         EXPECT_TRUE(document) << file.default_id << " record " << record << ": "
                                               << document.error().to_line();
                         if (!document) return true;
                         EXPECT_EQ(broken_invariant(*document), "") << file.default_id;
                         documents.push_back(document.take());
                         return true;
                       });
    EXPECT_TRUE(whole) << whole.error().to_line();
  }
  return documents;
}

bool has_block(const ParsedDocument& document, const std::string& line) {
  const Lines lines = outline(document);
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

TEST(SharedData, GermanBlogInMarkdown) {
  const auto data = test_data("okfn_blog_de");
  if (data.empty()) GTEST_SKIP() << "no test data: okfn_blog_de";
  const auto documents = read_folder(data / "shared");
  ASSERT_EQ(documents.size(), 283U);
  // The data set's own list of what its front matter says.
  std::map<std::string, nlohmann::json> expected;
  std::ifstream manifest(data / "manifest_shared.jsonl");
  for (std::string line; std::getline(manifest, line);) {
    const auto json = nlohmann::json::parse(line);
    expected[json.at("path").get<std::string>().substr(std::string("shared/").size())] = json;
  }
  ASSERT_EQ(expected.size(), 283U);
  std::size_t same_language = 0;
  for (const ParsedDocument& document : documents) {
    const auto& row = expected.at(document.meta.id);
    EXPECT_TRUE(document.warnings.empty()) << document.meta.id << ": " << document.warnings.front();
    EXPECT_EQ(document.meta.authors, Lines{row.at("author").get<std::string>()});
    EXPECT_EQ(document.encoding, "UTF-8");
    ASSERT_TRUE(document.meta.published) << document.meta.id;
    EXPECT_EQ(format_date(*document.meta.published).substr(0, 10),
              row.at("date").get<std::string>().substr(0, 10));
    same_language += document.meta.language == row.at("lang").get<std::string>() ? 1 : 0;
  }
  EXPECT_GE(same_language, 278U);  // The list's languages are a guess as well.
}

TEST(SharedData, GermanNewsInJsonLines) {
  const auto data = test_data("fang_news_de");
  if (data.empty()) GTEST_SKIP() << "no test data: fang_news_de";
  const auto file = data / "shared_tagesspiegel_zeit.jsonl";
  std::size_t documents = 0;
  std::size_t german = 0;
  std::size_t with_zone = 0;
  UnixSeconds first = 0;
  UnixSeconds last = 0;
  const auto whole = read_documents(file, "news", default_settings(),
                                    [&](std::uint64_t record, Result<ParsedDocument> document) {
                                      EXPECT_TRUE(document) << record;
                                      if (!document) return true;
                                      EXPECT_EQ(broken_invariant(*document), "");
                                      EXPECT_TRUE(document->warnings.empty());
                                      EXPECT_TRUE(document->meta.id.starts_with("fang-"));
                                      EXPECT_TRUE(document->meta.published.has_value());
                                      if (!document->meta.published) return true;
                                      if (documents == 0) first = document->meta.published->time;
                                      last = document->meta.published->time;
                                      with_zone += document->meta.published->has_zone ? 1 : 0;
                                      german += document->meta.language == "de" ? 1 : 0;
                                      ++documents;
                                      return true;
                                    });
  ASSERT_TRUE(whole);
  EXPECT_EQ(documents, 1411U);
  EXPECT_EQ(with_zone, 1411U);
  EXPECT_GE(german, 1409U);
  EXPECT_EQ(first, 1580294343);  // By Python's datetime.fromisoformat.
  EXPECT_EQ(last, 1615233655);
}

TEST(SharedData, ManualsInHtml) {
  const auto data = test_data("debian_docs");
  if (data.empty()) GTEST_SKIP() << "no test data: debian_docs";
  for (const std::string language : {"de", "en"}) {
    std::size_t headings = 0;
    std::size_t tables = 0;
    std::size_t codes = 0;
    const auto documents = read_folder(data / ("reference_html_" + language));
    ASSERT_EQ(documents.size(), 15U);
    for (const ParsedDocument& document : documents) {
      EXPECT_EQ(document.meta.language, language) << document.meta.id;
      EXPECT_TRUE(document.warnings.empty());
      EXPECT_FALSE(document.meta.title.empty());
      for (const char* navigation : {"Inhaltsverzeichnis", "Table of Contents", "Weiter\n"}) {
        EXPECT_EQ(document.text.find(navigation), std::string::npos) << document.meta.id;
      }
      for (const Block& block : document.blocks) {
        headings += block.kind == BlockKind::kHeading ? 1 : 0;
        tables += block.kind == BlockKind::kTable ? 1 : 0;
        codes += block.kind == BlockKind::kCode ? 1 : 0;
      }
    }
    EXPECT_GE(headings, 462U);  // The sections that the data set counts.
    EXPECT_GE(tables, 150U);
    EXPECT_GE(codes, 200U);
  }
}

TEST(SharedData, OneManualChapterBlockByBlock) {
  const auto data = test_data("debian_docs");
  if (data.empty()) GTEST_SKIP() << "no test data: debian_docs";
  const auto documents = read_folder(data / "reference_html_de" / "ch02.de.html");
  ASSERT_EQ(documents.size(), 1U);
  const ParsedDocument& chapter = documents.front();
  EXPECT_EQ(chapter.meta.title, "Kapitel 2. Debian-Paketmanagement");
  EXPECT_EQ(outline(chapter).front(), "h1 Kapitel 2. Debian-Paketmanagement");
  EXPECT_TRUE(has_block(chapter, "h3 2.1.4. Grundlagen über das Debian-Archiv"));
  EXPECT_TRUE(has_block(chapter, "l1 Erstellen Sie keine \"/etc/apt/preferences\"-Datei."));
  EXPECT_TRUE(has_block(
      chapter,
      "t Zeitraum | Suite = Stable | Suite = Testing | Suite = Unstable\n"
      "nach der Veröffentlichung von Bullseye | Codename = Bullseye | Codename = Bookworm | "
      "Codename = Sid\n"
      "nach der Veröffentlichung von Bookworm | Codename = Bookworm | Codename = Trixie | "
      "Codename = Sid"));
}

TEST(SharedData, EverySectionOfTheManualsIsFound) {
  const auto data = test_data("debian_docs");
  if (data.empty()) GTEST_SKIP() << "no test data: debian_docs";
  for (const std::string language : {"de", "en"}) {
    Lines headings;
    for (const ParsedDocument& document : read_folder(data / ("reference_html_" + language))) {
      for (const std::string& line : outline(document)) {
        if (line.front() == 'h') headings.push_back(line);
      }
    }
    std::ifstream sections(data / ("reference_sections_" + language + ".jsonl"));
    std::size_t found = 0;
    std::size_t all = 0;
    for (std::string line; std::getline(sections, line);) {
      const std::string number = nlohmann::json::parse(line).at("number");
      ++all;
      found += std::any_of(headings.begin(), headings.end(), [&](const std::string& heading) {
        return heading.find(" " + number + ".") != std::string::npos;
      });
    }
    EXPECT_EQ(all, 462U);
    EXPECT_EQ(found, all) << language;
  }
}

TEST(SharedData, TextOfAManualHasItsPages) {
  const auto file = test_data("fixtures_robustness/pdf_german/debian-faq.de.txt");
  if (file.empty()) GTEST_SKIP() << "no test data: fixtures_robustness/pdf_german";
  const auto documents = read_folder(file);
  ASSERT_EQ(documents.size(), 1U);
  EXPECT_EQ(documents.front().meta.language, "de");
  EXPECT_GT(documents.front().blocks.size(), 100U);
}

}  // namespace
}  // namespace beleg

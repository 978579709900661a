#include <gtest/gtest.h>

#include <string>

#include "document/date.h"
#include "document/fields.h"
#include "document/reader.h"
#include "document/reader_test_support.h"

namespace beleg {
namespace {

ParsedDocument read(std::string_view source) {
  auto document = read_markdown(source, default_settings());
  EXPECT_TRUE(document) << document.error().to_line();
  if (!document) return {};
  EXPECT_EQ(broken_invariant(*document), "") << source;
  return document.take();
}

/// Why the source cannot be read, in one line.
std::string failure(std::string_view source) {
  const auto document = read_markdown(source, default_settings());
  EXPECT_FALSE(document) << source;
  if (document) return {};
  EXPECT_EQ(document.error().code, ErrorCode::kInvalidArgument);
  return document.error().to_line();
}

bool warns_of(const ParsedDocument& document, std::string_view text) {
  for (const std::string& warning : document.warnings) {
    if (warning.find(text) != std::string::npos) return true;
  }
  return false;
}

TEST(Markdown, RendersWhatAReaderSees) {
  const auto document = read(
      "# Der *große* Titel\n\n"
      "Ein **fetter** Satz mit [Verweis](https://example.org \"t\"), `code()` und ~~weg~~.\n"
      "Zweite Zeile &amp; Ende\\*.\n\n"
      "![Ein Bild](b.png)\n\n"
      "> Zitat\n\n"
      "Unter\n-----\n\n"
      "- eins\n- zwei\n  - innen\n\n    zweiter Absatz\n1. erstens\n\n"
      "```cpp\n  int x = 1;\n\n  return *x;\n```\n\n"
      "| a | b |\n|---|---|\n| 1 | **2** |\n| 3 | |\n\n"
      "***\n\nEnde<br>hier <b>fett</b> <!-- weg -->.\n");
  EXPECT_EQ(outline(document),
            (Lines{"h1 Der große Titel",
                   "p Ein fetter Satz mit Verweis, code() und weg. Zweite Zeile & Ende*.",
                   "x Ein Bild", "p Zitat", "h2 Unter", "l1 eins", "l1 zwei", "l2 innen",
                   "l2 zweiter Absatz", "l1 erstens", "c   int x = 1;\n\n  return *x;",
                   "t a | b\n1 | 2\n3 |", "p Ende\nhier fett ."}));
  EXPECT_EQ(document.meta.title, "Der große Titel");
  EXPECT_TRUE(document.text.starts_with("Der große Titel\n\nEin fetter"));
  EXPECT_TRUE(document.warnings.empty());
}

TEST(Markdown, SpansCountCodePoints) {
  const auto document = read("# 🧀 Äpfel\n\nÜber uns\n");
  ASSERT_EQ(document.blocks.size(), 2U);
  EXPECT_EQ(document.blocks[0].span, (Span{0, 7}));
  EXPECT_EQ(document.blocks[1].span, (Span{9, 17}));
}

TEST(Markdown, HtmlInsideIsReducedToText) {
  const auto document = read(
      "Vorher\n\n"
      "<figure>\n<a href=\"x\"><img src=\"y\" alt=\"z\"></a></img>\n"
      "<figcaption class=\"c\">Foto: Eva</figcaption>\n</figure>\n\n"
      "<div><p>Absatz <i>eins</i></p><ul><li>Punkt</li></ul></div>\n\n"
      "<script>\nalert('weg')\n</script>\n\n"
      "Text <script>auch weg</script> bleibt <span style='x'>stehen</span>\n\n"
      "<!-- Kommentar -->\n\n"
      "3 < 5 und &nbsp; fertig\n");
  EXPECT_EQ(outline(document), (Lines{"p Vorher", "x Foto: Eva", "p Absatz eins", "l1 Punkt",
                                      "p Text bleibt stehen", "p 3 < 5 und \u00A0 fertig"}));
}

TEST(Markdown, FootnotesAndTasks) {
  const auto document = read("Satz mit Note[^1].\n\n- [x] getan\n- [ ] offen\n\n[^1]: Die Note.\n");
  EXPECT_EQ(outline(document), (Lines{"p Satz mit Note.", "l1 getan", "l1 offen", "p Die Note."}));
}

TEST(Markdown, BracketsThatLookLikeFootnotesLoseNoText) {
  EXPECT_EQ(outline(read("Ein [^1 Wört mit \"Ü\".\nUnd ä]\nmehr\n\n[^2]\n")),
            (Lines{"p Ein [^1 Wört mit \"Ü\". Und ä] mehr", "p [^2]"}));
}

TEST(FrontMatter, YamlFieldsAreRead) {
  const auto document = read(
      "---\nauthor: Jana Wolf\ndate: 2015-06-23 16:00\nlast_modified: 2015-06-24T08:00:00+02:00\n"
      "image:\n  src: /a.jpg\nlang: de-DE\ntags:\n- Berlin\n- Offene Daten\n"
      "title: 'Wikis: ein Überblick'\nurl: https://example.org/a\nsource: Blatt\n"
      "story_id: 4711\naccess: [intern, presse]\nid: a-1\ndomain: news\n---\n\nText hier.\n");
  const DocumentMetadata& meta = document.meta;
  EXPECT_EQ(meta.title, "Wikis: ein Überblick");
  EXPECT_EQ(meta.authors, Lines{"Jana Wolf"});
  EXPECT_EQ(meta.tags, (Lines{"Berlin", "Offene Daten"}));
  EXPECT_EQ(meta.access, (Lines{"intern", "presse"}));
  EXPECT_EQ(meta.language, "de");
  EXPECT_EQ(meta.url, "https://example.org/a");
  EXPECT_EQ(meta.source, "Blatt");
  EXPECT_EQ(meta.story, "4711");
  EXPECT_EQ(meta.id, "a-1");
  EXPECT_EQ(meta.domain, "news");
  ASSERT_TRUE(meta.published);
  EXPECT_EQ(meta.published->time, 1435075200);  // date -u -d "2015-06-23 16:00" +%s
  EXPECT_EQ(meta.published->precision, DatePrecision::kMinute);
  EXPECT_FALSE(meta.published->has_zone);
  ASSERT_TRUE(meta.updated);
  EXPECT_EQ(format_date(*meta.updated), "2015-06-24T06:00:00Z");
  EXPECT_TRUE(document.warnings.empty()) << document.warnings.front();
  EXPECT_EQ(document.text, "Text hier.");
}

TEST(FrontMatter, TomlFieldsAreRead) {
  const auto document = read(
      "+++\ntitle = \"Über uns\"\ndate = 2021-03-08T14:05:00+01:00\nupdated = 2021-03-09\n"
      "tags = [\"a\", \"b\"]\nauthors = \"Eva Kurz; Max Lang\"\ndraft = false\n[extra]\nx = 1\n"
      "+++\nInhalt\n");
  EXPECT_EQ(document.meta.title, "Über uns");
  ASSERT_TRUE(document.meta.published);
  EXPECT_EQ(format_date(*document.meta.published), "2021-03-08T13:05:00Z");
  ASSERT_TRUE(document.meta.updated);
  EXPECT_EQ(document.meta.updated->precision, DatePrecision::kDay);
  EXPECT_EQ(document.meta.tags, (Lines{"a", "b"}));
  EXPECT_EQ(document.meta.authors, (Lines{"Eva Kurz", "Max Lang"}));
  EXPECT_EQ(document.text, "Inhalt");
  EXPECT_TRUE(document.warnings.empty()) << document.warnings.front();
}

TEST(FrontMatter, ListsMayBeWrittenInOneLine) {
  EXPECT_EQ(read("---\ntags: Berlin, Offene Daten,, Berlin\n---\nx\n").meta.tags,
            (Lines{"Berlin", "Offene Daten"}));
  EXPECT_EQ(read("---\ntags: [a, 1, true]\n---\nx\n").meta.tags, (Lines{"a", "1", "true"}));
  EXPECT_EQ(read("---\nauthor: Anna Schmidt, Peter Müller\n---\nx\n").meta.authors,
            (Lines{"Anna Schmidt", "Peter Müller"}));
  EXPECT_EQ(read("---\nauthor: Schmidt, Anna\n---\nx\n").meta.authors, Lines{"Schmidt, Anna"});
  EXPECT_EQ(read("---\nauthors:\n- name: Anna\n- name: Peter\n---\nx\n").meta.authors,
            (Lines{"Anna", "Peter"}));
}

TEST(FrontMatter, UnreadableDateIsAWarningThatNamesTheField) {
  const auto document = read("---\ntitle: T\ndate: neulich\nupdated: 2021-02-30\n---\nText\n");
  EXPECT_FALSE(document.meta.published);
  EXPECT_FALSE(document.meta.updated);
  EXPECT_EQ(document.warnings, (Lines{"date 'neulich' in field 'date' is not readable",
                                      "date '2021-02-30' in field 'updated' is not readable"}));
  EXPECT_EQ(document.meta.title, "T");
}

TEST(FrontMatter, PublishedMayBeAFlag) {
  const auto document = read("---\npublished: true\ndate: 2014-12-14\n---\nText\n");
  ASSERT_TRUE(document.meta.published);
  EXPECT_EQ(format_date(*document.meta.published), "2014-12-14");
  EXPECT_TRUE(document.warnings.empty());
}

TEST(FrontMatter, WrongTypesAreWarningsThatNameTheField) {
  const auto document =
      read("---\ntitle: [a, b]\ntags: {a: 1}\nlang: klingonisch\ndate: [1]\n---\n# H\n\nText\n");
  EXPECT_TRUE(warns_of(document, "field 'title' is a list, not text"));
  EXPECT_TRUE(warns_of(document, "field 'tags' is a nested value, not a list"));
  EXPECT_TRUE(warns_of(document, "language 'klingonisch' in field 'lang' is not known"));
  EXPECT_TRUE(warns_of(document, "field 'date' is a list, not a date"));
  EXPECT_EQ(document.meta.title, "H");
}

TEST(FrontMatter, InvalidYamlIsAnErrorThatNamesLineFieldAndRemedy) {
  EXPECT_EQ(failure("---\nid: A1\ntitle: Dachs: Egon\ndate: 2024-01-01\n---\n\nText\n"),
            "front matter is not valid YAML: line 3, field 'title': illegal map value (put the "
            "value into quotes)");
  EXPECT_EQ(failure("\n\n---\nid: A1\ntags: [a\ndate: 2024-01-01\n---\n\nText\n"),
            "front matter is not valid YAML: line 5, field 'tags': end of sequence flow not found "
            "(close the quote or bracket that the value opens)");
  EXPECT_NE(failure("---\nid: A1\ntitle: \"offen\nlang: de\n---\n\nText\n")
                .find("line 3, field 'title': "),
            std::string::npos);
}

TEST(FrontMatter, InvalidTomlIsAnErrorThatNamesLineFieldAndRemedy) {
  EXPECT_NE(failure("+++\nid = \"A1\"\ntitle = offen\n+++\n\nText\n")
                .find("front matter is not valid TOML: line 3, field 'title': "),
            std::string::npos);
  for (const char* date : {"2024-02-30", "2024-13-01T00:00:00Z", "2024-13-01"}) {
    const std::string source = std::string("date = ") + date + "\n+++\n\nText\n";
    EXPECT_NE(failure("+++\n" + source).find("line 2, field 'date': "), std::string::npos) << date;
    EXPECT_NE(failure("+++\nid = \"A\"\n" + source).find("line 3, field 'date': "),
              std::string::npos)
        << date;
    EXPECT_NE(failure("\n+++\n\nid = \"A\"\n" + source).find("line 5, field 'date': "),
              std::string::npos)
        << date;
  }
  EXPECT_NE(failure("+++\nid = \"A\"\naccess = [\"intern\"\nlang = \"de\"\n+++\nx\n")
                .find("field 'access': "),
            std::string::npos);
}

TEST(FrontMatter, ErrorsAreInWordsOfTheFile) {
  EXPECT_EQ(failure("+++\nid = \"A\"\ntitle = offen\n+++\nx\n"),
            "front matter is not valid TOML: line 3, field 'title': bad format: unknown value "
            "appeared (put the value into quotes)");
  EXPECT_EQ(failure("+++\nid = \"A\"\ndate = 2024-02-30\n+++\nx\n"),
            "front matter is not valid TOML: line 3, field 'date': invalid date: it does not "
            "conform RFC3339. (put the value into quotes)");
}

TEST(FrontMatter, NeverClosedIsAnError) {
  EXPECT_EQ(failure("---\nid: A1\naccess: [red]\n\nText\n"),
            "the front matter that begins in line 1 is never closed (end it with a line ---)");
  EXPECT_EQ(failure("\xEF\xBB\xBF\n \n---\nid: A1\n\nText\n"),
            "the front matter that begins in line 3 is never closed (end it with a line ---)");
  EXPECT_EQ(failure("+++\nid = \"A1\"\n\nText\n"),
            "the front matter that begins in line 1 is never closed (end it with a line +++)");
  for (const char* source :
       {"---\nnote: x\n", "---\n# Felder\nid: A1\nText\n", "---\n\nid: A1\n\nText\n",
        "---\n\nnote: x\n\naccess: [red]\n\nText\n", "---\n@x\naccess:[red]\nText\n",
        "---\nid: A1\n ---\nText\n", "---\nid: A1\r\n----\r\nText\n"}) {
    EXPECT_NE(failure(source).find("is never closed"), std::string::npos) << source;
  }
}

TEST(FrontMatter, MayStandBelowBlankLines) {
  const auto document = read("\n \t\n---\nid: A1\naccess: [red]\n---\n\nText\n");
  EXPECT_EQ(document.meta.id, "A1");
  EXPECT_EQ(document.meta.access, Lines{"red"});
  EXPECT_EQ(document.text, "Text");
  EXPECT_EQ(read("\n+++\nid = \"A1\"\n+++\nText\n").meta.id, "A1");
}

TEST(FrontMatter, RulesAreNoFrontMatter) {
  EXPECT_EQ(outline(read("---\n\nnur ein Strich\n")), Lines{"p nur ein Strich"});
  EXPECT_EQ(outline(read("---\nnur Text\n---\n\nmehr\n")), (Lines{"h2 nur Text", "p mehr"}));
  EXPECT_EQ(outline(read("\n---\nnur Text\n---\n\nmehr\n")), (Lines{"h2 nur Text", "p mehr"}));
  EXPECT_EQ(outline(read("---\nUm 14:05 Uhr, siehe https://a.example\n")),
            Lines{"p Um 14:05 Uhr, siehe https://a.example"});
  EXPECT_EQ(outline(read("---\n\nHinweis: ein Satz.\n\nMehr.\n")),
            (Lines{"p Hinweis: ein Satz.", "p Mehr."}));
  EXPECT_EQ(outline(read("---\n# Kopf\n\nEin Satz.\n\nid: x\n")),
            (Lines{"h1 Kopf", "p Ein Satz.", "p id: x"}));
  EXPECT_EQ(outline(read("---\n\n**Fett** und mehr: so\n\n---\n\nText\n")),
            (Lines{"p Fett und mehr: so", "p Text"}));
  EXPECT_EQ(outline(read("----\ntitle: x\n----\n")), Lines{"h2 title: x"});
}

TEST(FrontMatter, EmptyFrontMatterAndWindowsLineEnds) {
  EXPECT_EQ(read("---\n---\nText\n").text, "Text");
  const auto document = read("---\r\ntitle: T\r\n---\r\nText\r\n");
  EXPECT_EQ(document.meta.title, "T");
  EXPECT_EQ(document.text, "Text");
}

TEST(FrontMatter, AccessLabelsThatCannotBeReadHideTheDocument) {
  const Lines hidden{std::string(kUnreadableAccess)};
  EXPECT_EQ(read("---\naccess: {a: b}\n---\nx\n").meta.access, hidden);
  EXPECT_EQ(read("---\ntitle: 'offen\naccess: x\nauthor: y'\n---\nx\n").meta.access, hidden);
  EXPECT_TRUE(read("---\nimage:\n  access: x\n---\nx\n").meta.access.empty());
  EXPECT_TRUE(read("---\naccess: []\n---\nx\n").meta.access.empty());
  EXPECT_TRUE(read("---\naccess:\n---\nx\n").meta.access.empty());
  EXPECT_TRUE(read("---\ntitle: 'offen\naccessories: x\nauthor: y'\n---\nx\n").meta.access.empty());
  EXPECT_EQ(read("---\naccess: a, b\n---\nx\n").meta.access, (Lines{"a", "b"}));
}

TEST(FrontMatter, AccessLabelsThatCannotBeParsedFailTheFile) {
  for (const char* source :
       {"---\ntitle: \"offen\naccess: intern\n---\nx\n", "+++\naccess = [\"intern\"\n+++\nx\n",
        "---\naccess:[intern]\n---\nx\n", "---\n@x\n  access: intern\n---\nx\n"}) {
    EXPECT_NE(failure(source), "") << source;
  }
}

TEST(FrontMatter, BombsAreHarmless) {
  std::string bomb = "---\na: &a [x,x,x,x,x,x,x,x,x]\n";
  for (char name = 'b'; name <= 'j'; ++name) {
    const std::string before(1, static_cast<char>(name - 1));
    bomb += std::string(1, name) + ": &" + name + " [";
    for (int i = 0; i < 9; ++i) bomb += "*" + before + (i < 8 ? "," : "");
    bomb += "]\n";
  }
  EXPECT_EQ(read(bomb + "tags: *j\n---\nText\n").text, "Text");
  const std::string deep = "it nests too deep (write its values flat)";
  EXPECT_TRUE(failure("---\ntags: " + std::string(5000, '[') + "\n---\nText\n").ends_with(deep));
  std::string dashes = "---\ntags: ";
  for (int i = 0; i < 5000; ++i) dashes += "- ";
  EXPECT_TRUE(failure(dashes + "\n---\nText\n").ends_with(deep));
  EXPECT_TRUE(failure("+++\na = " + std::string(5000, '[') + "\n+++\nText\n").ends_with(deep));
  EXPECT_NE(failure("---\na: " + std::string(1 << 20, 'x') + "\n---\nText\n").find("256 KiB"),
            std::string::npos);
}

TEST(Markdown, NestingHasALimit) {
  const std::string quotes(100000, '>');
  const auto document = read_markdown(quotes + " tief\n", default_settings());
  ASSERT_FALSE(document);
  EXPECT_EQ(document.error().code, ErrorCode::kLimit);
  EXPECT_EQ(outline(read(std::string(400, '>') + " tief\n")), Lines{"p tief"});
}

TEST(Markdown, NothingToReadIsAnError) {
  for (const char* source : {"", "\n\n", "---\ntitle: x\n---\n", "<!-- nichts -->\n", "&nbsp;\n"}) {
    const auto document = read_markdown(source, default_settings());
    ASSERT_FALSE(document) << source;
    EXPECT_EQ(document.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST(Markdown, LanguageIsDetected) {
  EXPECT_EQ(
      read("Der Vorstand hat gestern beschlossen, dass die Preise nicht steigen.").meta.language,
      "de");
  EXPECT_EQ(
      read("The board decided yesterday that prices will not be raised this year.").meta.language,
      "en");
}

TEST(Markdown, WindowsEncodingIsRead) {
  const auto document = read(
      "# \xC4pfel\n\n\x84Gr\xFC\xDF"
      "e\x93 aus K\xF6ln\n");
  EXPECT_EQ(outline(document), (Lines{"h1 Äpfel", "p „Grüße“ aus Köln"}));
  EXPECT_EQ(document.encoding, "WINDOWS-1252");
}

}  // namespace
}  // namespace beleg

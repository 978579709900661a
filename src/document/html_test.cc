#include <gtest/gtest.h>

#include <string>

#include "document/date.h"
#include "document/html_metadata.h"
#include "document/html_tree.h"
#include "document/reader.h"
#include "document/reader_test_support.h"

namespace beleg {
namespace {

ParsedDocument read(std::string_view source) {
  auto document = read_html(source, default_settings());
  EXPECT_TRUE(document) << document.error().to_line();
  if (!document) return {};
  EXPECT_EQ(broken_invariant(*document), "");
  return document.take();
}

constexpr std::string_view kProse =
    "Der Gemeinderat hat am Montag nach langer Beratung beschlossen, das alte Hallenbad zu "
    "erhalten. "
    "Die Sanierung soll im Herbst beginnen und rund zwei Jahre dauern. Die Kosten trägt zur Hälfte "
    "das Land, die andere Hälfte bringt die Stadt aus Rücklagen auf.";

TEST(Html, StructureBecomesBlocks) {
  const auto document = read(
      "<html lang=de><title>T</title><body><h1>Das  <em>Bad</em> <a href='#x'>¶</a></h1>"
      "lose <b>Worte</b><p>Absatz<br>zweite Zeile</p>"
      "<ul><li>eins<li><p>zwei</p><p>noch zwei</p><ol><li>innen</ol></ul>"
      "<dl><dt>Wort<dd>Bedeutung</dl>"
      "<pre>\n  int x;\n\n  y();</pre>"
      "<figure><img alt=weg><figcaption>Bild</figcaption></figure>"
      "<blockquote><p>Zitat</blockquote><h3>Ende</h3>a<br><br>b<p>x<sup>2</sup> 10<sup>3</sup>");
  EXPECT_EQ(outline(document),
            (Lines{"h1 Das Bad", "p lose Worte", "p Absatz\nzweite Zeile", "l1 eins", "l1 zwei",
                   "l1 noch zwei", "l2 innen", "l1 Wort", "l1 Bedeutung", "c   int x;\n\n  y();",
                   "x Bild", "p Zitat", "h3 Ende", "p a", "p b", "p x2 10^3"}));
  EXPECT_EQ(document.meta.language, "de");
}

TEST(Html, DataTablesKeepTheirRows) {
  const auto document = read(
      "<table><caption>Preise</caption><thead><tr><th>Ware<th>Preis</thead>"
      "<tr><td>Brot<td><p>3 €</p><tr><td>Käse &amp; Wurst<td>5<br>Euro<tr><td><td></table>");
  EXPECT_EQ(outline(document),
            (Lines{"x Preise", "t Ware | Preis\nBrot | 3 €\nKäse & Wurst | 5 Euro"}));
}

TEST(Html, CellsThatSpanRowsStandInEachOfThem) {
  const auto document =
      read("<table><tr><td rowspan=2>A<td>1<tr><td>2<tr><td colspan=2>B<tr><td>C<td>3</table>");
  EXPECT_EQ(outline(document), Lines{"t A | 1\nA | 2\nB\nC | 3"});
}

TEST(Html, LayoutTablesAreRead) {
  const auto document = read(
      "<table><tr><td><h2>Links</h2><td><p>Rechts</p></table>"
      "<table summary=Note><tr><td><img alt=x><th>Hinweis<tr><td><p>Bitte lesen.</p></table>");
  EXPECT_EQ(outline(document), (Lines{"h2 Links", "p Rechts", "p Hinweis", "p Bitte lesen."}));
}

TEST(Html, WhatSurroundsTheContentIsLeftOut) {
  const std::string page =
      "<body><header><h1>Stadtblatt</h1></header><nav><a href=/>Start</a> <a "
      "href=/p>Politik</a></nav>"
      "<div class='page-nav'><a href=a>Zurück</a></div>"
      "<ul><li><a href=1>Sport</a><li><a href=2>Kultur</a><li><a href=3>Wetter</a>"
      "<li><a href=4>Abo</a></ul>"
      "<div id=cookie-banner>Wir nutzen Cookies, bitte stimmen Sie zu.</div>"
      "<div><h2>Hallenbad bleibt</h2><p>" +
      std::string(kProse) +
      "</p>"
      "<p>Mehr dazu: <a href=x>Beschluss</a></p><p>" +
      std::string(kProse) +
      "</p></div>"
      "<aside>Anzeige</aside><form><label>Suche</label><input></form>"
      "<div hidden>unsichtbar</div><p style='display: none'>auch nicht</p>"
      "<script>var x = '<p>nein</p>';</script><style>p{}</style><noscript>nein</noscript>"
      "<footer>Impressum</footer></body>";
  EXPECT_EQ(outline(read(page)), (Lines{"h2 Hallenbad bleibt", "p " + std::string(kProse),
                                        "p Mehr dazu: Beschluss", "p " + std::string(kProse)}));
}

TEST(Html, MainAndArticleArePreferred) {
  const std::string prose(kProse);
  EXPECT_EQ(outline(read("<div>Kopf</div><main><header><h1>H</h1></header><p>" + prose +
                         "</p></main><div>Fuß</div>")),
            (Lines{"h1 H", "p " + prose}));
  EXPECT_EQ(outline(read("<div>Kopf</div><div role=main><p>" + prose + "</p></div><p>Fuß</p>")),
            Lines{"p " + prose});
  EXPECT_EQ(outline(read("<p>Kopf</p><article><h1>H</h1><p>" + prose + "</p></article><p>Fuß</p>")),
            (Lines{"h1 H", "p " + prose}));
  // Several articles are a list of teasers: all of them count.
  EXPECT_EQ(outline(read("<article>A</article><article>B</article>")), (Lines{"p A", "p B"}));
  // An empty <main> that a script would fill must not hide the rest.
  EXPECT_EQ(outline(read("<main></main><p>" + prose + "</p>")), Lines{"p " + prose});
}

TEST(Html, ListsOfLinksInsideTheTextStay) {
  const std::string prose(kProse);
  const std::string links =
      "<ul><li><a href=a>XML</a><li><a href=b>XSLT</a><li><a href=c>XSL</a>"
      "<li><a href=d>DTD</a></ul>";
  const auto document = read("<p>" + prose + "</p>" + links + "<p>" + prose + "</p>");
  EXPECT_EQ(document.blocks.size(), 6U);
}

TEST(Html, PageOfNothingButNavigationIsStillRead) {
  const auto document = read("<body><nav><a href=a>Start</a></nav></body>");
  EXPECT_EQ(document.text, "Start");
  ASSERT_EQ(document.warnings.size(), 1U);
}

TEST(Html, XhtmlClosesItsElements) {
  const auto document = read(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<html xmlns='http://www.w3.org/1999/xhtml'>"
      "<head><script src='x'/><title>T</title></head><body><div class='toc'/>"
      "<h1><a id='a' title='1 > 0'/>Kopf</h1><p>Text<br/>mehr</p></body></html>");
  EXPECT_EQ(outline(document), (Lines{"h1 Kopf", "p Text\nmehr"}));
  EXPECT_EQ(document.meta.title, "T");
}

TEST(Html, MetadataFromMeta) {
  const auto document = read(
      "<html lang='de-AT'><head><title>Hallenbad bleibt – Stadtblatt</title>"
      "<meta property='article:published_time' content='2021-03-08T14:05:00+01:00'>"
      "<meta property='article:modified_time' content='2021-03-09'>"
      "<meta name=author content='Eva Kurz'><meta name=AUTHOR content='Max Lang'>"
      "<meta name=keywords content='Bad, Stadt'><meta property='og:site_name' content='Stadtblatt'>"
      "<meta name=description content='wird nicht gebraucht'>"
      "<link rel=canonical href='https://example.org/bad'></head>"
      "<body><h1>Hallenbad bleibt</h1><p>Text</body>");
  const DocumentMetadata& meta = document.meta;
  EXPECT_EQ(meta.title, "Hallenbad bleibt");
  ASSERT_TRUE(meta.published);
  EXPECT_EQ(format_date(*meta.published), "2021-03-08T13:05:00Z");
  ASSERT_TRUE(meta.updated);
  EXPECT_EQ(format_date(*meta.updated), "2021-03-09");
  EXPECT_EQ(meta.authors, (Lines{"Eva Kurz", "Max Lang"}));
  EXPECT_EQ(meta.tags, (Lines{"Bad", "Stadt"}));
  EXPECT_EQ(meta.source, "Stadtblatt");
  EXPECT_EQ(meta.url, "https://example.org/bad");
  EXPECT_EQ(meta.language, "de");
  EXPECT_TRUE(document.warnings.empty());
}

TEST(Html, MetadataFromJsonLd) {
  const auto document = read(
      "<script type='application/ld+json'>{\"@graph\":[{\"@type\":\"WebSite\"},"
      "{\"datePublished\":\"2021-03-08T14:05:00Z\",\"dateModified\":\"2021-03-09T00:00:00Z\","
      "\"author\":[{\"name\":\"Eva Kurz\"}]}]}</script>"
      "<script type='application/ld+json'>{ kaputt</script><p>Text");
  ASSERT_TRUE(document.meta.published);
  EXPECT_EQ(format_date(*document.meta.published), "2021-03-08T14:05:00Z");
  ASSERT_TRUE(document.meta.updated);
  EXPECT_EQ(format_date(*document.meta.updated), "2021-03-09T00:00:00Z");
  EXPECT_EQ(document.meta.authors, Lines{"Eva Kurz"});
}

TEST(Html, TimeElementIsTheLastResort) {
  const auto document = read("<p>Vom <time datetime='2021-03-08'>Montag</time></p>");
  ASSERT_TRUE(document.meta.published);
  EXPECT_EQ(format_date(*document.meta.published), "2021-03-08");
  EXPECT_FALSE(read("<time datetime='PT5M'>5 min</time>").meta.published);
}

TEST(Html, UnreadableDateIsAWarning) {
  const auto document = read("<meta name=date content='gestern'><p>Text");
  EXPECT_EQ(document.warnings, Lines{"date 'gestern' in field 'date' is not readable"});
}

TEST(Html, DeclaredCharsetIsUsed) {
  EXPECT_EQ(declared_charset("<meta charset=iso-8859-2>"), "iso-8859-2");
  EXPECT_EQ(declared_charset("<META http-equiv=a content=\"text/html; CHARSET = 'x-1'\">"), "x-1");
  EXPECT_EQ(declared_charset("<?xml version='1.0' encoding='koi8-r'?>"), "koi8-r");
  EXPECT_EQ(declared_charset("<p>charset=no</p>"), "");
  const auto document = read("<meta charset=iso-8859-2><p>Jo\xB9ko \xC6iri\xE6");
  EXPECT_EQ(document.text, "Joško Ćirić");
  EXPECT_EQ(document.encoding, "ISO-8859-2");
}

TEST(Html, TitleIsTheHeadlineOnlyWhereTheTitleHoldsIt) {
  EXPECT_EQ(read("<title>Seite</title><h1>Kopf</h1>x").meta.title, "Seite");
  EXPECT_EQ(read("<title>Blatt | Kopf</title><h1>Kopf</h1>x").meta.title, "Kopf");
  EXPECT_EQ(read("<title>Kopfsache</title><h1>Kopf</h1>x").meta.title, "Kopfsache");
  EXPECT_EQ(read("<h1>Kopf</h1>x").meta.title, "Kopf");
  EXPECT_EQ(read("<title> Zwei\n Zeilen &amp; mehr</title>x").meta.title, "Zwei Zeilen & mehr");
}

TEST(Html, SoftHyphensAndZeroWidthBlanksVanish) {
  EXPECT_EQ(read("<p>Bundes&shy;regierung\xE2\x80\x8B jetzt &nbsp;</p>").text,
            "Bundesregierung jetzt");
}

TEST(Html, NoTextIsAnError) {
  for (const char* source :
       {"", "<html></html>", "<script>x</script>", "<p>&nbsp;</p>", "<!-- x"}) {
    const auto document = read_html(source, default_settings());
    ASSERT_FALSE(document) << source;
    EXPECT_EQ(document.error().code, ErrorCode::kInvalidArgument);
  }
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

TEST(HtmlLimits, NestingIsCountedAsTheParserSeesIt) {
  EXPECT_EQ(html_nesting("<div><p><p><p></div><div><br><li><li></div>"), 1U);
  EXPECT_EQ(html_nesting(repeated("<div></b>", 600)), 600U);
  EXPECT_EQ(html_nesting("<svg>" + repeated("<path d='>'/>", 600) + "</svg>"), 1U);
  EXPECT_EQ(html_nesting("<svg>" + repeated("<div/>", 600)), 601U);
  EXPECT_EQ(html_nesting("<svg><desc>" + repeated("<x/>", 600)), 602U);
  EXPECT_EQ(html_nesting("<script>" + repeated("<div>", 600) + "</script>"), 1U);
  EXPECT_EQ(html_nesting("<!--" + repeated("<div>", 600) + "-->"), 0U);
}

TEST(HtmlLimits, HostileNestingIsRefusedNotFollowed) {
  for (const char* tag : {"<div>", "<b>", "<table><tr><td>", "<ul><li>", "<svg>", "<x>",
                          "<div></p></b>", "<blockquote><p>"}) {
    const auto document = read_html(repeated(tag, 200000) + "x", default_settings());
    ASSERT_FALSE(document) << tag;
    EXPECT_EQ(document.error().code, ErrorCode::kLimit) << tag;
  }
}

TEST(HtmlLimits, AllowedNestingIsRead) {
  EXPECT_EQ(read(repeated("<div>", 500) + "tief").text, "tief");
  EXPECT_EQ(read(repeated("<table><tr><td>", 500) + "tief").text, "tief");
  EXPECT_EQ(read(repeated("<ul><li>", 500) + "tief").text, "tief");
}

TEST(HtmlLimits, TreesThatExplodeAreStopped) {
  // Each paragraph gets copies of all open formatting elements: a megabyte would become gigabytes.
  std::string page = "<p>";
  for (int i = 0; i < 500; ++i) page += "<b id=" + std::to_string(i) + ">";
  page += repeated("<p>x", 100000);
  const auto document = read_html(page, default_settings());
  ASSERT_FALSE(document);
  EXPECT_EQ(document.error().code, ErrorCode::kLimit);
}

TEST(HtmlLimits, SpannedRowsDoNotMultiply) {
  std::string page = "<table><tr>" + repeated("<td rowspan=65534>abcdefghijklmnop", 20000);
  page += repeated("<tr><td>x", 1000);
  const auto document = read_html(page, default_settings());
  ASSERT_TRUE(document);
  EXPECT_LT(document->text.size(), 4U << 20U);
}

TEST(ExpandSelfClosingTags, LeavesVoidElementsAndQuotedTextAlone) {
  EXPECT_EQ(expand_self_closing_tags("<br/><a id=\"x/>\"/>y<img src='a' />"),
            "<br/><a id=\"x/>\"></a>y<img src='a' />");
  EXPECT_EQ(expand_self_closing_tags("<!-- <a/> --><b /><c"), "<!-- <a/> --><b ></b><c");
}

}  // namespace
}  // namespace beleg

#include "passage/chunker.h"

#include <gtest/gtest.h>
#include <unicode/ubrk.h>
#include <unicode/uchar.h>
#include <unicode/utext.h>

#include <random>
#include <set>
#include <string>
#include <vector>

#include "document/reader.h"
#include "text/utf8.h"

namespace beleg {
namespace {

/// One token for every six characters begun of each word: additive over white space, like the word
/// pieces of an encoder.
std::uint32_t count_words(std::string_view text) {
  std::uint32_t tokens = 0;
  std::uint32_t characters = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool no_break_space = text.substr(i, 2) == "\u00A0";
    if (byte <= ' ' || no_break_space) {
      characters = 0;
      i += no_break_space ? 1 : 0;
    } else if ((byte & 0xc0U) != 0x80U && characters++ % 6 == 0) {
      ++tokens;
    }
  }
  return tokens;
}

std::set<std::uint32_t> grapheme_borders(const std::string& text) {
  UErrorCode status = U_ZERO_ERROR;
  UText* source =
      utext_openUTF8(nullptr, text.data(), static_cast<std::int64_t>(text.size()), &status);
  UBreakIterator* iterator = ubrk_open(UBRK_CHARACTER, "", nullptr, 0, &status);
  ubrk_setUText(iterator, source, &status);
  EXPECT_TRUE(U_SUCCESS(status));
  std::set<std::uint32_t> borders;
  for (std::int32_t at = ubrk_first(iterator); at != UBRK_DONE; at = ubrk_next(iterator)) {
    borders.insert(static_cast<std::uint32_t>(at));
  }
  ubrk_close(iterator);
  utext_close(source);
  return borders;
}

/// Builds documents block by block.
struct Draft {
  ParsedDocument document;

  Draft& add(BlockKind kind, std::string_view text, std::uint8_t level = 0) {
    if (!document.text.empty()) document.text += "\n\n";
    const std::uint32_t start = count_code_points(document.text);
    document.text += text;
    document.blocks.push_back({kind, level, 0, {start, start + count_code_points(text)}});
    return *this;
  }
  Draft& heading(std::uint8_t level, std::string_view text) {
    return add(BlockKind::kHeading, text, level);
  }
  Draft& paragraph(std::string_view text) { return add(BlockKind::kParagraph, text); }
};

std::vector<Passage> cut(const ParsedDocument& document, ChunkSettings settings = {}) {
  auto passages = cut_passages(document, settings, count_words);
  EXPECT_TRUE(passages) << passages.error().to_line();
  return passages ? passages.take() : std::vector<Passage>{};
}

std::vector<std::string> texts(const ParsedDocument& document,
                               const std::vector<Passage>& passages) {
  std::vector<std::string> texts;
  for (const Passage& passage : passages) {
    texts.push_back(document.text.substr(passage.bytes.start, passage.bytes.size()));
  }
  return texts;
}

/// `count` tokens: words of one to six letters, sentences of about ten words.
std::string prose(std::size_t count, std::string_view word = "Wort") {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) text += ' ';
    text += i % 10 == 0 ? "Der" : word;
    if (i % 10 == 9 || i + 1 == count) text += '.';
  }
  return text;
}

using Strings = std::vector<std::string>;

TEST(CutPassages, ParagraphsAreJoinedUpToTheLimit) {
  Draft draft;
  draft.paragraph(prose(20)).paragraph(prose(10)).paragraph(prose(5));
  const auto passages = cut(draft.document, {.max_tokens = 32, .overlap_tokens = 0});
  ASSERT_EQ(passages.size(), 2U);
  EXPECT_EQ(texts(draft.document, passages), (Strings{prose(20) + "\n\n" + prose(10), prose(5)}));
  EXPECT_EQ(passages[1].ordinal, 1U);
}

TEST(CutPassages, AHeadingStartsAPassageAndStaysWithWhatFollows) {
  Draft draft;
  draft.heading(1, "Bad")
      .paragraph("Eins.")
      .heading(2, "Preise")
      .heading(3, "Kinder")
      .paragraph("Zwei.")
      .heading(2, "Zeiten")
      .paragraph("Drei.");
  const auto passages = cut(draft.document);
  EXPECT_EQ(texts(draft.document, passages),
            (Strings{"Bad\n\nEins.", "Preise\n\nKinder\n\nZwei.", "Zeiten\n\nDrei."}));
  EXPECT_EQ(passages[0].heading_path, Strings{"Bad"});
  EXPECT_EQ(passages[1].heading_path, (Strings{"Bad", "Preise", "Kinder"}));
  EXPECT_EQ(passages[2].heading_path, (Strings{"Bad", "Zeiten"}));
}

TEST(CutPassages, TheTitleIsNoPartOfThePath) {
  Draft draft;
  draft.document.meta.title = "Das  Bad";
  draft.heading(1, "Das Bad").paragraph("Eins.").heading(2, "Das Bad").paragraph("Zwei.");
  const auto passages = cut(draft.document);
  ASSERT_EQ(passages.size(), 2U);
  EXPECT_EQ(passages[0].heading_path, Strings{});
  EXPECT_EQ(passages[1].heading_path, Strings{"Das Bad"});
}

TEST(CutPassages, AHeadingKeepsTheFirstSentencesOfALongParagraph) {
  Draft draft;
  draft.heading(1, "Ein Bad in der Stadt").paragraph(prose(30));
  const auto passages = cut(draft.document, {.max_tokens = 32, .overlap_tokens = 0});
  ASSERT_EQ(passages.size(), 2U);
  EXPECT_TRUE(texts(draft.document, passages)[0].starts_with("Ein Bad in der Stadt\n\nDer Wort"));
  EXPECT_EQ(passages[1].heading_path, Strings{"Ein Bad in der Stadt"});
}

TEST(CutPassages, HeadingsAtTheEndGoWithThePassageBefore) {
  Draft draft;
  draft.heading(1, "Anfang").paragraph("Text.").heading(2, "Ende");
  EXPECT_EQ(texts(draft.document, cut(draft.document)), Strings{"Anfang\n\nText.\n\nEnde"});
  Draft only;
  only.heading(1, "Nur").heading(2, "Köpfe");
  EXPECT_EQ(texts(only.document, cut(only.document)), Strings{"Nur\n\nKöpfe"});
}

TEST(CutPassages, LongParagraphsAreCutAtSentenceEndsAndEvenly) {
  Draft draft;
  draft.paragraph(prose(300));
  const auto passages = cut(draft.document);
  ASSERT_EQ(passages.size(), 2U);
  for (const std::string& text : texts(draft.document, passages)) {
    EXPECT_TRUE(text.starts_with("Der ") && text.ends_with("."));
    EXPECT_EQ(count_words(text), 150U);
  }
}

TEST(CutPassages, NoCrumbsAtTheEndOfASection) {
  Draft draft;
  draft.paragraph(prose(100))
      .paragraph(prose(100, "Satz"))
      .paragraph(prose(50, "Teil"))
      .paragraph(prose(10, "Rest"));
  const auto passages = cut(draft.document);
  EXPECT_EQ(texts(draft.document, passages),
            (Strings{prose(100) + "\n\n" + prose(100, "Satz"),
                     prose(50, "Teil") + "\n\n" + prose(10, "Rest")}));
}

TEST(CutPassages, RowsOfTablesAndCodeStayWhole) {
  std::string table = "Ware | Preis";
  for (int i = 0; i < 60; ++i) table += "\nBrot und Käse | " + std::to_string(i) + " Euro und mehr";
  Draft draft;
  draft.add(BlockKind::kTable, table);
  const auto passages = cut(draft.document, {.max_tokens = 64, .overlap_tokens = 0});
  EXPECT_GT(passages.size(), 5U);
  for (const std::string& text : texts(draft.document, passages)) {
    EXPECT_TRUE(text.starts_with("Ware") || text.starts_with("Brot")) << text;
    EXPECT_TRUE(text.ends_with("Preis") || text.ends_with("mehr")) << text;
  }
  Draft code;
  code.add(BlockKind::kCode, "if (a) {\n    b();\n}");
  EXPECT_EQ(texts(code.document, cut(code.document)), Strings{"if (a) {\n    b();\n}"});
}

TEST(CutPassages, OverlapRepeatsWholeSentencesOnlyInsideASection) {
  Draft draft;
  draft.paragraph(prose(120)).heading(2, "Neu").paragraph(prose(20));
  const auto passages = cut(draft.document, {.max_tokens = 64, .overlap_tokens = 20});
  ASSERT_GE(passages.size(), 3U);
  const auto parts = texts(draft.document, passages);
  for (std::size_t i = 1; i + 1 < passages.size(); ++i) {
    EXPECT_LT(passages[i].bytes.start, passages[i - 1].bytes.end);
    const auto common = passages[i - 1].bytes.end - passages[i].bytes.start;
    EXPECT_EQ(count_words(parts[i].substr(0, common)), 20U);
    EXPECT_TRUE(parts[i].starts_with("Der ") && parts[i].ends_with("."));
  }
  EXPECT_TRUE(parts.back().starts_with("Neu"));
}

TEST(CutPassages, PagesComeFromTheFirstBlock) {
  Draft draft;
  draft.paragraph("Eins.").paragraph("Zwei.").heading(1, "Neu").paragraph("Drei.");
  for (std::uint32_t i = 0; i < 4; ++i) draft.document.blocks[i].page = i + 1;
  const auto passages = cut(draft.document);
  ASSERT_EQ(passages.size(), 2U);
  EXPECT_EQ(passages[0].page, 1U);
  EXPECT_EQ(passages[1].page, 3U);
}

TEST(CutPassages, TextOutsideBlocksIsCutToo) {
  ParsedDocument document;
  document.text = "davor\n\nBlock\n\ndanach";
  document.blocks = {{BlockKind::kParagraph, 0, 0, {7, 12}}};
  EXPECT_EQ(texts(document, cut(document)), Strings{"davor\n\nBlock\n\ndanach"});
  document.blocks.clear();
  EXPECT_EQ(texts(document, cut(document)), Strings{document.text});
}

TEST(CutPassages, NothingComesOfNothing) {
  ParsedDocument document;
  EXPECT_TRUE(cut(document).empty());
  document.text = " \n\n ";
  EXPECT_TRUE(cut(document).empty());
}

TEST(CutPassages, BadSettingsAndBlocksAreErrors) {
  Draft draft;
  draft.paragraph("Text.");
  for (const ChunkSettings settings :
       {ChunkSettings{31, 0}, ChunkSettings{481, 0}, ChunkSettings{0, 0}, ChunkSettings{64, 33}}) {
    const auto passages = cut_passages(draft.document, settings, count_words);
    ASSERT_FALSE(passages);
    EXPECT_EQ(passages.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(passages.error().message.find("chunk."), std::string::npos);
  }
  EXPECT_TRUE(cut_passages(draft.document, {480, 240}, count_words));
  EXPECT_TRUE(cut_passages(draft.document, {32, 0}, count_words));
  for (const Span span : {Span{0, 6}, Span{6, 7}, Span{3, 2}}) {
    ParsedDocument broken = draft.document;
    broken.blocks[0].span = span;
    EXPECT_FALSE(cut_passages(broken, {}, count_words)) << span.start << "-" << span.end;
  }
  ParsedDocument overlapping = draft.document;
  overlapping.blocks.push_back({BlockKind::kParagraph, 0, 0, {2, 4}});
  EXPECT_FALSE(cut_passages(overlapping, {}, count_words));
}

TEST(CutPassages, AWordOfTenMegabytesIsCut) {
  ParsedDocument document;
  document.text = "Anfang " + std::string(10U << 20U, 'x') + " Ende.";
  // A word piece model makes one unknown token of such a word: it must be cut all the same.
  for (const auto& counter : {TokenCounter(count_words), TokenCounter([](std::string_view text) {
                                return static_cast<std::uint32_t>(text.empty() ? 0 : 1);
                              })}) {
    std::size_t counted = 0;  // Bytes. Linear in the text: a quadratic search would count 10^11.
    const auto passages = cut_passages(document, {}, [&](std::string_view text) {
      counted += text.size();
      return counter(text);
    });
    ASSERT_TRUE(passages);
    EXPECT_GT(passages->size(), 1000U);
    for (const Passage& passage : *passages) EXPECT_LE(passage.bytes.size(), 256U * 40);
    EXPECT_EQ(passages->front().bytes.start, 0U);
    EXPECT_EQ(passages->back().bytes.end, document.text.size());
    EXPECT_LT(counted, 50 * document.text.size());
  }
}

TEST(CutPassages, OneEndlessGraphemeStaysWhole) {
  ParsedDocument document;
  document.text = "a";
  for (int i = 0; i < 20000; ++i) document.text += "\xCC\x81";
  document.text += " b";
  const auto passages = cut(document, {.max_tokens = 32, .overlap_tokens = 0});
  ASSERT_EQ(passages.size(), 2U);
  EXPECT_EQ(passages[0].bytes, (ByteSpan{0, 40001}));
}

TEST(CutPassages, ScriptsWithoutBlanksAreCutAtGraphemes) {
  ParsedDocument document;
  for (int i = 0; i < 500; ++i) document.text += "\xF0\x9F\x91\xA8\xE2\x80\x8D\xF0\x9F\x91\xA9";
  const auto passages = cut(document, {.max_tokens = 32, .overlap_tokens = 0});
  EXPECT_GT(passages.size(), 3U);
  for (const Passage& passage : passages) EXPECT_EQ(passage.bytes.size() % 11, 0U);
}

TEST(CutPassages, EachSentenceIsCountedAtMostTwice) {
  Draft draft;
  for (int i = 0; i < 50; ++i) draft.paragraph(prose(static_cast<std::size_t>(20 + i * 10)));
  std::size_t counted = 0;
  const auto passages = cut_passages(draft.document, {}, [&](std::string_view text) {
    counted += text.size();
    return count_words(text);
  });
  ASSERT_TRUE(passages);
  EXPECT_LE(counted, 2 * draft.document.text.size());
}

/// Random documents of everything that is hard to cut.
class DocumentMaker {
 public:
  explicit DocumentMaker(std::uint32_t seed) : random_(seed) {}

  ParsedDocument make() {
    static constexpr BlockKind kKinds[] = {
        BlockKind::kHeading, BlockKind::kParagraph, BlockKind::kParagraph, BlockKind::kListItem,
        BlockKind::kTable,   BlockKind::kCode,      BlockKind::kCaption};
    Draft draft;
    const std::size_t blocks = pick(12);
    for (std::size_t i = 0; i < blocks; ++i) {
      const BlockKind kind = kKinds[pick(7)];
      std::string text;
      while (text.find_first_not_of(" \n\t") == std::string::npos)
        text = words(1 + pick(pick(4) == 0 ? 400 : 40));
      draft.add(kind, text,
                kind == BlockKind::kHeading ? static_cast<std::uint8_t>(1 + pick(4)) : 0);
      if (pick(10) == 0) draft.document.text += "\n\nlose Worte " + words(pick(30));
    }
    if (pick(3) == 0) draft.document.meta.language = "de";
    return draft.document;
  }

  std::size_t pick(std::size_t below) { return random_() % below; }

 private:
  std::string words(std::size_t count) {
    static const Strings kWords{"Haus",
                                "z. B.",
                                "Straßenbahn",
                                "ist",
                                "3.",
                                "Dr.",
                                "é",
                                "e\xCC\x81",
                                "👨‍👩‍👧",
                                "漢字漢字漢字",
                                "\xCC\x88",
                                "ende.",
                                "Was?",
                                "\n",
                                "\n\n",
                                "a\tb",
                                "🇩🇪🇫🇷",
                                "\r\n",
                                "x.y@z.de",
                                "(so)",
                                "\u0600",
                                "\u200D",
                                "क्षि",
                                "\u00A0",
                                "!"};
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
      if (pick(60) == 0) {
        for (std::size_t j = pick(900); j > 0; --j) text += pick(3) == 0 ? "ö" : "x";
      } else {
        text += kWords[pick(kWords.size())];
      }
      if (pick(5) != 0) text += pick(8) == 0 ? "  " : " ";
    }
    return text;
  }

  std::mt19937 random_;
};

std::uint32_t graphemes_between(const std::set<std::uint32_t>& borders, ByteSpan bytes) {
  return static_cast<std::uint32_t>(
      std::distance(borders.lower_bound(bytes.start), borders.lower_bound(bytes.end)));
}

/// Every character that is no white space and lies in no passage.
std::string uncovered(const std::string& text, const std::vector<Passage>& passages) {
  std::vector<bool> covered(text.size());
  for (const Passage& passage : passages) {
    std::fill(covered.begin() + passage.bytes.start, covered.begin() + passage.bytes.end, true);
  }
  std::string missing;
  const CodePointIndex index(text);
  for (std::uint32_t i = 0; i < index.size(); ++i) {
    const std::string_view character = index.slice({i, i + 1});
    const char32_t code_point = decode_utf8(character).front();
    if (!covered[index.byte_of(i)] && u_isUWhiteSpace(static_cast<UChar32>(code_point)) == 0) {
      missing += character;
    }
  }
  return missing;
}

class CutPassagesProperty : public testing::TestWithParam<ChunkSettings> {};

TEST_P(CutPassagesProperty, HoldsForRandomDocuments) {
  const ChunkSettings settings = GetParam();
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const ParsedDocument document = DocumentMaker(seed).make();
    const auto passages = cut(document, settings);
    const CodePointIndex index(document.text);
    const auto borders = grapheme_borders(document.text);
    ASSERT_EQ(uncovered(document.text, passages), "");
    for (std::size_t i = 0; i < passages.size(); ++i) {
      const Passage& passage = passages[i];
      ASSERT_EQ(passage.ordinal, i);
      ASSERT_LT(passage.bytes.start, passage.bytes.end);
      ASSERT_LE(passage.bytes.end, document.text.size());
      const auto text =
          std::string_view(document.text).substr(passage.bytes.start, passage.bytes.size());
      ASSERT_EQ(index.slice(passage.span), text);
      ASSERT_TRUE(borders.contains(passage.bytes.start)) << text;
      ASSERT_TRUE(borders.contains(passage.bytes.end)) << text;
      ASSERT_TRUE(count_words(text) <= settings.max_tokens ||
                  graphemes_between(borders, passage.bytes) == 1)
          << passage.bytes.start << "-" << passage.bytes.end << " " << count_words(text)
          << " tokens: " << text;
      if (i == 0) continue;
      const Passage& before = passages[i - 1];
      if (settings.overlap_tokens == 0) {
        ASSERT_GE(passage.bytes.start, before.bytes.end);
      } else {
        ASSERT_GT(passage.bytes.start, before.bytes.start);
        ASSERT_GT(passage.bytes.end, before.bytes.end);
        if (passage.bytes.start < before.bytes.end) {
          ASSERT_LE(count_words(document.text.substr(passage.bytes.start,
                                                     before.bytes.end - passage.bytes.start)),
                    settings.overlap_tokens);
        }
      }
    }
    ASSERT_EQ(cut(document, settings), passages);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, CutPassagesProperty,
                         testing::Values(ChunkSettings{32, 0}, ChunkSettings{64, 0},
                                         ChunkSettings{256, 0}, ChunkSettings{480, 0},
                                         ChunkSettings{32, 16}, ChunkSettings{64, 10},
                                         ChunkSettings{256, 50}));

}  // namespace
}  // namespace beleg

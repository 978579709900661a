#include "document/text_builder.h"

#include <gtest/gtest.h>

#include <string>

#include "document/reader_test_support.h"

namespace beleg {
namespace {

TEST(TextBuilder, WhiteSpaceFlows) {
  TextBuilder builder;
  builder.begin_block(BlockKind::kParagraph);
  builder.append_flowing("  ein ");
  builder.append_flowing("\n\t");
  builder.append_flowing("Wort");
  builder.append_flowing("teil  ");
  builder.append_line_break();
  builder.append_flowing(" neue Zeile\xC2\xA0 ");
  builder.begin_block(BlockKind::kParagraph);
  builder.append_flowing(" \n ");
  builder.begin_block(BlockKind::kCode);
  builder.append_verbatim("  ü;\n\n");
  ParsedDocument document;
  builder.finish(document);
  EXPECT_EQ(document.text, "ein Wortteil\nneue Zeile\n\n  ü;");
  EXPECT_EQ(outline(document), (Lines{"p ein Wortteil\nneue Zeile", "c   ü;"}));
  EXPECT_EQ(document.blocks[1].span, (Span{25, 29}));
  EXPECT_EQ(broken_invariant(document), "");
}

TEST(TextBuilder, EmptyBlocksLeaveNoTrace) {
  TextBuilder builder;
  ParsedDocument document;
  builder.begin_block(BlockKind::kHeading, 1);
  builder.begin_block(BlockKind::kParagraph);
  builder.append_flowing("\xC2\xA0");
  builder.append_line_break();
  builder.end_block();
  builder.end_block();
  builder.finish(document);
  EXPECT_EQ(document.text, "");
  EXPECT_TRUE(document.blocks.empty());
}

TEST(TextBuilder, OnlyInvisibleCharactersVanish) {
  TextBuilder builder;
  builder.begin_block(BlockKind::kParagraph);
  builder.append_flowing(
      "Ö\xC2\xADl \xE2\x80\x9Eso\xE2\x80\x9C\xE2\x80\x8B \xEF\xAC\x81 \xEF\xBB\xBF!");
  ParsedDocument document;
  builder.finish(document);
  EXPECT_EQ(document.text, "Öl „so“ ﬁ !");
}

}  // namespace
}  // namespace beleg

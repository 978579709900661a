#include "document/document.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>

namespace beleg {
namespace {

ParsedDocument sample() {
  ParsedDocument document;
  document.text = "Titel\n\nEin Satz.";
  document.blocks = {{BlockKind::kHeading, 1, 0, {0, 5}}, {BlockKind::kParagraph, 0, 2, {7, 16}}};
  document.meta = {.id = "a/b.md",
                   .title = "Titel",
                   .published = Date{1615161600, DatePrecision::kDay, false},
                   .updated = Date{-5, DatePrecision::kSecond, true},
                   .language = "de",
                   .url = "https://example.org/ä",
                   .source = "Quelle",
                   .story = "s-1",
                   .domain = "d",
                   .authors = {"A", "B"},
                   .tags = {"x", "y z"},
                   .access = {"intern"}};
  return document;
}

TEST(ContentHash, IsStable) {
  EXPECT_EQ(content_hash(sample()), content_hash(sample()));
  EXPECT_NE(content_hash(sample()), content_hash(ParsedDocument{}));
}

TEST(ContentHash, EveryFieldCounts) {
  const std::vector<std::function<void(ParsedDocument&)>> changes{
      [](auto& d) { d.text += " "; },
      [](auto& d) { d.blocks[0].level = 2; },
      [](auto& d) { d.blocks[1].page = 3; },
      [](auto& d) { d.blocks[1].span.end = 15; },
      [](auto& d) { d.blocks[1].kind = BlockKind::kCode; },
      [](auto& d) { d.blocks.pop_back(); },
      [](auto& d) { d.meta.id = "a/c.md"; },
      [](auto& d) { d.meta.title = "titel"; },
      [](auto& d) { d.meta.published.reset(); },
      [](auto& d) { d.meta.published->precision = DatePrecision::kMinute; },
      [](auto& d) { d.meta.updated->time = 5; },
      [](auto& d) { d.meta.updated->has_zone = false; },
      [](auto& d) { d.meta.language = "en"; },
      [](auto& d) { d.meta.url = ""; },
      [](auto& d) { d.meta.source = ""; },
      [](auto& d) { d.meta.story = ""; },
      [](auto& d) { d.meta.domain = ""; },
      [](auto& d) { d.meta.authors = {"AB"}; },
      [](auto& d) { d.meta.authors = {"A"}; },
      [](auto& d) { d.meta.tags = {"xy", " z"}; },
      [](auto& d) { d.meta.access = {}; },
  };
  std::set<Sha256> hashes{content_hash(sample())};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    ParsedDocument changed = sample();
    changes[i](changed);
    EXPECT_TRUE(hashes.insert(content_hash(changed)).second) << "change " << i;
  }
}

TEST(ContentHash, FieldsDoNotRunIntoEachOther) {
  ParsedDocument a;
  a.meta.authors = {"x"};
  ParsedDocument b;
  b.meta.tags = {"x"};
  EXPECT_NE(content_hash(a), content_hash(b));
  ParsedDocument c;
  c.meta.id = "ab";
  c.meta.title = "c";
  ParsedDocument d;
  d.meta.id = "a";
  d.meta.title = "bc";
  EXPECT_NE(content_hash(c), content_hash(d));
}

TEST(ContentHash, HowItWasReadDoesNotCount) {
  ParsedDocument other = sample();
  other.encoding = "WINDOWS-1252";
  other.warnings = {"something"};
  other.replacements = 3;
  EXPECT_EQ(content_hash(other), content_hash(sample()));
}

TEST(MetadataJson, RoundTrips) {
  const DocumentMetadata meta = sample().meta;
  const auto back = metadata_from_json(metadata_to_json(meta));
  ASSERT_TRUE(back) << back.error().to_line();
  EXPECT_EQ(*back, meta);
  EXPECT_EQ(metadata_to_json(*back), metadata_to_json(meta));
  const auto empty = metadata_from_json(metadata_to_json(DocumentMetadata{}));
  ASSERT_TRUE(empty);
  EXPECT_EQ(*empty, DocumentMetadata{});
}

TEST(MetadataJson, InvalidBytesDoNotThrow) {
  DocumentMetadata meta;
  meta.title =
      "a\xFF"
      "b";
  const auto back = metadata_from_json(metadata_to_json(meta));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->title, "a\uFFFDb");
}

TEST(MetadataJson, DamageIsAnErrorNotACrash) {
  const std::string good = metadata_to_json(sample().meta);
  for (std::size_t length = 0; length < good.size(); ++length) {
    EXPECT_FALSE(metadata_from_json(good.substr(0, length)));
  }
  for (const char* bad :
       {"[]", "null", "{\"id\":1}", "{\"tags\":\"x\"}", "{\"tags\":[1]}", "{\"published\":5}",
        "{\"published\":{\"time\":\"x\",\"precision\":\"day\",\"zone\":true}}",
        "{\"published\":{\"time\":1,\"precision\":\"year\",\"zone\":true}}"}) {
    const auto meta = metadata_from_json(bad);
    ASSERT_FALSE(meta) << bad;
    EXPECT_EQ(meta.error().code, ErrorCode::kCorrupt);
  }
}

TEST(BlocksJson, RoundTrips) {
  std::vector<Block> blocks = sample().blocks;
  blocks.push_back({BlockKind::kCaption, 255, 4294967295U, {16, 4294967295U}});
  blocks.push_back({BlockKind::kListItem, 2, 0, {16, 16}});
  blocks.push_back({BlockKind::kTable, 0, 0, {17, 18}});
  const auto back = blocks_from_json(blocks_to_json(blocks));
  ASSERT_TRUE(back) << back.error().to_line();
  EXPECT_EQ(*back, blocks);
  EXPECT_EQ(blocks_to_json({}), "[]");
  EXPECT_TRUE(blocks_from_json("[]")->empty());
  EXPECT_EQ(blocks_to_json({{BlockKind::kHeading, 1, 0, {0, 5}}}), "[[\"heading\",1,0,0,5]]");
}

TEST(BlocksJson, DamageIsAnErrorNotACrash) {
  for (const char* bad :
       {"", "{}", "[1]", "[[]]", "[[\"heading\",1,0,0]]", "[[\"other\",1,0,0,5]]",
        "[[\"heading\",-1,0,0,5]]", "[[\"heading\",256,0,0,5]]", "[[\"heading\",1,0,6,5]]",
        "[[\"heading\",1,0,0,4294967296]]", "[[\"heading\",1,0,0,1.5]]"}) {
    EXPECT_FALSE(blocks_from_json(bad)) << bad;
  }
}

}  // namespace
}  // namespace beleg

#include "store/generation_tags.h"

#include <gtest/gtest.h>

#include "store/store_test_support.h"

namespace beleg {
namespace {

using store_test::stage;
using store_test::TemporaryFolder;

class GenerationTagsTest : public testing::Test {
 protected:
  void SetUp() override {
    store_ = MUST(CorpusStore::open_or_create(folder_.path()));
    for (const char* id : {"a", "b", "c", "d"}) {
      MUST(store_->begin());
      MUST(stage(*store_, id, "Text von " + std::string(id)));
      MUST(store_->commit("{}"));
    }
  }
  std::size_t documents() {
    const Generation current = MUST(store_->current()).number;
    return MUST(store_->heads(current)).size();
  }

  TemporaryFolder folder_;
  std::unique_ptr<CorpusStore> store_;
};

TEST_F(GenerationTagsTest, ATagNamesAGeneration) {
  MUST(store_->put_tag("druck-2025.1", Generation{2}));
  MUST(store_->put_tag("B", Generation{2}));
  const auto tags = MUST(store_->tags());
  ASSERT_EQ(tags.size(), 2U);
  EXPECT_EQ(tags[0].name, "B");
  EXPECT_EQ(tags[1].name, "druck-2025.1");
  EXPECT_EQ(tags[1].generation, Generation{2});
  EXPECT_GT(tags[1].created_at, 1'600'000'000);
  EXPECT_EQ(MUST(find_generation(*store_, "B")).number, Generation{2});
  EXPECT_EQ(MUST(find_generation(*store_, "3")).number, Generation{3});
  EXPECT_EQ(MUST(find_generation(*store_, "")).number, Generation{4});
  EXPECT_EQ(MUST(find_generation(*store_, "current")).number, Generation{4});
  EXPECT_EQ(MUST(find_generation(*store_, "0")).number, Generation{0});
  for (const char* unknown : {"b", "5", "99999999999999999999"}) {
    const auto found = find_generation(*store_, unknown);
    ASSERT_FALSE(found) << unknown;
    EXPECT_EQ(found.error().code, ErrorCode::kNotFound) << unknown;
  }
  MUST(store_->remove_tag("B"));
  EXPECT_EQ(store_->remove_tag("B").error().code, ErrorCode::kNotFound);
}

TEST_F(GenerationTagsTest, WhatCannotBeATagIsRefused) {
  for (const std::string& name :
       {std::string(), std::string("12"), std::string("current"), std::string("-x"),
        std::string("a b"), std::string("ä"), std::string(65, 'a'), std::string("a\nb")}) {
    EXPECT_EQ(store_->put_tag(name, Generation{1}).error().code, ErrorCode::kInvalidArgument)
        << name;
  }
  MUST(store_->put_tag("x", Generation{1}));
  EXPECT_EQ(store_->put_tag("x", Generation{2}).error().code, ErrorCode::kConflict);
  EXPECT_EQ(store_->put_tag("y", Generation{9}).error().code, ErrorCode::kNotFound);
}

TEST_F(GenerationTagsTest, SeveralGenerationsAreUndoneAtOnce) {
  EXPECT_EQ(MUST(store_->rollback(Generation{1})).number, Generation{1});
  EXPECT_EQ(documents(), 1U);
  EXPECT_EQ(MUST(store_->log()).size(), 1U);
  for (const std::int64_t number : {2, 3, 4}) {
    const auto read = store_->heads(Generation{number});
    ASSERT_FALSE(read);
    EXPECT_NE(read.error().message.find("was rolled back"), std::string::npos);
    EXPECT_FALSE(store_->rollback(Generation{number}));
  }
  EXPECT_EQ(store_->rollback(Generation{1}).error().code, ErrorCode::kInvalidArgument);
  MUST(store_->begin());
  MUST(stage(*store_, "e", "neu"));
  EXPECT_EQ(MUST(store_->commit("{}")).number, Generation{5});
  EXPECT_EQ(MUST(store_->rollback(Generation{0})).number, Generation{0});
  EXPECT_EQ(documents(), 0U);
}

TEST_F(GenerationTagsTest, ATaggedGenerationIsNotUndone) {
  MUST(store_->put_tag("druck", Generation{3}));
  EXPECT_EQ(MUST(store_->rollback()).number, Generation{3});
  for (const auto target : {std::optional<Generation>(), std::optional(Generation{1})}) {
    const auto refused = store_->rollback(target);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kConflict);
    EXPECT_NE(refused.error().message.find("'druck'"), std::string::npos);
  }
  EXPECT_EQ(documents(), 3U);
  MUST(store_->remove_tag("druck"));
  EXPECT_EQ(MUST(store_->rollback(Generation{1})).number, Generation{1});
}

}  // namespace
}  // namespace beleg

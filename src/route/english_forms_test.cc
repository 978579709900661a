#include "route/english_forms.h"

#include <gtest/gtest.h>

namespace beleg {
namespace {

TEST(EnglishForms, FindsThePositiveOfComparativesOnly) {
  EXPECT_EQ(english_positive("better"), "good");
  EXPECT_EQ(english_positive("safer"), "safe");
  EXPECT_EQ(english_positive("bigger"), "big");
  EXPECT_EQ(english_positive("healthier"), "healthy");
  EXPECT_EQ(english_positive("cheaper"), "cheap");
  for (const char* none : {"cancer", "water", "other", "computer", "never", "er", ""}) {
    EXPECT_EQ(english_positive(none), "") << none;
  }
}

TEST(EnglishForms, FindsBaseAndParticipleOfPastTenses) {
  EXPECT_EQ(english_base_of_past("happened"), "happen");
  EXPECT_EQ(english_base_of_past("caused"), "cause");
  EXPECT_EQ(english_base_of_past("stopped"), "stop");
  EXPECT_EQ(english_base_of_past("carried"), "carry");
  EXPECT_EQ(english_base_of_past("wrote"), "write");
  EXPECT_EQ(english_base_of_past("created"), "create");
  EXPECT_EQ(english_base_of_past("red"), "");
  EXPECT_EQ(english_participle_of_past("wrote"), "written");
  EXPECT_EQ(english_participle_of_past("founded"), "founded");
  EXPECT_EQ(english_participle_of_past("is"), "");
}

TEST(EnglishForms, TellsNumber) {
  EXPECT_EQ(english_singular_auxiliary("do"), "does");
  EXPECT_EQ(english_singular_auxiliary("are"), "is");
  EXPECT_EQ(english_singular_auxiliary("run"), "");
  EXPECT_TRUE(is_english_plural("drugs"));
  EXPECT_TRUE(is_english_plural("Children"));
  EXPECT_FALSE(is_english_plural("virus"));
  EXPECT_FALSE(is_english_plural("physics"));
  EXPECT_FALSE(is_english_plural("gas"));
}

}  // namespace
}  // namespace beleg

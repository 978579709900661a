#include "document/language_code.h"

#include <gtest/gtest.h>

namespace beleg {
namespace {

TEST(LanguageCode, NamesAndCodesOfManyKinds) {
  for (const char* name : {"de", "DE", "de-DE", "de_AT.UTF-8", "de-Latn-CH", "ger", "deu", "German",
                           "deutsch", " Deutsch ", "german (Austria)"}) {
    EXPECT_EQ(language_code(name), "de") << name;
  }
  EXPECT_EQ(language_code("en-US"), "en");
  EXPECT_EQ(language_code("eng"), "en");
  EXPECT_EQ(language_code("Englisch"), "en");
  EXPECT_EQ(language_code("fre"), "fr");
  EXPECT_EQ(language_code("français"), "fr");
  EXPECT_EQ(language_code("zh-Hans-CN"), "zh");
}

TEST(LanguageCode, UnknownNamesAreEmpty) {
  for (const char* name :
       {"", " ", "und", "xx", "klingonisch", "d", "deutschland", "12", "\xff\xfe", "tlh"}) {
    EXPECT_EQ(language_code(name), "") << name;
  }
  EXPECT_EQ(language_code(std::string(10000, 'd')), "");
}

}  // namespace
}  // namespace beleg

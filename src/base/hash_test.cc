#include "base/hash.h"

#include <gtest/gtest.h>

namespace beleg {
namespace {

// Values from FIPS 180-4, appendix examples.
TEST(Sha256, MatchesTheStandardsExamples) {
  EXPECT_EQ(sha256("abc").hex(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("").hex(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Sha256, FieldsCannotRunIntoEachOther) {
  Sha256Hasher first;
  first.update_field("ab");
  first.update_field("c");
  Sha256Hasher second;
  second.update_field("a");
  second.update_field("bc");
  EXPECT_NE(first.finish(), second.finish());
}

TEST(Sha256, HexRoundTripsAndRefusesOtherText) {
  const Sha256 digest = sha256("beleg");
  EXPECT_EQ(Sha256::from_hex(digest.hex()).value(), digest);
  for (const char* bad :
       {"", "abc", "zz7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}) {
    const auto parsed = Sha256::from_hex(bad);
    ASSERT_FALSE(parsed);
    EXPECT_EQ(parsed.error().code, ErrorCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace beleg

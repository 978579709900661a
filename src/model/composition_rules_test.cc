#include "model/composition_rules.h"

#include <gtest/gtest.h>

#include <map>

namespace beleg {
namespace {

TEST(CanonicalCompositions, ComposeLettersAndMarks) {
  std::map<std::string, std::string> rules;
  for (const auto& [from, to] : canonical_compositions()) rules[from] = to;
  EXPECT_EQ(rules["u\u0308"], "\u00fc");
  EXPECT_EQ(rules["e\u0301"], "\u00e9");
  EXPECT_EQ(rules["\u0438\u0306"], "\u0439");
  // Composed in part, and not at all: ề.
  EXPECT_EQ(rules["\u00ea\u0300"], "\u1ec1");
  EXPECT_EQ(rules["e\u0302\u0300"], "\u1ec1");
  EXPECT_EQ(rules["\u304b\u3099"], "\u304c");
}

TEST(CanonicalCompositions, LeaveOutWhatUnicodeNeverComposes) {
  for (const auto& [from, to] : canonical_compositions()) {
    EXPECT_NE(from, "\u0915\u093c");  // DEVANAGARI QA: a composition exclusion.
    EXPECT_NE(to, "\u212b");          // ANGSTROM SIGN: a singleton.
    EXPECT_GT(from.size(), to.size() / 2);
  }
}

}  // namespace
}  // namespace beleg

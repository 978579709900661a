#include "answer/citation.h"

#include <gtest/gtest.h>

#include "base/hash.h"

namespace beleg {
namespace {

StoredVersion version_with(std::string text) {
  StoredVersion version;
  version.external_id = "N-1";
  version.source = "sample";
  version.version = VersionId{3};
  version.content.text = std::move(text);
  version.content.meta.title = "Titel";
  return version;
}

TEST(Citation, QuotesCodePointsNotBytes) {
  const StoredVersion version = version_with("Ärzte prüfen 𝛼-Synuclein. Danach …");
  const Citation citation = mint_citation(version, PassageId{1}, 2, {6, 25}).value();
  EXPECT_EQ(citation.quote, "prüfen 𝛼-Synuclein.");
  EXPECT_EQ(citation.quote_sha256, sha256("prüfen 𝛼-Synuclein.").hex());
  EXPECT_EQ(citation.page, 2U);
  EXPECT_TRUE(verify_citation(citation, version));
}

TEST(Citation, ASpanOutsideTheTextIsRefused) {
  const StoredVersion version = version_with("Ärzte");
  EXPECT_FALSE(mint_citation(version, PassageId{1}, 0, {0, 6}));
  EXPECT_FALSE(mint_citation(version, PassageId{1}, 0, {2, 2}));
  EXPECT_TRUE(mint_citation(version, PassageId{1}, 0, {0, 5}));
}

TEST(Citation, OneChangedByteIsFound) {
  const StoredVersion version = version_with("Der Preis steigt auf 58 Euro.");
  const Citation citation = mint_citation(version, PassageId{1}, 0, {0, 29}).value();
  const auto changed = verify_citation(citation, version_with("Der Preis steigt auf 63 Euro."));
  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error().code, ErrorCode::kCorrupt);
  EXPECT_FALSE(verify_citation(citation, version_with("Der Preis")));
  Citation forged = citation;
  forged.quote[21] = '9';
  EXPECT_FALSE(verify_citation(forged, version));
  forged.quote_sha256 = sha256(forged.quote).hex();
  EXPECT_FALSE(verify_citation(forged, version));
}

TEST(Citation, WhiteSpaceOfAQuoteFlows) {
  EXPECT_EQ(flowing(" \r\nDer  Preis\tsteigt\n\nauf 58 Euro. \n"), "Der Preis steigt auf 58 Euro.");
  EXPECT_EQ(flowing("58\u00A0Euro"),
            "58\u00A0Euro");  // Only what ends lines and words in a source.
  EXPECT_EQ(flowing(" \n\t"), "");
}

}  // namespace
}  // namespace beleg

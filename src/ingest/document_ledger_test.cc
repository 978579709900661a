#include "ingest/document_ledger.h"

#include <gtest/gtest.h>

namespace beleg {
namespace {

TEST(DocumentLedger, KnowsHeadsAndOwnersPerSource) {
  DocumentLedger ledger;
  ledger.load({{.document = DocumentId{4}, .source = "/a", .external_id = "x"},
               {.document = DocumentId{5}, .source = "/b", .external_id = "x"}});
  EXPECT_EQ(ledger.find("/a", "x"), 0U);
  EXPECT_EQ(ledger.find("/b", "x"), 1U);
  EXPECT_FALSE(ledger.find("/a", "y"));
  EXPECT_FALSE(ledger.find("/c", "x"));

  ledger.take("/a", "x", 3);
  ledger.take("/c", "neu", 3);
  EXPECT_EQ(ledger.owner("/a", "x"), 3U);
  EXPECT_FALSE(ledger.owner("/b", "x"));
  EXPECT_EQ(ledger.owner("/c", "neu"), 3U);
}

TEST(DocumentLedger, ReleasingAFileFreesItsIdsOnly) {
  DocumentLedger ledger;
  ledger.load({{.source = "/a", .external_id = "x"}, {.source = "/a", .external_id = "y"}});
  ledger.take("/a", "x", 1);
  ledger.take("/a", "y", 2);
  ledger.set_state(0, HeadState::kStaged);
  ledger.set_state(1, HeadState::kSeen);
  ledger.release("/a", 1);
  EXPECT_FALSE(ledger.owner("/a", "x"));
  EXPECT_EQ(ledger.state(0), HeadState::kUnseen);
  EXPECT_EQ(ledger.owner("/a", "y"), 2U);
  EXPECT_EQ(ledger.state(1), HeadState::kSeen);
}

}  // namespace
}  // namespace beleg

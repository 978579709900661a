#include "store/answer_audit.h"

#include <gtest/gtest.h>

#include "store/answer_format.h"
#include "store/store_schema.h"
#include "store/store_test_support.h"

namespace beleg {
namespace {

using Json = nlohmann::json;
using store_test::TemporaryFolder;

Json sealed(const std::string& question) {
  Json receipt = {{"question", question},
                  {"answer", "Öl."},
                  {"generation", 0},
                  {"steps", {{{"name", "admit"}, {"in", 1}, {"ms", 0.5}, {"cpu_ms", 0.25}}}},
                  {"cost", {{"ms", 0.5}}},
                  {"trace", "t"}};
  receipt["receipt_sha256"] = receipt_hash(receipt);
  return receipt;
}

std::string hash_of(const Json& receipt) { return receipt["receipt_sha256"].get<std::string>(); }

class AnswerAuditTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto store = MUST(CorpusStore::open_or_create(folder_.path()));
    for (const Json& receipt : receipts_) {
      MUST(store->put_receipt(hash_of(receipt), receipt.dump()));
      const std::string id = "trace-" + receipt["question"].get<std::string>();
      MUST(store->put_trace(id, Json{{"id", id}, {"receipt", receipt}}.dump()));
    }
  }

  /// Changes the file behind the store's back, then checks the answers.
  std::vector<std::string> audit_after(const std::string& sql) {
    const auto database = MUST(open_truth(folder_.path() / "truth.db"));
    MUST(database->execute(sql.c_str()));
    std::vector<std::string> findings;
    MUST(audit_answers(*database, findings));
    return findings;
  }

  TemporaryFolder folder_;
  std::vector<Json> receipts_ = {sealed("a"), sealed("b")};
};

TEST(ReceiptHashTest, IsTheSha256OfTheCompactJsonWithoutWhatVaries) {
  // As sha256sum says of
  // {"answer":"Öl.","generation":0,"question":"a","steps":[{"in":1,"name":"admit"}]}
  EXPECT_EQ(receipt_hash(sealed("a")),
            "52865d02ed759023c9ae2724a6aa9157e50a7f10d916e7974469c0944618454b");
}

TEST(ReceiptHashTest, TakesStepsOfAnyKind) {
  const Json number = {{"steps", 7}};
  const Json list = {{"steps", {7, "x"}}};
  EXPECT_NE(receipt_hash(number), receipt_hash(list));
}

TEST(AnswerRecordTest, RefusesWhatIsNoObjectOrTooDeep) {
  EXPECT_TRUE(parse_answer_record("{\"a\":[1]}"));
  for (const std::string& json :
       {std::string("{\"a\":"), std::string("[1]"), std::string(),
        "{\"a\":" + std::string(300'000, '[') + std::string(300'000, ']') + "}"}) {
    const auto record = parse_answer_record(json);
    ASSERT_FALSE(record) << json.substr(0, 20);
    EXPECT_EQ(record.error().code, ErrorCode::kCorrupt);
  }
}

TEST_F(AnswerAuditTest, GoodAnswersHaveNoFindings) {
  EXPECT_EQ(audit_after("SELECT 1"), std::vector<std::string>{});
}

TEST_F(AnswerAuditTest, EveryDamagedReceiptIsNamed) {
  const std::vector<std::string> findings =
      audit_after("UPDATE receipt SET json = replace(json, 'Öl.', 'Oel')");
  ASSERT_EQ(findings.size(), 2U);
  for (const Json& receipt : receipts_) {
    EXPECT_TRUE(std::ranges::any_of(findings, [&](const std::string& line) {
      return line.starts_with("receipt " + hash_of(receipt) + " is damaged: ");
    }));
  }
}

TEST_F(AnswerAuditTest, AReceiptThatIsNoJsonIsNamed) {
  const std::string hash = hash_of(receipts_[0]);
  EXPECT_EQ(
      audit_after("UPDATE receipt SET json = substr(json, 1, 30) WHERE sha256 = '" + hash + "'"),
      std::vector{"receipt " + hash + " is damaged: it is not one JSON object"});
}

TEST_F(AnswerAuditTest, AReceiptUnderAnotherHashIsNamed) {
  const std::string other(64, '0');
  EXPECT_EQ(audit_after("UPDATE receipt SET sha256 = '" + other + "' WHERE sha256 = '" +
                        hash_of(receipts_[1]) + "'"),
            std::vector{"receipt " + other + " is damaged: it is filed under another hash"});
}

TEST_F(AnswerAuditTest, EveryDamagedTraceIsNamed) {
  const std::vector<std::string> findings = audit_after(
      "UPDATE trace SET json = '{' WHERE id = 'trace-a';"
      "UPDATE trace SET json = replace(json, 'Öl.', 'Oel') WHERE id = 'trace-b'");
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0], "trace trace-a is damaged: it is not one JSON object");
  EXPECT_TRUE(findings[1].starts_with("trace trace-b is damaged: its receipt is damaged: "))
      << findings[1];
  EXPECT_EQ(audit_after("UPDATE trace SET id = 'x' WHERE id = 'trace-b'").back(),
            "trace x is damaged: it is filed under another id");
}

}  // namespace
}  // namespace beleg

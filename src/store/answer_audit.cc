#include "store/answer_audit.h"

#include <string_view>

#include "store/answer_format.h"

namespace beleg {
namespace {

using Json = nlohmann::json;

/// Whether `name` of an object is this text.
bool has_text(const Json& json, const char* name, std::string_view text) {
  const auto member = json.find(name);
  return member != json.end() && member->is_string() &&
         member->get_ref<const std::string&>() == text;
}

/// What is wrong with a receipt, or empty.
std::string receipt_fault(const Json& receipt) {
  if (!receipt.is_object()) return "it is not one JSON object";
  const std::string hash = receipt_hash(receipt);
  return has_text(receipt, "receipt_sha256", hash) ? "" : "its content has another hash, " + hash;
}

/// What is wrong with a receipt that is filed under `key`, or empty.
std::string stored_receipt_fault(std::string_view key, std::string_view json) {
  const auto receipt = parse_answer_record(json);
  if (!receipt) return receipt.error().message;
  if (std::string fault = receipt_fault(*receipt); !fault.empty()) return fault;
  return has_text(*receipt, "receipt_sha256", key) ? "" : "it is filed under another hash";
}

/// What is wrong with a trace that is filed under `id`, or empty.
std::string stored_trace_fault(std::string_view id, std::string_view json) {
  const auto trace = parse_answer_record(json);
  if (!trace) return trace.error().message;
  if (!has_text(*trace, "id", id)) return "it is filed under another id";
  const auto receipt = trace->find("receipt");
  if (receipt == trace->end()) return "it has no receipt";
  const std::string fault = receipt_fault(*receipt);
  return fault.empty() ? "" : "its receipt is damaged: " + fault;
}

}  // namespace

Result<void> audit_answers(SqliteDatabase& database, std::vector<std::string>& findings) {
  {
    auto row = TRY(database.prepare("SELECT sha256, json FROM receipt ORDER BY sha256"));
    while (TRY(row.step())) {
      const std::string fault = stored_receipt_fault(row.text(0), row.text(1));
      if (!fault.empty()) {
        findings.push_back("receipt " + std::string(row.text(0)) + " is damaged: " + fault);
      }
    }
  }
  auto row = TRY(database.prepare("SELECT id, json FROM trace ORDER BY sequence"));
  while (TRY(row.step())) {
    const std::string fault = stored_trace_fault(row.text(0), row.text(1));
    if (!fault.empty()) {
      findings.push_back("trace " + std::string(row.text(0)) + " is damaged: " + fault);
    }
  }
  return {};
}

}  // namespace beleg

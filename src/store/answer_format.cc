#include "store/answer_format.h"

#include "base/hash.h"

namespace beleg {
namespace {

constexpr int kDeepestNesting = 64;

}  // namespace

Result<nlohmann::json> parse_answer_record(std::string_view json) {
  bool too_deep = false;
  const auto keep = [&](int depth, nlohmann::json::parse_event_t, const nlohmann::json&) {
    too_deep = too_deep || depth > kDeepestNesting;
    return !too_deep;
  };
  nlohmann::json record = nlohmann::json::parse(json, keep, false);
  if (too_deep || !record.is_object()) {
    return fail(ErrorCode::kCorrupt,
                too_deep ? "the JSON is nested too deeply" : "it is not one JSON object",
                "restore the corpus folder from a backup, or ask again");
  }
  return record;
}

std::string receipt_hash(const nlohmann::json& receipt) {
  nlohmann::json proof = receipt;
  for (const char* volatile_field : {"receipt_sha256", "cost", "trace"}) {
    proof.erase(volatile_field);
  }
  if (const auto steps = proof.find("steps"); steps != proof.end() && steps->is_array()) {
    for (nlohmann::json& step : *steps) {
      if (!step.is_object()) continue;
      step.erase("ms");
      step.erase("cpu_ms");
    }
  }
  return sha256(proof.dump()).hex();
}

}  // namespace beleg

#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/result.h"

namespace beleg {

// What the store itself must know of receipts and traces to say whether they are whole. Their
// fields are in docs/formats/receipt.md.

/// A stored receipt or trace. kCorrupt when it is not one JSON object, or nests deeper than any
/// that is written (64): hashing goes down recursively, and the bytes are not trusted.
Result<nlohmann::json> parse_answer_record(std::string_view json);

/// The receipt's own hash, in hexadecimal digits: SHA-256 over it without times, costs and the hash
/// itself. The same question, settings, models, generation and day give the same. `receipt` is
/// valid UTF-8 throughout, as parsed JSON is.
[[nodiscard]] std::string receipt_hash(const nlohmann::json& receipt);

}  // namespace beleg

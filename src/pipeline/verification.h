#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "pipeline/trace.h"
#include "store/corpus_store.h"
#include "text/span.h"

namespace beleg {

/// What became of a citation since its receipt was written.
enum class CitationState : std::uint8_t {
  kUnchanged,  ///< The cited version is current and its text at the span is the quote.
  kMoved,      ///< The current version has the quote, at another place.
  kChanged,    ///< The cited version still proves the quote, but the current one lacks it.
  kDeleted,    ///< The document is no longer there, or the cited version was purged.
  kBroken,     ///< What the receipt says is not what is stored, or a hash is wrong: no proof.
};
[[nodiscard]] std::string_view citation_state_name(CitationState state);

struct CitationVerification {
  std::string document;
  Span span;
  CitationState state = CitationState::kBroken;
  std::string remark;
};

struct ReceiptVerification {
  bool hash_holds = false;  ///< The receipt is as it was written.
  std::vector<CitationVerification> citations;
  bool answer_holds = false;  ///< The answer is the texts of the statements, joined.
  bool all_well = false;      ///< Both hold and no citation is changed, deleted or broken.
};

/// Checks a receipt against the corpus as it is now. Errors: kCorrupt for a receipt without the
/// form of one, naming the field where a number is none that a receipt can have.
Result<ReceiptVerification> verify_receipt(const Json& receipt, CorpusStore& store);

[[nodiscard]] Json verification_to_json(const ReceiptVerification& verification);

}  // namespace beleg

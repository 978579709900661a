#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "pipeline/cascade_state.h"
#include "pipeline/engine.h"
#include "pipeline/trace.h"

namespace beleg {

/// What a run of the cascade leaves behind.
struct AskOutcome {
  Json receipt;  ///< Proves the answer; see docs/formats/receipt.md. Includes receipt_sha256.
  Json trace;    ///< Shows how it came about, with times and scores of every step.
  bool abstained = false;
  bool degraded = false;
};

/// Runs all steps for one question, records receipt and trace in the corpus, and returns them. A
/// refused question, or a step that cannot be done without, is an error; everything else is in the
/// outcome: abstention with its reason, degradations by name.
Result<AskOutcome> ask(Engine& engine, const AskRequest& request);

/// Builds the receipt of a finished run, without its hash (receipt_hash in store/answer_format.h).
[[nodiscard]] Json make_receipt(const CascadeState& state);
/// Builds the trace of a finished run.
[[nodiscard]] Json make_trace(const CascadeState& state, const Json& receipt);

/// A citation as JSON, and back. kCorrupt when a field is missing or of the wrong kind.
[[nodiscard]] Json citation_to_json(const Citation& citation);
Result<Citation> citation_from_json(const Json& json);

}  // namespace beleg

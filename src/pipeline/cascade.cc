#include "pipeline/cascade.h"

#include "pipeline/steps.h"
#include "store/answer_format.h"

namespace beleg {
namespace {

/// Factor on the numbers of candidates in the corrective pass.
constexpr double kCorrectiveWidening = 3.0;

Result<void> run_step(CascadeState& state, const StepSpec& spec) {
  StepRecord record{.name = std::string(spec.name)};
  const Stopwatch watch;
  auto done = spec.run(state, record);
  record.ms = watch.wall_ms();
  record.cpu_ms = watch.cpu_ms();
  if (!done) return std::unexpected(done.error().with_context(spec.name));
  if (state.widen > 1.0) record.detail["corrective"] = true;
  state.trace.steps.push_back(std::move(record));
  return {};
}

constexpr int kFirstRepeatedStep = 4;  // Retrieve.
constexpr int kCiteStep = 13;

Result<void> run_steps(CascadeState& state, int first, int last) {
  for (const StepSpec& spec : step_specs()) {
    if (spec.number < first || spec.number > last || spec.run == nullptr) continue;
    // A template answers without search; its citations are proven and gated like any other.
    const bool answered = !state.template_id.empty() && spec.number > 2 && spec.number < kCiteStep;
    if (answered) continue;
    TRY(run_step(state, spec));
  }
  return {};
}

constexpr int kLastStep = 15;  // Gate; recording (16) is done by ask().

/// Traces are told apart by day, second and a piece of what they are about.
std::string trace_id(const CascadeState& state, UnixSeconds started) {
  std::string digits;
  for (const char c : format_utc(started)) {
    if (c >= '0' && c <= '9') digits.push_back(c);
  }
  Sha256Hasher hasher;
  hasher.update_field(state.request.question);
  hasher.update_field(canonical_settings(state.settings()));
  hasher.update_field(std::to_string(Stopwatch().wall_ms()) + digits);
  return "t-" + digits + "-" + hasher.finish().hex().substr(0, 8);
}

}  // namespace

Result<AskOutcome> ask(Engine& engine, const AskRequest& request) {
  CascadeState state{.engine = engine, .request = request};
  state.trace.id = trace_id(state, SystemClock().now());
  if (engine.index_was_rebuilt()) {
    state.degrade("retrieve", "the index was damaged or missing and was built again");
  }
  TRY(run_steps(state, 1, kLastStep));
  if (state.abstention && !state.fused.empty() && engine.settings().gate.correct_once) {
    // Corrective retrieval: the same question over a wider net, once.
    state.widen = kCorrectiveWidening;
    TRY(run_steps(state, kFirstRepeatedStep, kLastStep));
  }
  AskOutcome outcome;
  const Stopwatch watch;
  outcome.receipt = make_receipt(state);
  outcome.receipt["receipt_sha256"] = receipt_hash(outcome.receipt);
  const std::string hash = outcome.receipt["receipt_sha256"].get<std::string>();
  auto stored = engine.store().put_receipt(hash, outcome.receipt.dump());
  StepRecord record{.name = "record", .in = 1, .out = stored ? 1U : 0U};
  record.ms = watch.wall_ms();
  record.cpu_ms = watch.cpu_ms();
  state.trace.steps.push_back(std::move(record));
  outcome.trace = make_trace(state, outcome.receipt);
  if (stored) stored = engine.store().put_trace(state.trace.id, outcome.trace.dump());
  if (!stored) {
    // The answer is as good as ever; that it left no record must be said.
    state.trace.steps.back().out = 0;
    state.degrade("record", "receipt and trace could not be stored: " + stored.error().to_line());
    outcome.receipt = make_receipt(state);
    outcome.receipt["receipt_sha256"] = receipt_hash(outcome.receipt);
    outcome.trace = make_trace(state, outcome.receipt);
  }
  outcome.abstained = state.abstention.has_value();
  outcome.degraded = !state.trace.degraded.empty();
  return outcome;
}

}  // namespace beleg

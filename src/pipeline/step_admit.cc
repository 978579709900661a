#include "pipeline/steps.h"
#include "text/utf8.h"

namespace beleg {
namespace {

Result<void> admit_text(const std::string& text, const std::string& what,
                        const Settings& settings) {
  if (!is_valid_utf8(text)) {
    return fail(ErrorCode::kInvalidArgument, what + " is not valid UTF-8", "give it in UTF-8");
  }
  const std::uint32_t length = count_code_points(text);
  if (length > settings.admit.max_question_chars) {
    return fail(ErrorCode::kInvalidArgument,
                what + " has " + std::to_string(length) + " characters; the limit is " +
                    std::to_string(settings.admit.max_question_chars),
                "shorten it, or raise admit.max_question_chars");
  }
  return {};
}

/// A condition without a word would only hide everything.
Result<void> admit_conditions(const CascadeState& state) {
  for (const TextCondition& condition : state.request.filter.texts) {
    TRY(admit_text(condition.text, "a condition on the text", state.settings()));
    if (state.engine.index().analyze(condition.text, "und").empty()) {
      return fail(ErrorCode::kInvalidArgument,
                  "a condition on the text has no word: '" + condition.text + "'",
                  "give at least one word or number");
    }
  }
  return {};
}

}  // namespace

Result<void> step_admit(CascadeState& state, StepRecord& record) {
  const std::string& question = state.request.question;
  record.in = 1;
  TRY(admit_text(question, "the question", state.settings()));
  record.detail["chars"] = count_code_points(question);
  if (question.find_first_not_of(" \t\r\n") == std::string::npos) {
    return fail(ErrorCode::kInvalidArgument, "the question is empty", "ask something");
  }
  TRY(admit_conditions(state));
  if (state.request.filter != FilterSpec{}) {
    state.filter = state.engine.index().make_filter(state.request.filter);
  } else {
    // Labelled passages are for those who hold the label, also when no other condition is given.
    RowFilter visible = state.engine.index().make_filter({});
    if (visible.count() < state.engine.index().rows()) state.filter = std::move(visible);
  }
  record.detail["rows_visible"] =
      state.filter ? state.filter->count() : state.engine.index().rows();
  record.out = 1;
  return {};
}

}  // namespace beleg

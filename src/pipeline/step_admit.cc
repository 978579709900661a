#include "pipeline/steps.h"
#include "text/utf8.h"

namespace beleg {

Result<void> step_admit(CascadeState& state, StepRecord& record) {
  const std::string& question = state.request.question;
  record.in = 1;
  if (!is_valid_utf8(question)) {
    return fail(ErrorCode::kInvalidArgument, "the question is not valid UTF-8", "give it in UTF-8");
  }
  const std::uint32_t length = count_code_points(question);
  record.detail["chars"] = length;
  if (question.find_first_not_of(" \t\r\n") == std::string::npos) {
    return fail(ErrorCode::kInvalidArgument, "the question is empty", "ask something");
  }
  if (length > state.settings().admit.max_question_chars) {
    return fail(ErrorCode::kLimit,
                "the question has " + std::to_string(length) + " characters; the limit is " +
                    std::to_string(state.settings().admit.max_question_chars),
                "shorten it, or raise admit.max_question_chars");
  }
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

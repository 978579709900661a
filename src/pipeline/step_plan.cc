#include "pipeline/steps.h"
#include "text/language.h"

namespace beleg {

PlannedQuery make_query(const Engine& engine, std::string text, std::string rule,
                        QueryVectors vectors) {
  PlannedQuery query;
  const LanguageGuess guess = detect_language(text);
  query.language = guess.code == "und" ? engine.main_language() : guess.code;
  query.text = std::move(text);
  query.rule = std::move(rule);
  query.vectors = std::move(vectors);
  return query;
}

Result<void> step_plan(CascadeState& state, StepRecord& record) {
  const std::string& question = state.request.question;
  const LanguageGuess guess = detect_language(question);
  const std::string language = guess.code == "und" ? state.engine.main_language() : guess.code;
  state.plan = plan_question(question, language, state.settings().plan);

  std::vector<std::string> texts = {question};
  std::vector<std::string> rules = {"original"};
  for (const SubQuestion& sub : state.plan.sub_questions) {
    texts.push_back(sub.text);
    rules.push_back(sub.rule);
  }
  std::vector<QueryVectors> vectors = TRY(state.engine.encode_questions(texts));
  state.queries.clear();
  for (std::size_t i = 0; i < texts.size(); ++i) {
    state.queries.push_back(make_query(state.engine, texts[i], rules[i], std::move(vectors[i])));
  }
  state.answer_queries.clear();
  for (std::size_t i = 1; i < texts.size(); ++i) state.answer_queries.push_back(i);
  if (state.answer_queries.empty()) state.answer_queries.push_back(0);

  record.in = 1;
  record.out = state.queries.size();
  record.detail["language"] = language;
  record.detail["language_confidence"] = rounded(guess.confidence);
  record.detail["complexity"] = rounded(state.plan.complexity);
  record.detail["threshold"] = state.plan.threshold;
  record.detail["decomposed"] = state.plan.decomposed;
  record.detail["reason"] = state.plan.reason;
  for (const PlannedQuery& query : state.queries) {
    record.detail["queries"].push_back(
        {{"text", query.text}, {"language", query.language}, {"rule", query.rule}});
  }
  return {};
}

}  // namespace beleg

#include "route/plan_training.h"

#include <gtest/gtest.h>

#include "route/plan_testdata.h"

namespace beleg {
namespace {

std::vector<LabelledQuestion> samples() {
  return labels_of(read_plan_cases(source_root() / "examples/questions/planning.jsonl"));
}

std::vector<LabelledQuestion> own_cases() {
  return labels_of(read_plan_cases(source_root() / "src/route/testdata/plan_cases.jsonl"));
}

TEST(PlanTraining, ReachesPrecisionAndRecallOnHeldOutFolds) {
  const Result<PlanFit> fit = fit_plan_model(samples());
  ASSERT_TRUE(fit) << fit.error().to_line();
  EXPECT_GE(fit->held_out.precision(), 0.9);
  EXPECT_GE(fit->held_out.recall(), 0.85);
  EXPECT_GE(fit->held_out_at_best.precision(), 0.9);
  EXPECT_GE(fit->held_out_at_best.recall(), fit->held_out.recall());
}

TEST(PlanTraining, TheBuiltInWeightsAreThoseOfTheSampleQuestions) {
  const std::vector<LabelledQuestion> questions = samples();
  const Result<PlanFit> fit = fit_plan_model(questions);
  ASSERT_TRUE(fit);
  // The table may be older than the last sample question, but it must decide alike.
  for (const LabelledQuestion& question : questions) {
    const double now = plan_question(question.text, question.language, {}, fit->model).complexity;
    const double built_in = plan_question(question.text, question.language, {}).complexity;
    EXPECT_NEAR(now, built_in, 0.1) << question.text;
  }
}

TEST(PlanTraining, GeneralisesToQuestionsItWasNotFittedTo) {
  const Result<PlanFit> fit = fit_plan_model(samples());
  ASSERT_TRUE(fit);
  const PlanScore score = score_plan_model(own_cases(), fit->model, 0.5);
  EXPECT_GE(score.precision(), 0.9);
  EXPECT_GE(score.recall(), 0.85);
}

TEST(PlanTraining, IsDeterministic) {
  const std::vector<LabelledQuestion> questions = own_cases();
  const Result<PlanFit> first = fit_plan_model(questions);
  const Result<PlanFit> second = fit_plan_model(questions);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->model.to_text(), second->model.to_text());
  EXPECT_EQ(first->held_out.true_positives, second->held_out.true_positives);
}

TEST(PlanTraining, CountsEveryQuestionOnce) {
  const std::vector<LabelledQuestion> questions = own_cases();
  const Result<PlanFit> fit = fit_plan_model(questions);
  ASSERT_TRUE(fit);
  for (const PlanScore& score : {fit->held_out, fit->held_out_at_best}) {
    EXPECT_EQ(
        score.true_positives + score.false_positives + score.false_negatives + score.true_negatives,
        questions.size());
  }
}

TEST(PlanTraining, LabelsDecideTheWeights) {
  // With every label turned round the model must turn round too: it learns, it does not recite.
  std::vector<LabelledQuestion> questions = own_cases();
  for (LabelledQuestion& question : questions) question.decompose = !question.decompose;
  const Result<PlanFit> fit = fit_plan_model(questions);
  ASSERT_TRUE(fit);
  const std::string question = "Was ist Rost und wie entsteht er?";
  EXPECT_LT(plan_question(question, "de", {}, fit->model).complexity, 0.5);
}

TEST(PlanTraining, RefusesTooFewQuestionsOfAKind) {
  std::vector<LabelledQuestion> questions(40, {"Was ist Rost?", "de", false});
  const Result<PlanFit> fit = fit_plan_model(questions);
  ASSERT_FALSE(fit);
  EXPECT_EQ(fit.error().code, ErrorCode::kInvalidArgument);
  EXPECT_FALSE(fit_plan_model({}));
  EXPECT_FALSE(fit_plan_model(own_cases(), 1.5));
  EXPECT_FALSE(fit_plan_model(own_cases(), std::nan("")));
}

TEST(PlanTraining, SourceOfTheWeightsNamesEveryFeature) {
  const std::string source = plan_weights_source(built_in_plan_model());
  for (std::size_t i = 0; i < kPlanFeatureCount; ++i)
    EXPECT_NE(source.find(plan_feature_name(static_cast<PlanFeature>(i))), std::string::npos);
}

TEST(PlanScore, HasNoDivisionByZero) {
  EXPECT_EQ(PlanScore{}.precision(), 1.0);
  EXPECT_EQ(PlanScore{}.recall(), 1.0);
  const PlanScore score{3, 1, 2, 4};
  EXPECT_DOUBLE_EQ(score.precision(), 0.75);
  EXPECT_DOUBLE_EQ(score.recall(), 0.6);
}

}  // namespace
}  // namespace beleg

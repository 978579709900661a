#include "route/plan_training.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace beleg {
namespace {

constexpr std::size_t kFolds = 5;
constexpr std::size_t kMinPerLabel = 10;
// Penalty on squared weights, per data set: keeps rules that always agree with the label finite.
constexpr double kPenalty = 1.0;
constexpr int kMaxSteps = 50;
constexpr double kConverged = 1e-9;
constexpr double kWantedPrecision = 0.9;
constexpr std::size_t kSize = kPlanFeatureCount + 1;  // With the intercept, last.

using Vector = std::array<double, kSize>;
using Matrix = std::array<Vector, kSize>;

/// One question as the fit sees it.
struct Example {
  PlanFeatures features;
  bool positive = false;
  bool formed = false;
};

Example make_example(const LabelledQuestion& question) {
  Example out;
  const QueryPlan plan = plan_question(question.text, question.language, {});
  for (std::size_t i = 0; i < kPlanFeatureCount; ++i) {
    const std::string_view name = plan_feature_name(static_cast<PlanFeature>(i));
    for (const auto& [feature, value] : plan.features) {
      if (feature == name) out.features.values[i] = value;
    }
  }
  out.positive = question.decompose;
  out.formed = out.features[PlanFeature::kFormed] > 0.0;
  return out;
}

std::vector<Example> make_examples(std::span<const LabelledQuestion> questions) {
  std::vector<Example> out;
  out.reserve(questions.size());
  for (const LabelledQuestion& question : questions) out.push_back(make_example(question));
  return out;
}

/// Solves a positive definite system by Cholesky's decomposition, in place.
Vector solve(Matrix a, Vector b) {
  for (std::size_t i = 0; i < kSize; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = a[i][j];
      for (std::size_t k = 0; k < j; ++k) sum -= a[i][k] * a[j][k];
      a[i][j] = i == j ? std::sqrt(std::max(sum, 1e-12)) : sum / a[j][j];
    }
  }
  for (std::size_t i = 0; i < kSize; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= a[i][k] * b[k];
    b[i] /= a[i][i];
  }
  for (std::size_t i = kSize; i-- > 0;) {
    for (std::size_t k = i + 1; k < kSize; ++k) b[i] -= a[k][i] * b[k];
    b[i] /= a[i][i];
  }
  return b;
}

/// Newton's method on the penalised negative log-likelihood; the intercept is (nearly) free.
PlanModel fit(std::span<const Example* const> examples) {
  PlanModel model;
  for (int step = 0; step < kMaxSteps; ++step) {
    Vector gradient{};
    Matrix hessian{};
    for (std::size_t i = 0; i < kSize; ++i) {
      const double penalty = i + 1 < kSize ? kPenalty : 1e-6;
      gradient[i] = penalty * (i + 1 < kSize ? model.weights[i] : model.intercept);
      hessian[i][i] = penalty;
    }
    for (const Example* example : examples) {
      Vector x{};
      std::copy(example->features.values.begin(), example->features.values.end(), x.begin());
      x[kSize - 1] = 1.0;
      const double p = model.probability(example->features);
      const double error = p - (example->positive ? 1.0 : 0.0);
      for (std::size_t i = 0; i < kSize; ++i) {
        if (x[i] == 0.0) continue;
        gradient[i] += error * x[i];
        for (std::size_t j = 0; j <= i; ++j) hessian[i][j] += p * (1.0 - p) * x[i] * x[j];
      }
    }
    const Vector change = solve(hessian, gradient);
    double largest = 0.0;
    for (std::size_t i = 0; i < kSize; ++i) {
      (i + 1 < kSize ? model.weights[i] : model.intercept) -= change[i];
      largest = std::max(largest, std::abs(change[i]));
    }
    if (largest < kConverged) break;
  }
  return model;
}

void count(const Example& example, double probability, double threshold, PlanScore& score) {
  const bool decomposed = example.formed && probability >= threshold;
  if (decomposed) {
    ++(example.positive ? score.true_positives : score.false_positives);
  } else {
    ++(example.positive ? score.false_negatives : score.true_negatives);
  }
}

PlanScore score_all(std::span<const Example> examples, std::span<const double> probabilities,
                    double threshold) {
  PlanScore score;
  for (std::size_t i = 0; i < examples.size(); ++i)
    count(examples[i], probabilities[i], threshold, score);
  return score;
}

/// Probability of every example from the model of the other folds.
std::vector<double> cross_validate(std::span<const Example> examples) {
  // Positives and negatives are dealt to the folds in turn, so that each fold has its share.
  std::vector<std::size_t> fold(examples.size());
  std::array<std::size_t, 2> dealt{};
  for (std::size_t i = 0; i < examples.size(); ++i)
    fold[i] = dealt[examples[i].positive ? 1 : 0]++ % kFolds;
  std::vector<double> out(examples.size());
  for (std::size_t held = 0; held < kFolds; ++held) {
    std::vector<const Example*> others;
    for (std::size_t i = 0; i < examples.size(); ++i) {
      if (fold[i] != held) others.push_back(&examples[i]);
    }
    const PlanModel model = fit(others);
    for (std::size_t i = 0; i < examples.size(); ++i) {
      if (fold[i] == held) out[i] = model.probability(examples[i].features);
    }
  }
  return out;
}

double ratio(std::size_t part, std::size_t rest) {
  return part + rest == 0 ? 1.0 : static_cast<double>(part) / static_cast<double>(part + rest);
}

}  // namespace

double PlanScore::precision() const { return ratio(true_positives, false_positives); }
double PlanScore::recall() const { return ratio(true_positives, false_negatives); }

Result<PlanFit> fit_plan_model(std::span<const LabelledQuestion> questions, double threshold) {
  if (!(threshold >= 0.0 && threshold <= 1.0))
    return fail(ErrorCode::kInvalidArgument, "threshold must be in [0,1]", "choose 0.5");
  const auto positives = static_cast<std::size_t>(
      std::count_if(questions.begin(), questions.end(), [](const auto& q) { return q.decompose; }));
  if (positives < kMinPerLabel || questions.size() - positives < kMinPerLabel)
    return fail(ErrorCode::kInvalidArgument,
                "planning questions: " + std::to_string(positives) + " to decompose, " +
                    std::to_string(questions.size() - positives) + " single",
                "label at least ten of each kind");
  const std::vector<Example> examples = make_examples(questions);
  const std::vector<double> held_out = cross_validate(examples);
  PlanFit out;
  out.threshold = threshold;
  out.held_out = score_all(examples, held_out, threshold);
  out.best_threshold = threshold;
  out.held_out_at_best = out.held_out;
  double best_recall = -1.0;
  for (int percent = 5; percent <= 95; ++percent) {
    const double candidate = percent / 100.0;
    const PlanScore score = score_all(examples, held_out, candidate);
    // Of equal recall the higher threshold, for precision on questions that nobody labelled.
    if (score.precision() < kWantedPrecision || score.recall() < best_recall) continue;
    best_recall = score.recall();
    out.best_threshold = candidate;
    out.held_out_at_best = score;
  }
  std::vector<const Example*> all;
  all.reserve(examples.size());
  for (const Example& example : examples) all.push_back(&example);
  out.model = fit(all);
  return out;
}

PlanScore score_plan_model(std::span<const LabelledQuestion> questions, const PlanModel& model,
                           double threshold) {
  PlanScore score;
  for (const LabelledQuestion& question : questions) {
    const Example example = make_example(question);
    count(example, model.probability(example.features), threshold, score);
  }
  return score;
}

std::string plan_weights_source(const PlanModel& model) {
  // Six decimals are enough to decide alike, and keep the table readable.
  const auto value = [](double number) { return std::to_string(number); };
  std::string out = ".weights = {\n";
  for (std::size_t i = 0; i < kPlanFeatureCount; ++i)
    out += "    " + value(model.weights[i]) + ",  // " +
           std::string(plan_feature_name(static_cast<PlanFeature>(i))) + "\n";
  return out + "},\n.intercept = " + value(model.intercept) + ",\n";
}

}  // namespace beleg

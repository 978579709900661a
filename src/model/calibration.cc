#include "model/calibration.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace beleg {
namespace {

constexpr std::size_t kMinPairs = 20;
constexpr std::size_t kBins = 10;
constexpr int kMaxIterations = 100;

double sigmoid(double x) {
  // exp of a negative number only: it cannot overflow.
  if (x >= 0) return 1.0 / (1.0 + std::exp(-x));
  const double e = std::exp(x);
  return e / (1.0 + e);
}

/// log(1 + exp(x)) without overflow.
double softplus(double x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }

struct Prediction {
  double probability = 0.0;
  bool relevant = false;
};

/// Platt's smoothed targets: not 0 and 1, but what a uniform prior on the labels expects, so that
/// the fit stays finite on data that a threshold separates.
struct Targets {
  double positive = 1.0;
  double negative = 0.0;
};

Targets smoothed_targets(std::size_t positives, std::size_t negatives) {
  return {(static_cast<double>(positives) + 1.0) / (static_cast<double>(positives) + 2.0),
          1.0 / (static_cast<double>(negatives) + 2.0)};
}

/// Cross entropy of σ(a·x + b) against the targets; written so that no log(0) can occur (eq. 4 of
/// Lin, Lin, Weng 2007).
double loss(std::span<const LabelledScore> pairs, Targets targets, double a, double b) {
  double sum = 0;
  for (const LabelledScore& pair : pairs) {
    const double t = pair.relevant ? targets.positive : targets.negative;
    const double f = a * pair.score + b;
    sum += softplus(f) - t * f;
  }
  return sum;
}

struct Derivatives {
  double gradient_a = 0, gradient_b = 0;
  double hessian_aa = 0, hessian_ab = 0, hessian_bb = 0;
};

Derivatives derivatives(std::span<const LabelledScore> pairs, Targets targets, double a, double b) {
  constexpr double kRidge = 1e-12;  // Keeps the Hessian invertible when all scores are equal.
  Derivatives d;
  d.hessian_aa = d.hessian_bb = kRidge;
  for (const LabelledScore& pair : pairs) {
    const double t = pair.relevant ? targets.positive : targets.negative;
    const double p = sigmoid(a * pair.score + b);
    const double weight = p * (1.0 - p);
    d.gradient_a += (p - t) * pair.score;
    d.gradient_b += p - t;
    d.hessian_aa += weight * pair.score * pair.score;
    d.hessian_ab += weight * pair.score;
    d.hessian_bb += weight;
  }
  return d;
}

/// Newton's method with backtracking (algorithm 1 of H.-T. Lin, C.-J. Lin, R. C. Weng, "A note on
/// Platt's probabilistic outputs for support vector machines", Machine Learning 68, 2007), on
/// centred scores within [−1,1]. Returns slope and offset.
Result<std::pair<double, double>> newton(std::span<const LabelledScore> pairs, Targets targets,
                                         double start_offset) {
  constexpr double kMinStep = 1e-10;
  constexpr double kSufficientDecrease = 1e-4;
  const double n = static_cast<double>(pairs.size());
  double a = 0;
  double b = start_offset;
  double value = loss(pairs, targets, a, b);
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    const Derivatives d = derivatives(pairs, targets, a, b);
    if (std::max(std::abs(d.gradient_a), std::abs(d.gradient_b)) < 1e-12 * n) break;
    const double determinant = d.hessian_aa * d.hessian_bb - d.hessian_ab * d.hessian_ab;
    const double step_a =
        -(d.hessian_bb * d.gradient_a - d.hessian_ab * d.gradient_b) / determinant;
    const double step_b =
        -(d.hessian_aa * d.gradient_b - d.hessian_ab * d.gradient_a) / determinant;
    const double slope = d.gradient_a * step_a + d.gradient_b * step_b;
    double step = 1.0;
    for (; step >= kMinStep; step /= 2) {
      const double trial = loss(pairs, targets, a + step * step_a, b + step * step_b);
      if (trial < value + kSufficientDecrease * step * slope) {
        a += step * step_a;
        b += step * step_b;
        value = trial;
        break;
      }
    }
    if (step < kMinStep) break;  // No further decrease is representable: this is the minimum.
  }
  const Derivatives d = derivatives(pairs, targets, a, b);
  if (!(std::max(std::abs(d.gradient_a), std::abs(d.gradient_b)) < 1e-5 * n)) {
    return fail(ErrorCode::kInternal, "the calibration did not converge",
                "check the scores for extreme outliers");
  }
  return std::pair{a, b};
}

/// Area under the ROC curve as the probability that a relevant pair scores above an irrelevant one,
/// ties counted half (the Mann-Whitney statistic). 0.5 when a class is absent.
double roc_auc(std::span<const Prediction> predictions) {
  std::vector<Prediction> sorted(predictions.begin(), predictions.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const Prediction& x, const Prediction& y) { return x.probability < y.probability; });
  double above = 0;
  double negatives_below = 0;
  double positives = 0;
  for (std::size_t i = 0; i < sorted.size();) {
    double tied_positives = 0;
    double tied_negatives = 0;
    const double value = sorted[i].probability;
    for (; i < sorted.size() && sorted[i].probability == value; ++i) {
      (sorted[i].relevant ? tied_positives : tied_negatives) += 1;
    }
    above += tied_positives * (negatives_below + 0.5 * tied_negatives);
    negatives_below += tied_negatives;
    positives += tied_positives;
  }
  if (positives == 0 || negatives_below == 0) return 0.5;
  return above / (positives * negatives_below);
}

CalibrationReport report_on(std::span<const Prediction> predictions) {
  CalibrationReport report;
  if (predictions.empty()) return report;
  std::array<ReliabilityBin, kBins> bins{};
  for (const Prediction& prediction : predictions) {
    const auto index =
        std::min(static_cast<std::size_t>(prediction.probability * kBins), kBins - 1);
    bins[index].mean_predicted += prediction.probability;
    bins[index].observed += prediction.relevant ? 1 : 0;
    bins[index].count += 1;
    const double error = prediction.probability - (prediction.relevant ? 1.0 : 0.0);
    report.brier_score += error * error;
  }
  const double n = static_cast<double>(predictions.size());
  report.brier_score /= n;
  for (std::size_t i = 0; i < kBins; ++i) {
    ReliabilityBin& bin = bins[i];
    if (bin.count == 0) continue;
    const double count = static_cast<double>(bin.count);
    bin.low = static_cast<double>(i) / kBins;
    bin.high = static_cast<double>(i + 1) / kBins;
    bin.mean_predicted /= count;
    bin.observed /= count;
    report.expected_calibration_error += count / n * std::abs(bin.mean_predicted - bin.observed);
    report.curve.push_back(bin);
  }
  report.roc_auc = roc_auc(predictions);
  return report;
}

Result<double> number_field(const nlohmann::json& object, const char* name) {
  const auto field = object.find(name);
  if (field == object.end() || !field->is_number()) {
    return fail(ErrorCode::kCorrupt, std::string("calibration: ") + name + " is not a number",
                "calibrate the model again");
  }
  const double value = field->get<double>();
  if (!std::isfinite(value)) {
    return fail(ErrorCode::kCorrupt, std::string("calibration: ") + name + " is not finite",
                "calibrate the model again");
  }
  return value;
}

}  // namespace

double Calibration::relevance(double raw_score) const {
  const double x = slope * raw_score + offset;
  return std::isnan(x) ? 0.0 : sigmoid(x);
}

Result<Calibration> fit_calibration(std::span<const LabelledScore> pairs) {
  if (pairs.size() < kMinPairs) {
    return fail(ErrorCode::kInvalidArgument,
                "calibration needs at least 20 labelled pairs, got " + std::to_string(pairs.size()),
                "label more pairs");
  }
  std::size_t positives = 0;
  double mean = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (!std::isfinite(pairs[i].score)) {
      return fail(ErrorCode::kInvalidArgument,
                  "the score of labelled pair " + std::to_string(i + 1) + " is not finite",
                  "leave the pair out, or check the model that scored it");
    }
    positives += pairs[i].relevant ? 1 : 0;
    mean += (pairs[i].score - mean) / static_cast<double>(i + 1);
  }
  if (positives == 0 || positives == pairs.size()) {
    return fail(ErrorCode::kInvalidArgument,
                positives == 0 ? "no labelled pair is relevant" : "every labelled pair is relevant",
                "label pairs of both kinds");
  }
  // Centred scores within [−1,1] make the Hessian well-conditioned whatever the model's scale is.
  double largest = 0;
  for (const LabelledScore& pair : pairs) largest = std::max(largest, std::abs(pair.score - mean));
  const double scale = largest > 0 ? largest : 1.0;
  std::vector<LabelledScore> scaled(pairs.begin(), pairs.end());
  for (LabelledScore& pair : scaled) pair.score = (pair.score - mean) / scale;

  const std::size_t negatives = pairs.size() - positives;
  const double prior =
      std::log((static_cast<double>(positives) + 1.0) / (static_cast<double>(negatives) + 1.0));
  const auto [a, b] = TRY(newton(scaled, smoothed_targets(positives, negatives), prior));
  Calibration calibration{a / scale, b - a * mean / scale, pairs.size()};
  if (!std::isfinite(calibration.slope) || !std::isfinite(calibration.offset)) {
    return fail(ErrorCode::kInvalidArgument, "the scores are too large to calibrate",
                "scale the model's scores");
  }
  return calibration;
}

CalibrationReport evaluate_calibration(const Calibration& calibration,
                                       std::span<const LabelledScore> pairs) {
  std::vector<Prediction> predictions;
  predictions.reserve(pairs.size());
  for (const LabelledScore& pair : pairs) {
    predictions.push_back({calibration.relevance(pair.score), pair.relevant});
  }
  return report_on(predictions);
}

Result<CalibrationReport> cross_validate_calibration(std::span<const LabelledScore> pairs,
                                                     std::size_t folds) {
  if (folds < 2) {
    return fail(ErrorCode::kInvalidArgument, "cross-validation needs at least 2 folds",
                "choose 5 or 10 folds");
  }
  // Folds are dealt out class by class, so that each holds its share of both.
  std::array<std::size_t, 2> seen{};
  std::vector<std::size_t> fold_of(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    fold_of[i] = seen[pairs[i].relevant ? 1 : 0]++ % folds;
  }
  if (folds > std::min(seen[0], seen[1])) {
    return fail(ErrorCode::kInvalidArgument,
                "cross-validation with " + std::to_string(folds) +
                    " folds needs as many relevant and irrelevant pairs; there are " +
                    std::to_string(seen[1]) + " and " + std::to_string(seen[0]),
                "choose fewer folds or label more pairs");
  }
  std::vector<Prediction> predictions(pairs.size());
  std::vector<LabelledScore> training;
  for (std::size_t fold = 0; fold < folds; ++fold) {
    training.clear();
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if (fold_of[i] != fold) training.push_back(pairs[i]);
    }
    auto calibration = fit_calibration(training);
    if (!calibration) {
      return std::unexpected(calibration.error().with_context("fold " + std::to_string(fold + 1) +
                                                              " of " + std::to_string(folds)));
    }
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if (fold_of[i] != fold) continue;
      predictions[i] = {calibration->relevance(pairs[i].score), pairs[i].relevant};
    }
  }
  return report_on(predictions);
}

std::string calibration_to_json(const Calibration& calibration, const CalibrationReport& report) {
  nlohmann::json curve = nlohmann::json::array();
  for (const ReliabilityBin& bin : report.curve) {
    curve.push_back({{"low", bin.low},
                     {"high", bin.high},
                     {"mean_predicted", bin.mean_predicted},
                     {"observed", bin.observed},
                     {"count", bin.count}});
  }
  const nlohmann::json json = {{"slope", calibration.slope},
                               {"offset", calibration.offset},
                               {"pairs", calibration.pairs},
                               {"report",
                                {{"expected_calibration_error", report.expected_calibration_error},
                                 {"brier_score", report.brier_score},
                                 {"roc_auc", report.roc_auc},
                                 {"curve", std::move(curve)}}}};
  return json.dump(2) + "\n";
}

Result<Calibration> calibration_from_json(std::string_view json) {
  const nlohmann::json parsed = nlohmann::json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_object()) {
    return fail(ErrorCode::kCorrupt, "calibration: not a JSON object", "calibrate the model again");
  }
  Calibration calibration;
  calibration.slope = TRY(number_field(parsed, "slope"));
  calibration.offset = TRY(number_field(parsed, "offset"));
  const auto pairs = parsed.find("pairs");
  if (pairs == parsed.end() || !pairs->is_number_unsigned()) {
    return fail(ErrorCode::kCorrupt, "calibration: pairs is not a whole number",
                "calibrate the model again");
  }
  calibration.pairs = pairs->get<std::size_t>();
  return calibration;
}

}  // namespace beleg

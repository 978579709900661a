#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace beleg {

/// One labelled pair: the raw score a model gave, and whether the pair is really relevant.
struct LabelledScore {
  double score = 0.0;
  bool relevant = false;
};

/// Maps a model's raw score to the probability that the pair is relevant: Platt's logistic
/// σ(slope · score + offset) (Platt 1999, with the target smoothing given there).
struct Calibration {
  double slope = 1.0;
  double offset = 0.0;
  std::size_t pairs = 0;  ///< How many labelled pairs it was fitted on; 0 for a declared default.

  [[nodiscard]] double relevance(double raw_score) const;
};

/// One bin of a reliability curve.
struct ReliabilityBin {
  double low = 0.0;
  double high = 0.0;
  double mean_predicted = 0.0;
  double observed = 0.0;
  std::size_t count = 0;
};

/// How well a calibration holds on labelled pairs.
struct CalibrationReport {
  std::vector<ReliabilityBin> curve;      ///< Ten bins of equal width; empty ones left out.
  double expected_calibration_error = 0;  ///< In [0,1]; weighted mean of |predicted − observed|.
  double brier_score = 0;
  double roc_auc = 0;
};

/// Fits by Newton's method with backtracking. Errors: kInvalidArgument with fewer than 20 pairs, or
/// when one of the two classes is absent, or for a score that is not finite.
Result<Calibration> fit_calibration(std::span<const LabelledScore> pairs);
[[nodiscard]] CalibrationReport evaluate_calibration(const Calibration& calibration,
                                                     std::span<const LabelledScore> pairs);
/// Out-of-fold report: each fold is judged by a calibration that did not see it. Deterministic.
Result<CalibrationReport> cross_validate_calibration(std::span<const LabelledScore> pairs,
                                                     std::size_t folds);

[[nodiscard]] std::string calibration_to_json(const Calibration& calibration,
                                              const CalibrationReport& report);
Result<Calibration> calibration_from_json(std::string_view json);

}  // namespace beleg

#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace beleg {

/// What is measured of one (question, passage) pair before its relevance is judged. The cosine of
/// the dense vectors is not among them: given late interaction it made the order worse on every
/// set.
struct RelevanceFeatures {
  double late = 0.0;  ///< idf-weighted MaxSim, [-1,1].
  double lexical =
      0.0;  ///< BM25 over the best hit's, times its share of the question's idf mass; for
            ///< passages in another language also times the foreign floor. In [0,1].
  double foreign = 0.0;  ///< 1 when the passage is not in the question's language, else 0.

  static constexpr std::size_t kCount = 3;
  [[nodiscard]] std::array<double, kCount> values() const { return {late, lexical, foreign}; }
};

/// A pair whose relevance a person has judged.
struct LabelledPair {
  RelevanceFeatures features;
  bool relevant = false;
  std::size_t question = 0;  ///< Pairs of one question stay in one fold.
};

/// Relevance in [0,1] as a logistic of the features: probability that the passage answers the
/// question. Calibrated by construction, since it is fitted by maximum likelihood on labelled
/// pairs.
struct RelevanceModel {
  std::array<double, RelevanceFeatures::kCount> weights{};
  double offset = 0.0;
  std::size_t pairs = 0;      ///< Fitted on so many pairs …
  std::size_t questions = 0;  ///< … of so many questions.

  [[nodiscard]] double relevance(const RelevanceFeatures& features) const;
};

/// The model shipped for the default encoder; `beleg calibrate relevance` fits another one.
[[nodiscard]] const RelevanceModel& default_relevance_model();

/// Fits by Newton's method on the ridge-penalised likelihood (penalty 1e-3 on standardised
/// features). Errors: kInvalidArgument with fewer than 20 pairs, a class missing, or a feature that
/// is not finite. Deterministic.
Result<RelevanceModel> fit_relevance_model(std::span<const LabelledPair> pairs);

/// Out-of-fold relevance of each pair: judged by a model that saw no pair of its question.
Result<std::vector<double>> cross_validated_relevance(std::span<const LabelledPair> pairs,
                                                      std::size_t folds);

[[nodiscard]] std::string relevance_model_to_json(const RelevanceModel& model);
Result<RelevanceModel> relevance_model_from_json(std::string_view json);

}  // namespace beleg

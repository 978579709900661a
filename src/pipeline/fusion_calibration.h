#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "pipeline/engine.h"
#include "pipeline/relevance_calibration.h"
#include "rank/fusion.h"
#include "rank/list_weights.h"

namespace beleg {

/// The lists of a labelled question, as they are before fusion.
struct FusionExample {
  std::string language;
  std::vector<CandidateList> lists;  ///< Weights are not set yet.
  ListEvidence evidence;
  std::vector<DocumentId> relevant;  ///< Not empty.
};

/// What is fitted.
struct FusionParameters {
  ListWeightSettings weights;
  FusionSettings fusion;
};

/// The mean nDCG@10 over documents of some questions. `margin` is half of the 95 % interval of the
/// mean difference to the best single list, paired by question (normal approximation).
struct FusionQuality {
  std::size_t questions = 0;
  double lexical = 0;
  double dense = 0;
  double late = 0;
  double before = 0;    ///< Fused with the settings in force.
  double fitted = 0;    ///< Fused with the fitted parameters, which have seen these questions.
  double held_out = 0;  ///< Fused with parameters that were fitted on other questions.
  double margin = 0;    ///< Of held_out less the best of the three lists.
};

struct FusionFit {
  FusionParameters parameters;
  FusionQuality all;
  std::vector<std::pair<std::string, FusionQuality>> by_language;  ///< Most questions first.
};

/// Searches every question that has a relevant document. kNotFound names a document that the
/// corpus does not have.
Result<std::vector<FusionExample>> collect_fusion_examples(
    Engine& engine, const std::vector<LabelledRetrieval>& questions,
    const std::function<void(std::size_t done, std::size_t total)>& progress);

/// Changes one parameter at a time to the best of a grid, from those in force on, as long as the
/// mean nDCG@10 grows by 0.0002 or more: what does not help stays as it is. The weight of the late
/// list stays, since only ratios count. `document_of` maps rows to documents. Held-out figures are
/// those of five folds; questions about the same first document are in one fold. kInvalidArgument
/// with fewer than ten examples.
Result<FusionFit> fit_fusion(std::span<const FusionExample> examples,
                             const std::function<DocumentId(Row)>& document_of,
                             const FusionParameters& in_force);

}  // namespace beleg

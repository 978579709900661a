#include "rank/list_weights.h"

#include <algorithm>

namespace beleg {

ListWeights weigh_lists(const ListEvidence& evidence, const ListWeightSettings& settings) {
  const double share = std::clamp(evidence.same_language_share, 0.0, 1.0);
  const double language = share + (1.0 - share) * settings.foreign_floor;
  const double mass = std::min(1.0, std::max(0.0, evidence.matched_mass) / settings.full_mass);
  return {.lexical = settings.lexical * language * mass,
          .dense = settings.dense,
          .late = settings.late};
}

}  // namespace beleg

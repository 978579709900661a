#include "rank/list_weights.h"

#include <algorithm>

namespace beleg {
namespace {

constexpr std::size_t kPlaces = 10;
constexpr std::size_t kPlacesOfOthers = 30;

}  // namespace

double list_agreement(std::span<const RowHit> list,
                      std::span<const std::span<const RowHit>> others) {
  if (list.empty() || others.empty()) return 1.0;
  const auto first = list.first(std::min(kPlaces, list.size()));
  const auto agreed = std::ranges::count_if(first, [&](const RowHit& hit) {
    return std::ranges::any_of(others, [&](std::span<const RowHit> other) {
      return std::ranges::any_of(other.first(std::min(kPlacesOfOthers, other.size())),
                                 [&](const RowHit& known) { return known.row == hit.row; });
    });
  });
  return static_cast<double>(agreed) / static_cast<double>(first.size());
}

double weight_of(const ListWeights& weights, std::string_view retriever) {
  if (retriever == "lexical") return weights.lexical;
  return retriever == "dense" ? weights.dense : weights.late;
}

ListWeights weigh_lists(const ListEvidence& evidence, const ListWeightSettings& settings) {
  const double share = std::clamp(evidence.same_language_share, 0.0, 1.0);
  const double language = share + (1.0 - share) * settings.foreign_floor;
  const double mass = std::min(1.0, std::max(0.0, evidence.matched_mass) / settings.full_mass);
  const double agreement = std::clamp(evidence.agreement, 0.0, 1.0);
  const double agreed = agreement + (1.0 - agreement) * settings.agreement_floor;
  return {.lexical = settings.lexical * language * mass * agreed,
          .dense = evidence.has_late ? settings.dense : settings.dense_alone,
          .late = settings.late};
}

}  // namespace beleg

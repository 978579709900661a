#include "rank/recency.h"

#include <algorithm>
#include <cmath>

namespace beleg {
namespace {

constexpr UnixSeconds kDay = 86400;

/// Number of the UTC day, rounding towards the past for dates before 1970 too.
std::int64_t day_of(UnixSeconds time) {
  return time >= 0 ? time / kDay : -((-time + kDay - 1) / kDay);
}

}  // namespace

double decay(double age_days, const RecencySettings& settings) {
  const double x = std::max(0.0, age_days - settings.offset_days) / settings.half_life_days;
  switch (settings.kind) {
    case DecayKind::kNone:
      return 1.0;
    case DecayKind::kExponential:
      return std::exp2(-x);
    case DecayKind::kLinear:
      return std::max(0.0, 1.0 - x / 2.0);
    case DecayKind::kGaussian:
      return std::exp2(-x * x);
    case DecayKind::kLogarithmic:
      return 1.0 / (1.0 + std::log2(1.0 + x));
  }
  return 1.0;
}

double combine_with_recency(double relevance, double decay_value, const RecencySettings& settings) {
  if (settings.kind == DecayKind::kNone) return relevance;
  return relevance * ((1.0 - settings.weight) + settings.weight * decay_value);
}

Age age_of(std::optional<UnixSeconds> published, std::optional<UnixSeconds> median,
           UnixSeconds now) {
  AgeBasis basis = AgeBasis::kReleaseDate;
  if (!published) {
    if (!median) return {.days = 0.0, .basis = AgeBasis::kNoDates};
    published = median;
    basis = AgeBasis::kMedian;
  }
  const std::int64_t days = day_of(now) - day_of(*published);
  if (days < 0) return {.days = 0.0, .basis = AgeBasis::kFutureDate};
  return {.days = static_cast<double>(days), .basis = basis};
}

}  // namespace beleg

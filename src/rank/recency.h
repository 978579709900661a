#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/clock.h"

namespace beleg {

enum class DecayKind : std::uint8_t { kNone, kExponential, kLinear, kGaussian, kLogarithmic };

struct RecencySettings {
  DecayKind kind = DecayKind::kExponential;
  double half_life_days = 365.0;  ///< > 0. Age (beyond the offset) at which the decay is one half.
  double offset_days = 0.0;       ///< ≥ 0. Younger than this: no decay.
  double weight = 0.7;            ///< [0,1]. 0: relevance alone; 1: relevance × decay.
};

/// Decay in [0,1] of an age in days (≤ offset: 1). Every kind is ½ at offset + half-life:
/// exponential 2^(−x), Gaussian 2^(−x²), linear max(0, 1 − x/2), logarithmic 1 / (1 + log2(1 + x)),
/// with x = (age − offset) / half-life.
[[nodiscard]] double decay(double age_days, const RecencySettings& settings);

/// relevance · ((1 − weight) + weight · decay). In [0, relevance].
[[nodiscard]] double combine_with_recency(double relevance, double decay,
                                          const RecencySettings& settings);

/// How an age was found.
enum class AgeBasis : std::uint8_t { kReleaseDate, kFutureDate, kMedian, kNoDates };

struct Age {
  double days = 0.0;
  AgeBasis basis = AgeBasis::kReleaseDate;
};

/// Age of a release date in whole days before `today` (both cut to UTC days, so that one day gives
/// one answer). Future dates count as today. Without a date: the age of `median`, or 0 when the
/// corpus has no dates at all; the basis says so.
[[nodiscard]] Age age_of(std::optional<UnixSeconds> published, std::optional<UnixSeconds> median,
                         UnixSeconds now);

}  // namespace beleg

#include "rank/recency.h"

#include <gtest/gtest.h>

namespace beleg {
namespace {

RecencySettings with_kind(DecayKind kind) {
  return {.kind = kind, .half_life_days = 100, .offset_days = 10, .weight = 0.5};
}

TEST(Decay, EveryKindIsOneUpToTheOffsetAndOneHalfAtTheHalfLife) {
  for (const DecayKind kind : {DecayKind::kExponential, DecayKind::kLinear, DecayKind::kGaussian,
                               DecayKind::kLogarithmic}) {
    EXPECT_DOUBLE_EQ(decay(0, with_kind(kind)), 1.0);
    EXPECT_DOUBLE_EQ(decay(10, with_kind(kind)), 1.0);
    EXPECT_DOUBLE_EQ(decay(110, with_kind(kind)), 0.5);
  }
}

TEST(Decay, TwoHalfLivesTellTheKindsApart) {
  EXPECT_DOUBLE_EQ(decay(210, with_kind(DecayKind::kExponential)), 0.25);
  EXPECT_DOUBLE_EQ(decay(210, with_kind(DecayKind::kLinear)), 0.0);
  EXPECT_DOUBLE_EQ(decay(210, with_kind(DecayKind::kGaussian)), 1.0 / 16);
  EXPECT_NEAR(decay(210, with_kind(DecayKind::kLogarithmic)), 1.0 / (1.0 + 1.5849625007), 1e-9);
  EXPECT_DOUBLE_EQ(decay(210, with_kind(DecayKind::kNone)), 1.0);
}

TEST(Recency, CombinesByTheWeight) {
  const RecencySettings settings = with_kind(DecayKind::kExponential);
  EXPECT_DOUBLE_EQ(combine_with_recency(0.8, 0.5, settings), 0.8 * 0.75);
  EXPECT_DOUBLE_EQ(combine_with_recency(0.8, 0.5, with_kind(DecayKind::kNone)), 0.8);
}

TEST(Age, IsCountedInWholeDaysSoThatOneDayGivesOneAnswer) {
  const UnixSeconds morning = 1709190000;    // 2024-02-29T07:00:00Z
  const UnixSeconds evening = 1709247599;    // 2024-02-29T22:59:59Z
  const UnixSeconds published = 1709161199;  // 2024-02-28T22:59:59Z
  EXPECT_EQ(age_of(published, {}, morning).days, 1);
  EXPECT_EQ(age_of(published, {}, evening).days, 1);
}

TEST(Age, FutureDatesCountAsTodayAndMissingOnesAsTheMedianVisibly) {
  const UnixSeconds now = 1709190000;
  EXPECT_EQ(age_of(now + 10 * 86400, {}, now).basis, AgeBasis::kFutureDate);
  EXPECT_EQ(age_of(now + 10 * 86400, {}, now).days, 0);
  const Age age = age_of({}, now - 5 * 86400, now);
  EXPECT_EQ(age.basis, AgeBasis::kMedian);
  EXPECT_EQ(age.days, 5);
  EXPECT_EQ(age_of({}, {}, now).basis, AgeBasis::kNoDates);
}

TEST(Age, WorksBefore1970) {
  EXPECT_EQ(age_of(-1, {}, 0).days, 1);
  EXPECT_EQ(age_of(-86400, {}, -1).days, 0);
}

}  // namespace
}  // namespace beleg

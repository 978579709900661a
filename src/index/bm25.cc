#include "index/bm25.h"

#include <algorithm>

#include "index/bm25_kernels.h"

namespace beleg {

Bm25Saturation::Bm25Saturation(const Bm25Settings& settings, const LanguageStatistics& statistics)
    : title_weight_(settings.title_weight),
      heading_weight_(settings.heading_weight),
      k1_plus_1_(settings.k1 + 1.0F) {
  const double total =
      static_cast<double>(statistics.body_words) +
      double{settings.title_weight} * static_cast<double>(statistics.title_words) +
      double{settings.heading_weight} * static_cast<double>(statistics.heading_words);
  const double average = statistics.documents == 0 ? 0.0 : total / statistics.documents;
  const double constant = double{settings.k1} * (1.0 - double{settings.b});
  const double per_word = average > 0.0 ? double{settings.k1} * double{settings.b} / average : 0.0;
  for (std::size_t i = 0; i < norms_.size(); ++i) {
    const double words = length_class::words_of(static_cast<std::uint8_t>(i));
    norms_[i] = static_cast<float>(kFrequencyUnit * (constant + per_word * words));
  }
}

void Bm25Saturation::score(const PostingBlock& block, std::span<const std::uint8_t> length_classes,
                           float factor, std::array<FixedScore, kDocumentsPerBlock>& scores) const {
  best_score_block()({.block = &block,
                      .length_classes = length_classes.data(),
                      .norms = norms_.data(),
                      .title_weight = title_weight_,
                      .heading_weight = heading_weight_,
                      .factor = factor * k1_plus_1_},
                     scores.data());
}

FixedScore Bm25Saturation::score_one(const FieldFrequencies& frequencies, std::uint8_t length_class,
                                     float factor) const {
  // Step by step as the kernels do it; adding a field that is zero changes nothing.
  float tf = static_cast<float>(static_cast<std::int32_t>(frequencies.body));
  if (frequencies.title != 0) tf += title_weight_ * static_cast<float>(frequencies.title);
  if (frequencies.headings != 0) tf += heading_weight_ * static_cast<float>(frequencies.headings);
  const float below = std::max(tf + norms_[length_class], 1e-20F);
  const float score = factor * k1_plus_1_ * (tf / below) + 0.5F;
  return static_cast<FixedScore>(static_cast<std::int32_t>(score > 0.0F ? score : 0.0F));
}

FixedScore Bm25Saturation::bound(const std::array<Impact, kImpacts>& impacts, float factor) const {
  float highest = 0.0F;
  for (const Impact& impact : impacts) {
    if (impact.frequency == Impact::kUnbounded) {
      highest = 1.0F;
      continue;
    }
    const auto tf = static_cast<float>(impact.frequency);
    highest = std::max(highest, tf / std::max(tf + norms_[impact.length_class], 1e-20F));
  }
  // Rounding of the parts may lift a score by a little; so may this bound.
  return static_cast<FixedScore>(highest * (factor * k1_plus_1_) * 1.000001F) + 2;
}

}  // namespace beleg

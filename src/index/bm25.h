#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>

#include "index/index_snapshot.h"
#include "index/lexical_format.h"
#include "index/posting_list.h"

namespace beleg {

/// Inverse document frequency as Lucene has it: never negative (Robertson and Zaragoza 2009,
/// eq. 3.3, with one added inside the logarithm).
[[nodiscard]] inline float bm25_idf(std::uint32_t documents, std::uint32_t document_frequency) {
  const double n = documents;
  const double df = document_frequency;
  return static_cast<float>(std::log1p((n - df + 0.5) / (df + 0.5)));
}

/// The part of BM25F (simple form) that a document contributes:
///   (k1 + 1) · tf / (tf + k1 · (1 − b + b · length / average length)),
/// with tf and length added up over the fields by their weights.
class Bm25Saturation {
 public:
  Bm25Saturation(const Bm25Settings& settings, const LexicalMeta& meta)
      : title_weight_(settings.title_weight),
        heading_weight_(settings.heading_weight),
        k1_plus_1_(settings.k1 + 1.0F),
        constant_(settings.k1 * (1.0F - settings.b)) {
    const double total = static_cast<double>(meta.body_words) +
                         settings.title_weight * static_cast<double>(meta.title_words) +
                         settings.heading_weight * static_cast<double>(meta.heading_words);
    const double average = meta.documents == 0 ? 0.0 : total / meta.documents;
    per_word_ = average > 0.0 ? static_cast<float>(settings.k1 * settings.b / average) : 0.0F;
  }

  /// Scores a block of postings, each times `factor`. Written as loops over arrays, so that the
  /// compiler can make vector code of all but the look-up of the lengths.
  void score(const PostingBlock& block, std::span<const FieldLengths> lengths, float factor,
             std::array<float, kDocumentsPerBlock>& scores) const {
    std::array<float, kDocumentsPerBlock> tf;
    std::array<float, kDocumentsPerBlock> length;
    const std::size_t count = block.count;
    for (std::size_t i = 0; i < count; ++i) tf[i] = static_cast<float>(block.body[i]);
    if (block.in_title) {
      for (std::size_t i = 0; i < count; ++i) {
        tf[i] += title_weight_ * static_cast<float>(block.title[i]);
      }
    }
    if (block.in_headings) {
      for (std::size_t i = 0; i < count; ++i) {
        tf[i] += heading_weight_ * static_cast<float>(block.headings[i]);
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      const FieldLengths& words = lengths[block.documents[i]];
      length[i] = static_cast<float>(words.body) + title_weight_ * static_cast<float>(words.title) +
                  heading_weight_ * static_cast<float>(words.headings);
    }
    for (std::size_t i = 0; i < count; ++i) {
      const float frequency = tf[i] * (1.0F / static_cast<float>(kFrequencyUnit));
      // Zero only when k1 and the frequency are; then the score is zero too.
      const float below = std::max(frequency + constant_ + per_word_ * length[i], 1e-20F);
      scores[i] = factor * (k1_plus_1_ * frequency / below);
    }
  }

 private:
  float title_weight_;
  float heading_weight_;
  float k1_plus_1_;
  float constant_;
  float per_word_ = 0.0F;
};

}  // namespace beleg

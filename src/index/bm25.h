#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <span>

#include "index/index_snapshot.h"
#include "index/length_class.h"
#include "index/lexical_format.h"
#include "index/posting_list.h"

namespace beleg {

/// What BM25 knows of all documents in one language: over all segments, deleted ones left out.
struct LanguageStatistics {
  std::uint32_t documents = 0;
  std::uint64_t body_words = 0;
  std::uint64_t title_words = 0;
  std::uint64_t heading_words = 0;
  friend bool operator==(const LanguageStatistics&, const LanguageStatistics&) = default;
};

/// Inverse document frequency as Lucene has it: never negative (Robertson and Zaragoza 2009,
/// eq. 3.3, with one added inside the logarithm).
[[nodiscard]] inline float bm25_idf(std::uint32_t documents, std::uint32_t document_frequency) {
  const double n = documents;
  const double df = document_frequency;
  return static_cast<float>(std::log1p((n - df + 0.5) / (df + 0.5)));
}

/// Scores are summed as whole numbers of 1 / scale, so that the sum does not depend on the order in
/// which terms are looked at: every way of searching gives the same bits.
using FixedScore = std::uint32_t;
inline constexpr FixedScore kMaxFixedScore = FixedScore{1} << 31U;

/// The part of BM25F (simple form) that a document contributes:
///   (k1 + 1) · tf / (tf + k1 · (1 − b + b · length / average length)),
/// with tf and length added up over the fields by their weights; the length by its class.
class Bm25Saturation {
 public:
  Bm25Saturation(const Bm25Settings& settings, const LanguageStatistics& statistics);

  /// Scores a block of postings: `factor` × saturation, in units of 1 / scale. `factor` includes
  /// the scale. The fastest variant that the processor has; all give the same numbers.
  void score(const PostingBlock& block, std::span<const std::uint8_t> length_classes, float factor,
             std::array<FixedScore, kDocumentsPerBlock>& scores) const;
  /// The same for one posting: the same number.
  [[nodiscard]] FixedScore score_one(const FieldFrequencies& frequencies, std::uint8_t length_class,
                                     float factor) const;
  /// No document of a block with these impacts scores higher. Only for impacts that were made with
  /// the weights of the settings.
  [[nodiscard]] FixedScore bound(const std::array<Impact, kImpacts>& impacts, float factor) const;
  /// No document scores higher than this times idf.
  [[nodiscard]] float limit() const { return k1_plus_1_; }
  [[nodiscard]] bool made_with(ImpactWeights weights) const {
    return weights.title == title_weight_ && weights.headings == heading_weight_;
  }
  [[nodiscard]] float title_weight() const { return title_weight_; }
  [[nodiscard]] float heading_weight() const { return heading_weight_; }

 private:
  float title_weight_;
  float heading_weight_;
  float k1_plus_1_;
  /// k1 · (1 − b + b · length / average) for every length class, in units of the frequencies.
  alignas(64) std::array<float, length_class::kClasses> norms_;
};

}  // namespace beleg

#pragma once

#include <span>
#include <string_view>

#include "index/rows.h"

namespace beleg {

/// What is known about a query before its lists are fused.
struct ListEvidence {
  /// Share of the searched rows that are in the question's language, in [0,1].
  double same_language_share = 1.0;
  /// Share of the question's idf mass that the best lexical hit matched, in [0,1].
  double matched_mass = 0.0;
  /// Share of the lexical list's first places that other lists have, too; see list_agreement().
  double agreement = 1.0;
  /// Whether there is a late list.
  bool has_late = true;
};

struct ListWeights {
  double lexical = 1.0;
  double dense = 1.0;
  double late = 1.0;
};

/// How much each list may say. The base weights come from the settings. The lexical list is scaled
/// by the language share, `matched_mass` and `agreement`: words of another language match by
/// accident, and a list that has nothing to say must not drag the others down. The scale is
/// (share + (1 − share) · foreign_floor) · min(1, matched_mass / full_mass) ·
/// (agreement + (1 − agreement) · agreement_floor).
struct ListWeightSettings {
  double lexical = 0.75;      ///< ≥ 0; so for all.
  double dense = 0.25;        ///< Beside a late list, which knows most of what it knows.
  double dense_alone = 0.75;  ///< Without one.
  double late = 2.0;
  double foreign_floor = 0.15;  ///< [0,1] What is left of the lexical list for a foreign question.
  double full_mass = 1.0;       ///< (0,1] Matched idf mass from which the list counts in full.
  /// [0,1] What is left of a lexical list that no other list agrees with; 1: agreement is ignored.
  double agreement_floor = 0.25;

  friend bool operator==(const ListWeightSettings&, const ListWeightSettings&) = default;
};

/// The share of the first ten rows of a list that stand among the first thirty of one of `others`,
/// in [0,1]; 1 when the list is empty or there are no others.
[[nodiscard]] double list_agreement(std::span<const RowHit> list,
                                    std::span<const std::span<const RowHit>> others);

/// The weight of the list of a retriever: "lexical", "dense" or "late".
[[nodiscard]] double weight_of(const ListWeights& weights, std::string_view retriever);

[[nodiscard]] ListWeights weigh_lists(const ListEvidence& evidence,
                                      const ListWeightSettings& settings);

}  // namespace beleg

#pragma once

namespace beleg {

/// What is known about a query before its lists are fused.
struct ListEvidence {
  /// Share of the searched rows that are in the question's language, in [0,1].
  double same_language_share = 1.0;
  /// Share of the question's idf mass that the best lexical hit matched, in [0,1].
  double matched_mass = 0.0;
};

struct ListWeights {
  double lexical = 1.0;
  double dense = 1.0;
  double late = 1.0;
};

/// How much each list may say. The base weights come from the settings. The lexical list is scaled
/// by `matched_mass` and by the language share: words of another language match by accident, and a
/// list that has nothing to say must not drag the others down. The scale is
/// (share + (1 − share) · foreign_floor) · min(1, matched_mass / full_mass).
struct ListWeightSettings {
  double lexical = 1.0;  ///< ≥ 0; so for all.
  double dense = 1.0;
  double late = 2.0;
  double foreign_floor = 0.15;  ///< [0,1] What is left of the lexical list for a foreign question.
  double full_mass = 0.5;       ///< (0,1] Matched idf mass from which the list counts in full.
};

[[nodiscard]] ListWeights weigh_lists(const ListEvidence& evidence,
                                      const ListWeightSettings& settings);

}  // namespace beleg

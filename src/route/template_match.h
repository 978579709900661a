#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace beleg {

/// Turns similarities into a confidence. Slope, margin slope and offset are fitted on labelled
/// questions (Platt, "Probabilistic outputs for support vector machines", 1999); the defaults suit
/// normalised sentence embeddings, where paraphrases lie near 0.9 and neighbouring intents near
/// 0.8.
struct TemplateMatchSettings {
  double threshold = 0.95;     ///< Smallest confidence that answers, in [0,1].
  double slope = 30.0;         ///< Per unit of cosine.
  double margin_slope = 20.0;  ///< Per unit of cosine between the best and the second intent.
  double offset = -26.5;
  /// The margin counts up to here: a question far from all other intents proves nothing more.
  double max_margin = 0.2;
};

/// The vectors of one template that may answer (suspended ones are left out by the caller).
struct TemplateVectors {
  std::size_t index = 0;                    ///< Handed back in TemplateMatch.
  std::string intent;                       ///< The margin is taken between different intents.
  std::vector<std::string> examples;        ///< One for each vector.
  std::vector<std::vector<float>> vectors;  ///< Of any length but zero; need not be normalised.
};

struct TemplateMatch {
  std::size_t index = 0;    ///< TemplateVectors::index of the best template.
  double confidence = 0.0;  ///< In [0,1].
  double similarity = 0.0;  ///< Cosine with the nearest example.
  double margin = 0.0;      ///< To the nearest example of another intent; max_margin without one.
  std::string example;      ///< The nearest example.
  bool answers = false;     ///< confidence >= threshold, and the question asks the same.
};

/// The best template for a question, also when it is not confident enough to answer (see
/// `answers`). Nothing when there is no comparable vector: other dimension, all zero, not finite.
/// Never an error. Ties go to the earlier template.
[[nodiscard]] std::optional<TemplateMatch> match_template(
    std::span<const float> question, std::span<const TemplateVectors> templates,
    const TemplateMatchSettings& settings);

/// The same, but answers only when the question also asks the same as an example of the template.
/// Vectors of whole questions hardly tell one name from another, or a question from its opposite.
[[nodiscard]] std::optional<TemplateMatch> match_template(
    std::string_view question_text, std::span<const float> question,
    std::span<const TemplateVectors> templates, const TemplateMatchSettings& settings);

/// Whether a question and an example of a template agree in what a fixed answer hangs on: each name
/// of the question is in the example or in the intent, each name of the example is in the question,
/// both negate or neither, and both ask with the same question words ("wann", "when") or with none.
/// A name is a word with a capital or a digit that is no function word; a first word only when
/// neither its place nor its being a verb explains the capital. German nouns are names too. In a
/// text without any capital all words are that the word lists do not know.
[[nodiscard]] bool asks_the_same(std::string_view question, std::string_view example,
                                 std::string_view intent);

}  // namespace beleg

#include "route/template_match.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace beleg {
namespace {

/// Cosine of two vectors, nothing where it is not defined.
std::optional<double> cosine(std::span<const float> a, std::span<const float> b) {
  if (a.size() != b.size() || a.empty()) return std::nullopt;
  double dot = 0.0;
  double aa = 0.0;
  double bb = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = a[i];
    const double y = b[i];
    dot += x * y;
    aa += x * x;
    bb += y * y;
  }
  const double norm = std::sqrt(aa) * std::sqrt(bb);
  if (!(norm > 0.0) || !std::isfinite(norm) || !std::isfinite(dot)) return std::nullopt;
  return std::clamp(dot / norm, -1.0, 1.0);
}

/// The nearest example of one template.
struct Nearest {
  double similarity = -std::numeric_limits<double>::infinity();
  std::size_t example = 0;
};

Nearest nearest_example(std::span<const float> question, const TemplateVectors& entry) {
  Nearest out;
  for (std::size_t i = 0; i < entry.vectors.size(); ++i) {
    const std::optional<double> value = cosine(question, entry.vectors[i]);
    if (value && *value > out.similarity) out = {*value, i};
  }
  return out;
}

double confidence_of(double similarity, double margin, const TemplateMatchSettings& settings) {
  const double score =
      settings.slope * similarity + settings.margin_slope * margin + settings.offset;
  return std::isnan(score) ? 0.0 : 1.0 / (1.0 + std::exp(-score));
}

}  // namespace

std::optional<TemplateMatch> match_template(std::span<const float> question,
                                            std::span<const TemplateVectors> templates,
                                            const TemplateMatchSettings& settings) {
  std::vector<Nearest> nearest;
  nearest.reserve(templates.size());
  for (const TemplateVectors& entry : templates)
    nearest.push_back(nearest_example(question, entry));
  const auto best = std::max_element(
      nearest.begin(), nearest.end(),
      [](const Nearest& a, const Nearest& b) { return a.similarity < b.similarity; });
  if (best == nearest.end() || !std::isfinite(best->similarity)) return std::nullopt;
  const TemplateVectors& winner = templates[static_cast<std::size_t>(best - nearest.begin())];

  double second = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < templates.size(); ++i) {
    if (templates[i].intent != winner.intent) second = std::max(second, nearest[i].similarity);
  }
  TemplateMatch match;
  match.index = winner.index;
  match.similarity = best->similarity;
  match.margin = std::min(best->similarity - second, settings.max_margin);
  match.confidence = confidence_of(match.similarity, match.margin, settings);
  if (best->example < winner.examples.size()) match.example = winner.examples[best->example];
  match.answers = match.confidence >= settings.threshold;
  return match;
}

}  // namespace beleg

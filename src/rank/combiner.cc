#include "rank/combiner.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace beleg {
namespace {

constexpr std::size_t kParameters = RelevanceFeatures::kCount + 1;  // The last one is the offset.
constexpr double kRidge = 1e-3;
constexpr int kMaxIterations = 100;

using Vector = std::array<double, kParameters>;
using Matrix = std::array<Vector, kParameters>;

double logistic(double x) {
  // The two branches keep exp from overflowing.
  if (x >= 0) return 1.0 / (1.0 + std::exp(-x));
  const double e = std::exp(x);
  return e / (1.0 + e);
}

/// log(1 + exp(x)) without overflow.
double softplus(double x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }

/// Mean and deviation per feature, so that one ridge penalty fits all of them.
struct Standardiser {
  std::array<double, RelevanceFeatures::kCount> mean{};
  std::array<double, RelevanceFeatures::kCount> deviation{};
};

Standardiser standardise(std::span<const LabelledPair> pairs) {
  Standardiser s;
  const auto n = static_cast<double>(pairs.size());
  for (const LabelledPair& pair : pairs) {
    const auto x = pair.features.values();
    for (std::size_t f = 0; f < x.size(); ++f) s.mean[f] += x[f] / n;
  }
  for (const LabelledPair& pair : pairs) {
    const auto x = pair.features.values();
    for (std::size_t f = 0; f < x.size(); ++f) {
      s.deviation[f] += (x[f] - s.mean[f]) * (x[f] - s.mean[f]) / n;
    }
  }
  for (double& d : s.deviation) d = d > 1e-12 ? std::sqrt(d) : 1.0;
  return s;
}

Vector row_of(const LabelledPair& pair, const Standardiser& s) {
  Vector row{};
  const auto x = pair.features.values();
  for (std::size_t f = 0; f < x.size(); ++f) row[f] = (x[f] - s.mean[f]) / s.deviation[f];
  row[kParameters - 1] = 1.0;
  return row;
}

double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < kParameters; ++i) sum += a[i] * b[i];
  return sum;
}

/// Solves a·x = b for a symmetric positive definite `a` by Cholesky factorisation.
Vector solve(Matrix a, Vector b) {
  for (std::size_t j = 0; j < kParameters; ++j) {
    for (std::size_t k = 0; k < j; ++k) a[j][j] -= a[j][k] * a[j][k];
    a[j][j] = std::sqrt(std::max(a[j][j], 1e-12));
    for (std::size_t i = j + 1; i < kParameters; ++i) {
      for (std::size_t k = 0; k < j; ++k) a[i][j] -= a[i][k] * a[j][k];
      a[i][j] /= a[j][j];
    }
  }
  for (std::size_t i = 0; i < kParameters; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= a[i][k] * b[k];
    b[i] /= a[i][i];
  }
  for (std::size_t i = kParameters; i-- > 0;) {
    for (std::size_t k = i + 1; k < kParameters; ++k) b[i] -= a[k][i] * b[k];
    b[i] /= a[i][i];
  }
  return b;
}

double penalised_loss(std::span<const Vector> rows, std::span<const LabelledPair> pairs,
                      const Vector& w) {
  double loss = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double z = dot(rows[i], w);
    loss += softplus(z) - (pairs[i].relevant ? z : 0.0);
  }
  for (std::size_t f = 0; f + 1 < kParameters; ++f) loss += 0.5 * kRidge * w[f] * w[f];
  return loss;
}

Vector newton_step(std::span<const Vector> rows, std::span<const LabelledPair> pairs,
                   const Vector& w) {
  Vector gradient{};
  Matrix hessian{};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double p = logistic(dot(rows[i], w));
    const double residual = p - (pairs[i].relevant ? 1.0 : 0.0);
    const double curvature = std::max(p * (1.0 - p), 1e-10);
    for (std::size_t a = 0; a < kParameters; ++a) {
      gradient[a] += residual * rows[i][a];
      for (std::size_t b = 0; b <= a; ++b) hessian[a][b] += curvature * rows[i][a] * rows[i][b];
    }
  }
  for (std::size_t f = 0; f + 1 < kParameters; ++f) {
    gradient[f] += kRidge * w[f];
    hessian[f][f] += kRidge;
  }
  return solve(hessian, gradient);
}

Vector maximise_likelihood(std::span<const Vector> rows, std::span<const LabelledPair> pairs) {
  Vector w{};
  double loss = penalised_loss(rows, pairs, w);
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    const Vector step = newton_step(rows, pairs, w);
    double scale = 1.0;
    Vector next = w;
    double next_loss = loss;
    for (; scale > 1e-8; scale /= 2) {
      for (std::size_t i = 0; i < kParameters; ++i) next[i] = w[i] - scale * step[i];
      next_loss = penalised_loss(rows, pairs, next);
      if (next_loss < loss) break;
    }
    if (!(next_loss < loss - 1e-10)) break;
    w = next;
    loss = next_loss;
  }
  return w;
}

}  // namespace

double RelevanceModel::relevance(const RelevanceFeatures& features) const {
  double z = offset;
  const auto x = features.values();
  for (std::size_t f = 0; f < x.size(); ++f) z += weights[f] * x[f];
  return logistic(z);
}

Result<RelevanceModel> fit_relevance_model(std::span<const LabelledPair> pairs) {
  std::size_t relevant = 0;
  for (const LabelledPair& pair : pairs) {
    relevant += pair.relevant ? 1 : 0;
    for (double x : pair.features.values()) {
      if (!std::isfinite(x)) {
        return fail(ErrorCode::kInvalidArgument, "a labelled pair has a score that is no number",
                    "remove the pair or score it again");
      }
    }
  }
  if (pairs.size() < 20 || relevant == 0 || relevant == pairs.size()) {
    return fail(ErrorCode::kInvalidArgument,
                "too few labelled pairs to fit on: " + std::to_string(pairs.size()) + ", " +
                    std::to_string(relevant) + " of them relevant",
                "give at least 20 pairs, relevant and not relevant ones");
  }
  const Standardiser s = standardise(pairs);
  std::vector<Vector> rows;
  rows.reserve(pairs.size());
  for (const LabelledPair& pair : pairs) rows.push_back(row_of(pair, s));
  const Vector w = maximise_likelihood(rows, pairs);

  RelevanceModel model;
  model.offset = w[kParameters - 1];
  for (std::size_t f = 0; f < RelevanceFeatures::kCount; ++f) {
    model.weights[f] = w[f] / s.deviation[f];
    model.offset -= model.weights[f] * s.mean[f];
  }
  model.pairs = pairs.size();
  std::vector<std::size_t> questions;
  for (const LabelledPair& pair : pairs) questions.push_back(pair.question);
  std::sort(questions.begin(), questions.end());
  model.questions = static_cast<std::size_t>(
      std::distance(questions.begin(), std::unique(questions.begin(), questions.end())));
  return model;
}

Result<std::vector<double>> cross_validated_relevance(std::span<const LabelledPair> pairs,
                                                      std::size_t folds) {
  std::vector<double> relevance(pairs.size(), 0.0);
  for (std::size_t fold = 0; fold < folds; ++fold) {
    std::vector<LabelledPair> others;
    for (const LabelledPair& pair : pairs) {
      if (pair.question % folds != fold) others.push_back(pair);
    }
    const RelevanceModel model = TRY(fit_relevance_model(others));
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if (pairs[i].question % folds == fold) relevance[i] = model.relevance(pairs[i].features);
    }
  }
  return relevance;
}

std::string relevance_model_to_json(const RelevanceModel& model) {
  return nlohmann::json{{"features", {"late", "lexical", "foreign"}},
                        {"weights", model.weights},
                        {"offset", model.offset},
                        {"pairs", model.pairs},
                        {"questions", model.questions}}
      .dump(2);
}

Result<RelevanceModel> relevance_model_from_json(std::string_view json) {
  const auto parsed = nlohmann::json::parse(json, nullptr, false);
  auto bad = [] {
    return fail(ErrorCode::kCorrupt, "the relevance model is not of the form that calibrate writes",
                "run `beleg calibrate relevance` again, or delete the file to use the default");
  };
  if (!parsed.is_object()) return bad();
  try {
    RelevanceModel model;
    model.weights = parsed.at("weights").get<std::array<double, RelevanceFeatures::kCount>>();
    model.offset = parsed.at("offset").get<double>();
    model.pairs = parsed.value("pairs", std::size_t{0});
    model.questions = parsed.value("questions", std::size_t{0});
    if (parsed.at("weights").size() != RelevanceFeatures::kCount) return bad();
    return model;
  } catch (const nlohmann::json::exception&) {
    return bad();
  }
}

}  // namespace beleg

#pragma once

// For the tests of this folder only.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "model/e5_test_support.h"
#include "model/tokenizer.h"

namespace beleg::test {

using Rows = std::vector<std::vector<double>>;

/// The transformer once more, as plainly as it can be written: the oracle for the compiled network.
class PlainTransformer {
 public:
  explicit PlainTransformer(const SmallE5& model) : model_(model) {}

  [[nodiscard]] Rows run(const std::vector<TokenId>& ids) const {
    const auto hidden = static_cast<std::size_t>(model_.hidden);
    Rows x(ids.size(), std::vector<double>(hidden));
    for (std::size_t t = 0; t < ids.size(); ++t) {
      for (std::size_t d = 0; d < hidden; ++d) {
        x[t][d] = at("emb.word", static_cast<std::size_t>(ids[t]) * hidden + d) +
                  at("emb.pos", t * hidden + d) + at("emb.type", d);
      }
    }
    x = layer_norm(x, "emb.ln");
    for (int layer = 0; layer < model_.layers; ++layer) {
      const std::string prefix = "l" + std::to_string(layer) + ".";
      const Rows attended =
          attention(linear(x, prefix + "q"), linear(x, prefix + "k"), linear(x, prefix + "v"));
      x = layer_norm(sum(x, linear(attended, prefix + "ao")), prefix + "aln");
      Rows wide = linear(x, prefix + "fi");
      for (auto& row : wide) {
        for (double& v : row) v = 0.5 * v * (1.0 + std::erf(v / std::numbers::sqrt2));
      }
      x = layer_norm(sum(x, linear(wide, prefix + "fo")), prefix + "oln");
    }
    return x;
  }

 private:
  [[nodiscard]] double at(const std::string& tensor, std::size_t index) const {
    return static_cast<double>(model_.tensors.at(tensor).at(index));
  }
  static Rows sum(const Rows& a, const Rows& b) {
    Rows out = a;
    for (std::size_t t = 0; t < a.size(); ++t) {
      for (std::size_t d = 0; d < a[t].size(); ++d) out[t][d] += b[t][d];
    }
    return out;
  }
  [[nodiscard]] Rows linear(const Rows& x, const std::string& name) const {
    const std::vector<float>& weights = model_.tensors.at(name + ".w");
    const std::size_t out = model_.tensors.at(name + ".b").size();
    Rows y(x.size(), std::vector<double>(out));
    for (std::size_t t = 0; t < x.size(); ++t) {
      for (std::size_t o = 0; o < out; ++o) {
        y[t][o] = at(name + ".b", o);
        for (std::size_t i = 0; i < x[t].size(); ++i) {
          y[t][o] += x[t][i] * static_cast<double>(weights.at(o * x[t].size() + i));
        }
      }
    }
    return y;
  }
  [[nodiscard]] Rows layer_norm(const Rows& x, const std::string& name) const {
    Rows y = x;
    for (auto& row : y) {
      double mean = 0;
      double variance = 0;
      for (double v : row) mean += v / static_cast<double>(row.size());
      for (double v : row) variance += (v - mean) * (v - mean) / static_cast<double>(row.size());
      for (std::size_t d = 0; d < row.size(); ++d) {
        row[d] = (row[d] - mean) / std::sqrt(variance + static_cast<double>(model_.epsilon)) *
                     at(name + ".w", d) +
                 at(name + ".b", d);
      }
    }
    return y;
  }
  [[nodiscard]] Rows attention(const Rows& q, const Rows& k, const Rows& v) const {
    const auto size = static_cast<std::size_t>(model_.hidden / model_.heads);
    Rows out(q.size(), std::vector<double>(q[0].size()));
    for (std::size_t first = 0; first < q[0].size(); first += size) {
      for (std::size_t t = 0; t < q.size(); ++t) {
        std::vector<double> weights(k.size());
        double total = 0;
        for (std::size_t s = 0; s < k.size(); ++s) {
          double dot = 0;
          for (std::size_t d = first; d < first + size; ++d) dot += q[t][d] * k[s][d];
          total += weights[s] = std::exp(dot / std::sqrt(static_cast<double>(size)));
        }
        for (std::size_t s = 0; s < k.size(); ++s) {
          for (std::size_t d = first; d < first + size; ++d) {
            out[t][d] += weights[s] / total * v[s][d];
          }
        }
      }
    }
    return out;
  }

  const SmallE5& model_;
};

inline std::vector<double> normalised(std::vector<double> values) {
  double sum = 0;
  for (double v : values) sum += v * v;
  for (double& v : values) v /= std::sqrt(sum);
  return values;
}

inline double largest_difference(std::span<const float> a, std::span<const double> b) {
  double largest = a.size() == b.size() ? 0 : 1e9;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    largest = std::max(largest, std::abs(static_cast<double>(a[i]) - b[i]));
  }
  return largest;
}

/// The least cosine of rows of `width` values, each of length 1.
inline double least_cosine(std::span<const float> a, std::span<const float> b, std::size_t width) {
  double least = a.size() == b.size() ? 1 : -1;
  for (std::size_t first = 0; first + width <= std::min(a.size(), b.size()); first += width) {
    double cosine = 0;
    for (std::size_t d = first; d < first + width; ++d) {
      cosine += static_cast<double>(a[d]) * static_cast<double>(b[d]);
    }
    least = std::min(least, cosine);
  }
  return least;
}

}  // namespace beleg::test

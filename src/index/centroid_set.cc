#include "index/centroid_set.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "index/kernels.h"

namespace beleg {
namespace {

using token_codes::kBlockTokens;

constexpr int kCoarseRounds = 8;
constexpr int kFineRounds = 5;
/// Tokens of the sample that train one cell: more change its direction no further.
constexpr std::size_t kSamplePerCell = 128;
/// Cells in which a token looks for its centroid.
constexpr std::size_t kCellsTried = 2;

/// The best and the second best of a token.
struct Nearest {
  std::array<std::uint32_t, kCellsTried> index{};
  std::array<float, kCellsTried> product;
  Nearest() { product.fill(std::numeric_limits<float>::lowest()); }
  /// Candidates come by ascending index, so that ties go to the lower one.
  void offer(std::uint32_t candidate, float value) {
    if (value > product[0]) {
      index[1] = index[0];
      product[1] = product[0];
      index[0] = candidate;
      product[0] = value;
    } else if (value > product[1]) {
      index[1] = candidate;
      product[1] = value;
    }
  }
};

/// Offers every direction to every token of the blocks, 16 tokens at a time. `visit(block, base,
/// count, products)` gets products[direction × 16 + token] of `count` directions from `base`.
template <class Visit>
void for_each_products(const CodedQuery& directions, const std::byte* blocks, std::size_t count,
                       std::size_t groups, Visit visit) {
  const Kernels& kernels = best_kernels();
  const std::size_t block_bytes = groups * token_codes::kGroupBytes + kBlockTokens * sizeof(float);
  std::array<float, CodedQuery::kMaxChunk * kBlockTokens> products;
  for (const CodedQuery::Chunk& chunk : directions.chunks()) {
    // The chunk stays in the first cache while the blocks pass.
    for (std::size_t b = 0; b < count; ++b) {
      kernels.products(chunk, blocks + b * block_bytes, 1, groups, products.data(), kBlockTokens);
      for (std::uint32_t d = 0; d < chunk.count; ++d) {
        const float scale = directions.scales()[chunk.first + d];
        for (std::size_t t = 0; t < kBlockTokens; ++t)
          products[std::size_t{d} * kBlockTokens + t] *= scale;
      }
      visit(b, chunk.first, chunk.count, products.data());
    }
  }
}

/// Number and product of each token's nearest direction.
struct Assignment {
  std::vector<std::uint32_t> index;
  std::vector<float> product;
};
Assignment nearest_of(const CodedQuery& directions, const CodedTokens& tokens) {
  const std::size_t slots = tokens.blocks() * kBlockTokens;
  Assignment found{std::vector<std::uint32_t>(slots, 0),
                   std::vector<float>(slots, std::numeric_limits<float>::lowest())};
  for_each_products(
      directions, tokens.data(), tokens.blocks(), token_codes::groups(tokens.dims()),
      [&](std::size_t block, std::uint32_t base, std::uint32_t count, const float* products) {
        float* const best = found.product.data() + block * kBlockTokens;
        std::uint32_t* const index = found.index.data() + block * kBlockTokens;
        for (std::uint32_t d = 0; d < count; ++d) {
          for (std::size_t t = 0; t < kBlockTokens; ++t) {
            const bool better = products[std::size_t{d} * kBlockTokens + t] > best[t];
            best[t] = better ? products[std::size_t{d} * kBlockTokens + t] : best[t];
            index[t] = better ? base + d : index[t];
          }
        }
      });
  found.index.resize(tokens.size());
  return found;
}

/// Scales to unit length; false for a vector that says nothing.
bool normalise(std::span<float> vector) {
  float square = 0.0F;
  for (const float value : vector) square += value * value;
  if (!(square > 1e-30F) || !std::isfinite(square)) return false;
  const float inverse = 1.0F / std::sqrt(square);
  for (float& value : vector) value *= inverse;
  return true;
}

std::vector<float> decoded(const CodedTokens& tokens, std::size_t index) {
  return token_codes::decode_rotated(
      {tokens.data(), tokens.blocks() * token_codes::block_bytes(tokens.dims())}, tokens.dims(),
      index);
}

/// Directions of the groups of `tokens`, unit length, at most `count`; empty groups are left out.
std::vector<float> spherical_kmeans(const CodedTokens& tokens, std::size_t count, int rounds) {
  const std::size_t padded = OrthogonalRotation::padded_dims(tokens.dims());
  count = std::min(count, tokens.size());
  std::vector<float> means;
  for (std::size_t c = 0; c < count; ++c) {
    std::vector<float> start = decoded(tokens, c * tokens.size() / count);
    if (normalise(start)) means.insert(means.end(), start.begin(), start.end());
  }
  if (count <= 1 || count == tokens.size()) rounds = std::min(rounds, 1);
  for (int round = 0; round < rounds && !means.empty(); ++round) {
    const CodedQuery directions = CodedQuery::from_rotated(
        means, static_cast<std::uint32_t>(padded), best_kernels().max_chunk);
    const Assignment nearest = nearest_of(directions, tokens);
    std::vector<float> sums(means.size(), 0.0F);
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      const std::vector<float> vector = decoded(tokens, t);
      float* const sum = sums.data() + nearest.index[t] * padded;
      for (std::size_t i = 0; i < padded; ++i) sum[i] += vector[i];
    }
    std::vector<float> kept;
    for (std::size_t at = 0; at < sums.size(); at += padded) {
      const std::span<float> sum = std::span(sums).subspan(at, padded);
      if (normalise(sum)) kept.insert(kept.end(), sum.begin(), sum.end());
    }
    means.swap(kept);
  }
  return means;
}

/// Every n-th token, at most `limit`.
CodedTokens thinned(const CodedTokens& tokens, std::size_t limit) {
  CodedTokens kept(tokens.dims());
  const std::size_t count = std::min(limit, tokens.size());
  for (std::size_t i = 0; i < count; ++i) kept.append(tokens.data(), i * tokens.size() / count);
  return kept;
}

}  // namespace

void CodedTokens::append(const std::byte* codes, std::size_t index) {
  if (size_ % kBlockTokens == 0) {
    bytes_.resize(bytes_.size() + token_codes::block_bytes(dims_));
  }
  token_codes::copy_token(codes, index, bytes_.data(), size_, dims_);
  ++size_;
}

void CodedTokens::clear() {
  size_ = 0;
  bytes_.clear();
}

CentroidSet CentroidSet::train(const CodedTokens& sample, std::size_t count) {
  CentroidSet set;
  set.padded_ = OrthogonalRotation::padded_dims(sample.dims());
  if (sample.size() == 0 || count == 0) return set;
  const auto cells = static_cast<std::size_t>(std::sqrt(static_cast<double>(count)));
  const std::vector<float> coarse = spherical_kmeans(
      thinned(sample, kSamplePerCell * cells), std::max<std::size_t>(cells, 1), kCoarseRounds);
  if (coarse.empty()) return set;
  const std::uint32_t max_chunk = best_kernels().max_chunk;
  set.coarse_.push_back(CodedQuery::from_rotated(coarse, set.padded_, max_chunk));

  const Assignment nearest = nearest_of(set.coarse_[0], sample);
  std::vector<CodedTokens> members(set.coarse_[0].tokens(), CodedTokens(sample.dims()));
  for (std::size_t t = 0; t < sample.size(); ++t) {
    members[nearest.index[t]].append(sample.data(), t);
  }
  for (const CodedTokens& own : members) {
    const std::size_t share =
        own.size() == 0 ? 0 : std::max<std::size_t>(1, count * own.size() / sample.size());
    const std::vector<float> fine = spherical_kmeans(own, share, kFineRounds);
    set.cells_.push_back({static_cast<std::uint32_t>(set.size_),
                          CodedQuery::from_rotated(fine, set.padded_, max_chunk)});
    set.size_ += fine.size() / set.padded_;
    set.vectors_.insert(set.vectors_.end(), fine.begin(), fine.end());
  }
  return set;
}

std::vector<std::uint32_t> CentroidSet::assign(const CodedTokens& tokens) const {
  std::vector<std::uint32_t> assigned(tokens.size(), 0);
  if (size_ == 0 || tokens.size() == 0) return assigned;
  const std::size_t groups = token_codes::groups(tokens.dims());
  std::vector<Nearest> cells(tokens.blocks() * kBlockTokens);
  for_each_products(
      coarse_[0], tokens.data(), tokens.blocks(), groups,
      [&](std::size_t block, std::uint32_t base, std::uint32_t count, const float* products) {
        for (std::uint32_t d = 0; d < count; ++d) {
          for (std::size_t t = 0; t < kBlockTokens; ++t) {
            cells[block * kBlockTokens + t].offer(base + d,
                                                  products[std::size_t{d} * kBlockTokens + t]);
          }
        }
      });

  std::vector<std::vector<std::uint32_t>> visitors(cells_.size());
  for (std::uint32_t t = 0; t < tokens.size(); ++t) {
    for (std::size_t n = 0; n < kCellsTried; ++n) {
      if (n == 0 || cells[t].product[n] > std::numeric_limits<float>::lowest()) {
        visitors[cells[t].index[n]].push_back(t);
      }
    }
  }
  std::vector<float> best(tokens.size(), std::numeric_limits<float>::lowest());
  CodedTokens gathered(tokens.dims());
  for (std::size_t c = 0; c < cells_.size(); ++c) {
    if (visitors[c].empty() || cells_[c].centroids.tokens() == 0) continue;
    gathered.clear();
    for (const std::uint32_t t : visitors[c]) gathered.append(tokens.data(), t);
    const Assignment nearest = nearest_of(cells_[c].centroids, gathered);
    for (std::size_t i = 0; i < visitors[c].size(); ++i) {
      const std::uint32_t t = visitors[c][i];
      if (nearest.product[i] > best[t]) {
        best[t] = nearest.product[i];
        assigned[t] = cells_[c].first + nearest.index[i];
      }
    }
  }
  return assigned;
}

std::vector<std::byte> CentroidSet::codes() const {
  return token_codes::encode_rotated(vectors_, padded_);
}

}  // namespace beleg

#include "index/dense_quantised.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <limits>

#include "index/top_k.h"

namespace beleg {
namespace {

using dense_codes::kBlockRows;

constexpr float kNone = -std::numeric_limits<float>::infinity();
/// Requests that share a pass. Each keeps four bytes a row.
constexpr std::size_t kRequestsPerPass = 16;
/// Blocks that one request scans before the next one does: 105 kB at 384 dimensions, so that they
/// come from the second cache.
constexpr std::size_t kTileBlocks = 32;
/// Rows ahead of the one in hand that the processor is asked to fetch.
constexpr std::size_t kFetchAhead = 8;

/// A lower bound of the k-th largest of `values`: the k-th largest itself. −∞ when there are less.
float kth_largest(std::vector<float> values, std::size_t k) {
  if (values.size() < k) return kNone;
  const auto nth = values.begin() + static_cast<std::ptrdiff_t>(k - 1);
  std::nth_element(values.begin(), nth, values.end(), std::greater<>());
  return *nth;
}

}  // namespace

/// What one request knows after the scan.
struct QuantisedDense::Pass {
  Pass(const DenseRequest& asked, std::span<const float> mean, const OrthogonalRotation& rotation,
       std::size_t rows)
      : request(asked),
        query(asked.query, mean, rotation),
        upper(std::make_unique_for_overwrite<float[]>(dense_codes::blocks(rows) * kBlockRows)),
        highest(dense_codes::blocks(rows), kNone) {}

  DenseRequest request;
  CodedDenseQuery query;
  /// Upper bounds by row, less query.base(). Unset in blocks whose `highest` is −∞.
  std::unique_ptr<float[]> upper;
  std::vector<float> highest;  // By block.
};

/// From the bounds of the scan to the best rows.
class QuantisedDense::Survivors {
 public:
  Survivors(const QuantisedDense& index, const Pass& pass, std::size_t k,
            const DenseKernels& kernels)
      : index_(index), pass_(pass), kernels_(kernels), k_(k), lower_(k) {}

  [[nodiscard]] std::vector<RowHit> find(Work* work) {
    // The rows with the best bounds come first: they show how good the others must be.
    const float seed = std::max(seed_bound(), floor());
    judge(rows_between(seed, std::numeric_limits<float>::infinity()));
    judge(rows_between(needed(), seed));
    return rescore(work);
  }

 private:
  /// The request's floor as a bound.
  [[nodiscard]] float floor() const { return pass_.request.floor - pass_.query.base(); }

  /// What the bound of a row must reach.
  [[nodiscard]] float needed() const { return std::max(lower_.threshold(), floor()); }

  /// A bound that at least k rows reach, and not many more.
  [[nodiscard]] float seed_bound() const {
    if (pass_.highest.size() >= k_) return kth_largest(pass_.highest, k_);
    std::vector<float> bounds;
    for (std::size_t b = 0; b < pass_.highest.size(); ++b) {
      if (pass_.highest[b] == kNone) continue;
      const float* const upper = pass_.upper.get() + b * kBlockRows;
      std::copy_if(upper, upper + kBlockRows, std::back_inserter(bounds),
                   [](float bound) { return bound > kNone; });
    }
    return kth_largest(std::move(bounds), k_);
  }

  /// Rows with `low` ≤ bound < `high`, ascending; with `high` = ∞ all from `low` on.
  [[nodiscard]] std::vector<Row> rows_between(float low, float high) const {
    constexpr float kAll = std::numeric_limits<float>::infinity();
    std::vector<Row> rows;
    for (std::size_t b = 0; b < pass_.highest.size(); ++b) {
      if (pass_.highest[b] == kNone || pass_.highest[b] < low) continue;
      const float* const bounds = pass_.upper.get() + b * kBlockRows;
      // −∞ stands for rows that are not allowed.
      std::uint64_t reached =
          kernels_.reach(bounds, std::max(low, std::numeric_limits<float>::lowest()));
      if (high != kAll) reached &= ~kernels_.reach(bounds, high);
      for (; reached != 0; reached &= reached - 1) {
        rows.push_back(
            static_cast<Row>(b * kBlockRows + static_cast<std::size_t>(std::countr_zero(reached))));
      }
    }
    return rows;
  }

  [[nodiscard]] const std::byte* record(Row row) const {
    return index_.records_.data() + row * dense_codes::record_bytes(index_.matrix_.dims());
  }

  /// Compares by fine codes; raises what the others must reach.
  void judge(const std::vector<Row>& rows) {
    const std::size_t fine_bytes = dense_codes::fine_bytes(index_.matrix_.dims());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i + kFetchAhead < rows.size()) {
        const std::byte* const ahead = record(rows[i + kFetchAhead]);
        for (std::size_t at = 0; at <= fine_bytes; at += 64) __builtin_prefetch(ahead + at);
      }
      const Row row = rows[i];
      if (pass_.upper[row] < needed()) continue;
      const std::byte* const codes = record(row);
      dense_codes::FineTail tail;
      std::memcpy(&tail, codes + fine_bytes, sizeof tail);
      const CodedDenseQuery::Bounds bounds = pass_.query.fine_bounds(
          kernels_.fine_product(pass_.query.low(), pass_.query.high(), codes, fine_bytes), tail);
      ++fine_;
      // Not a number: a damaged tail.
      if (!(bounds.upper >= bounds.lower) || bounds.upper < needed()) continue;
      lower_.push({row, bounds.lower});
      reached_.push_back({row, bounds.upper});
    }
  }

  /// Exact scores, the best bounds first, until no bound reaches the k-th best score.
  [[nodiscard]] std::vector<RowHit> rescore(Work* work) {
    const float low = needed();
    std::erase_if(reached_, [low](const RowHit& hit) { return hit.score < low; });
    std::sort(reached_.begin(), reached_.end(), ranks_before);
    const std::vector<float> query = index_.matrix_.padded(pass_.request.query);
    TopK best(k_);
    std::size_t compared = 0;
    for (; compared < reached_.size(); ++compared) {
      const RowHit& hit = reached_[compared];
      if (pass_.query.base() + hit.score < std::max(best.threshold(), pass_.request.floor)) break;
      if (compared + 2 < reached_.size()) index_.matrix_.prefetch(reached_[compared + 2].row);
      best.push({hit.row, index_.matrix_.score(query, hit.row)});
    }
    if (work != nullptr) {
      work->fine += fine_;
      work->exact += compared;
    }
    return best.take();
  }

  const QuantisedDense& index_;
  const Pass& pass_;
  const DenseKernels& kernels_;
  std::size_t k_;
  TopK lower_;                   // The k best lower bounds.
  std::vector<RowHit> reached_;  // With upper bounds.
  std::size_t fine_ = 0;
};

QuantisedDense::QuantisedDense(std::span<const float> mean, std::span<const std::byte> signs,
                               std::span<const std::byte> records, DenseMatrix matrix)
    : mean_(mean),
      signs_(signs),
      records_(records),
      matrix_(matrix),
      rotation_(std::make_shared<const OrthogonalRotation>(matrix.dims())) {}

void QuantisedDense::scan(std::span<Pass> passes, const DenseKernels& kernels) const {
  const std::size_t groups = dense_codes::sign_groups(matrix_.dims());
  const std::size_t block_bytes = dense_codes::block_bytes(matrix_.dims());
  const auto scan_blocks = [&](Pass& pass, std::size_t first, std::size_t count,
                               const std::uint64_t* allowed) {
    kernels.scan(pass.query.scan(), signs_.data() + first * block_bytes, count, groups, allowed,
                 pass.upper.get() + first * kBlockRows, pass.highest.data() + first);
  };
  const std::size_t whole = matrix_.rows() / kBlockRows;
  for (std::size_t first = 0; first < whole; first += kTileBlocks) {
    const std::size_t count = std::min(kTileBlocks, whole - first);
    for (Pass& pass : passes) {
      const RowFilter* const filter = pass.request.filter;
      scan_blocks(pass, first, count, filter == nullptr ? nullptr : filter->words().data() + first);
    }
  }
  const std::size_t rest = matrix_.rows() % kBlockRows;
  if (rest == 0) return;
  for (Pass& pass : passes) {
    const RowFilter* const filter = pass.request.filter;
    std::uint64_t allowed = (std::uint64_t{1} << rest) - 1;
    if (filter != nullptr) allowed &= filter->words()[whole];
    scan_blocks(pass, whole, 1, &allowed);
  }
}

std::vector<std::vector<RowHit>> QuantisedDense::search(std::span<const DenseRequest> requests,
                                                        std::size_t k, const DenseKernels& kernels,
                                                        Work* work) const {
  std::vector<std::vector<RowHit>> hits;
  for (std::size_t first = 0; first < requests.size(); first += kRequestsPerPass) {
    std::vector<Pass> passes;
    for (const DenseRequest& request :
         requests.subspan(first, std::min(kRequestsPerPass, requests.size() - first))) {
      passes.emplace_back(request, mean_, *rotation_, matrix_.rows());
    }
    scan(passes, kernels);
    for (const Pass& pass : passes) hits.push_back(Survivors(*this, pass, k, kernels).find(work));
  }
  return hits;
}

}  // namespace beleg

#include <algorithm>
#include <cmath>

#include "index/centroid_set.h"
#include "index/payload_layout.h"
#include "index/token_candidates.h"

namespace beleg {
namespace {

/// Tokens that centroids are trained on: 50 MB of codes, and as much again while they are sorted.
constexpr std::size_t kSampleTokens = std::size_t{1} << 18U;
constexpr std::size_t kBatchTokens = std::size_t{1} << 16U;
/// Centroids are 16-bit numbers; more would cost a question more than they save.
constexpr double kMaxCentroids = 16384.0;
constexpr double kCentroidsPerRoot = 5.0;

class CandidatesBuilder {
 public:
  CandidatesBuilder(std::span<const TokenRow> rows, std::span<const std::byte> pack,
                    std::uint32_t dims)
      : rows_(rows), pack_(pack), dims_(dims) {
    for (const TokenRow& row : rows) tokens_ += row.tokens;
  }

  CandidateSections build() {
    CandidateSections sections;
    if (tokens_ < kExhaustiveTokens || dims_ == 0) return sections;
    const double wanted =
        std::min(kMaxCentroids, kCentroidsPerRoot * std::sqrt(static_cast<double>(tokens_)));
    const CentroidSet centroids = CentroidSet::train(sample(), static_cast<std::size_t>(wanted));
    if (centroids.size() == 0) return sections;
    sections.centroids = centroids.codes();
    assign(centroids, sections);
    return sections;
  }

 private:
  [[nodiscard]] const std::byte* codes_of(const TokenRow& row) const {
    return pack_.data() + row.payload + PayloadLayout(dims_, row.tokens).codes;
  }

  /// Evenly spaced tokens.
  [[nodiscard]] CodedTokens sample() const {
    CodedTokens tokens(dims_);
    const std::uint64_t count = std::min<std::uint64_t>(tokens_, kSampleTokens);
    std::uint64_t before = 0;
    for (const TokenRow& row : rows_) {
      // Sample token i is token i × tokens_ / count of all.
      while (tokens.size() < count) {
        const std::uint64_t at = tokens.size() * tokens_ / count;
        if (at >= before + row.tokens) break;
        tokens.append(codes_of(row), at - before);
      }
      before += row.tokens;
    }
    return tokens;
  }

  void assign(const CentroidSet& centroids, CandidateSections& sections) const {
    std::vector<std::uint16_t> numbers;    // Distinct centroids, row after row.
    std::vector<std::uint32_t> row_sizes;  // How many of each row.
    CodedTokens batch(dims_);
    std::size_t first = 0;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      for (std::uint32_t t = 0; t < rows_[row].tokens; ++t) batch.append(codes_of(rows_[row]), t);
      if (batch.size() < kBatchTokens && row + 1 < rows_.size()) continue;
      const std::vector<std::uint32_t> assigned = centroids.assign(batch);
      std::size_t at = 0;
      for (; first <= row; ++first) {
        std::vector<std::uint32_t> distinct(
            assigned.begin() + static_cast<std::ptrdiff_t>(at),
            assigned.begin() + static_cast<std::ptrdiff_t>(at + rows_[first].tokens));
        at += rows_[first].tokens;
        std::sort(distinct.begin(), distinct.end());
        distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
        for (const std::uint32_t number : distinct) {
          numbers.push_back(static_cast<std::uint16_t>(number));
        }
        row_sizes.push_back(static_cast<std::uint32_t>(distinct.size()));
      }
      batch.clear();
    }
    invert(centroids.size(), numbers, row_sizes, sections);
  }

  /// Rows of each centroid from centroids of each row, by counting.
  static void invert(std::size_t centroids, std::span<const std::uint16_t> numbers,
                     std::span<const std::uint32_t> row_sizes, CandidateSections& sections) {
    std::vector<std::uint32_t> next(centroids + 1, 0);
    for (const std::uint16_t number : numbers) ++next[number + 1U];
    for (std::size_t c = 1; c < next.size(); ++c) next[c] += next[c - 1];
    sections.list_ends.assign(next.begin() + 1, next.end());
    sections.list_rows.resize(numbers.size());
    std::size_t at = 0;
    for (std::size_t row = 0; row < row_sizes.size(); ++row) {
      for (const std::uint16_t number : numbers.subspan(at, row_sizes[row])) {
        sections.list_rows[next[number]++] = static_cast<std::uint32_t>(row);
      }
      at += row_sizes[row];
    }
  }

  std::span<const TokenRow> rows_;
  std::span<const std::byte> pack_;
  std::uint32_t dims_;
  std::uint64_t tokens_ = 0;
};

}  // namespace

CandidateSections build_candidates(std::span<const TokenRow> rows, std::span<const std::byte> pack,
                                   std::uint32_t dims, std::span<const std::byte> dense) {
  CandidateSections sections = CandidatesBuilder(rows, pack, dims).build();
  sections.dense = dense;
  return sections;
}

}  // namespace beleg

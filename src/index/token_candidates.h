#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "index/rows.h"
#include "index/section_file.h"
#include "index/token_codes.h"
#include "index/token_row.h"

namespace beleg {

/// Rows with fewer tokens than this, together, are all scored: a first stage would cost as much.
inline constexpr std::uint64_t kExhaustiveTokens = 100'000;

/// The first stage of late interaction over many rows: which rows are worth an exact score? A row's
/// estimate is the sum of
///   - the product of its dense vector with the question's, from four-bit codes, and
///   - what its tokens' centroids promise (PLAID; Santhanam et al., CIKM 2022): each question token
///     visits the rows of its nearest centroids, best first, until it has seen enough; a row gets
///     the first product with which a token arrives, less that at which the token stopped, times
///     the token's weight.
/// Either half misses what the other finds; docs/decisions/0016-late-interaction-at-scale.md has
/// the figures. Views into a mapped file; immutable, thread-safe.
class TokenCandidates {
 public:
  TokenCandidates() = default;
  /// Without the sections of a first stage (a small index) the result is empty(). kCorrupt when
  /// their sizes contradict each other.
  static Result<TokenCandidates> open(const SectionFile& file, std::uint32_t dims);

  [[nodiscard]] bool empty() const { return centroids_ == 0; }
  [[nodiscard]] std::size_t centroids() const { return centroids_; }

  struct Question {
    const CodedQuery& tokens;
    std::span<const float> weights;  ///< Of each token's products: weight × scale.
    std::span<const float> dense;    ///< Of any other length than `dims`: left out.
  };
  /// The `count` allowed rows with the best estimates, ascending by row; fewer when fewer rows are
  /// allowed or, without a dense vector, were reached.
  [[nodiscard]] std::vector<Row> find(const Question& question, std::size_t count,
                                      const RowFilter* filter) const;

 private:
  [[nodiscard]] std::vector<float> dense_estimates(std::span<const float> dense) const;
  void add_token_estimates(const Question& question, std::vector<float>& estimates) const;

  std::size_t rows_ = 0;
  std::size_t centroids_ = 0;
  std::uint32_t dims_ = 0;
  std::span<const std::byte> codes_;          // Of the centroids.
  std::span<const std::uint32_t> list_ends_;  // Per centroid.
  std::span<const std::uint32_t> list_rows_;  // Ascending in each list.
  std::span<const std::byte> dense_;          // Codes of the rows' dense vectors.
};

/// The sections of a first stage, while the index is written.
struct CandidateSections {
  std::vector<std::byte> centroids;
  std::vector<std::uint32_t> list_ends;
  std::vector<std::uint32_t> list_rows;
  std::span<const std::byte> dense;

  /// Borrows all until the file is written. Adds nothing when there are no centroids.
  void add_to(SectionFileWriter& file) const;
};

/// Makes the first stage of rows whose payloads are in `pack`, by one pass for a sample of at most
/// 2¹⁸ tokens and one that assigns all tokens to centroids, in batches. `dense` has the codes of
/// the rows' dense vectors. Empty when the rows have fewer than kExhaustiveTokens tokens. Every
/// payload must lie inside the pack. Deterministic.
[[nodiscard]] CandidateSections build_candidates(std::span<const TokenRow> rows,
                                                 std::span<const std::byte> pack,
                                                 std::uint32_t dims,
                                                 std::span<const std::byte> dense);

}  // namespace beleg

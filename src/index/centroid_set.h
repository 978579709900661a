#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "index/token_codes.h"

namespace beleg {

/// A growing sequence of coded tokens (see token_codes), copied from payloads as they are.
class CodedTokens {
 public:
  explicit CodedTokens(std::uint32_t dims) : dims_(dims) {}

  /// Copies token `index` of the blocks at `codes`.
  void append(const std::byte* codes, std::size_t index);
  void clear();
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::uint32_t dims() const { return dims_; }
  [[nodiscard]] std::size_t blocks() const { return token_codes::blocks(size_); }
  /// Whole blocks; slots behind the last token hold anything.
  [[nodiscard]] const std::byte* data() const { return bytes_.data(); }
  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::uint32_t dims_;
  std::size_t size_ = 0;
  std::vector<std::byte> bytes_;
};

/// Directions around which token vectors gather, in two levels: few cells, each with centroids of
/// its own, so that finding a token's centroid costs a small part of comparing it with all. Trained
/// by spherical k-means (Dhillon and Modha, 2001) from evenly spaced starting points: no random
/// numbers. All products are integers and all sums have one order, so that the same tokens give the
/// same centroids on every processor. Immutable.
class CentroidSet {
 public:
  /// At most `count` centroids, fewer when the sample has fewer distinct tokens; none without a
  /// sample. A good sample has at least ten tokens for each.
  static CentroidSet train(const CodedTokens& sample, std::size_t count);

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t cells() const { return cells_.size(); }
  /// The nearest centroid of each token, looked for in the token's two nearest cells. Ties go to
  /// the lower number.
  [[nodiscard]] std::vector<std::uint32_t> assign(const CodedTokens& tokens) const;
  /// The centroids, coded as tokens are (see token_codes), in the order of their numbers.
  [[nodiscard]] std::vector<std::byte> codes() const;

 private:
  struct Cell {
    std::uint32_t first = 0;  ///< Number of the first centroid.
    CodedQuery centroids;
  };

  std::uint32_t padded_ = 0;
  std::size_t size_ = 0;
  std::vector<CodedQuery> coarse_;  // One, or none.
  std::vector<Cell> cells_;
  std::vector<float> vectors_;  // size_ × padded_, unit length.
};

}  // namespace beleg

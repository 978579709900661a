#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "index/orthogonal_rotation.h"

namespace beleg {

/// Layout of compressed token vectors: blocks of 16 tokens, so that one instruction works on 16
/// tokens at a time. A block holds, for every eight dimensions, 64 bytes, of which byte 4t + j has
/// token t's code of dimension 8g + j in its low half and of dimension 8g + 4 + j in its high half;
/// then 16 scales (float32). A value is (code − 7.5) × scale. The last block repeats its last
/// token. See docs/formats/embedding-payload.md.
namespace token_codes {

inline constexpr std::uint32_t kBlockTokens = 16;
inline constexpr std::uint32_t kGroupDims = 8;
inline constexpr std::uint32_t kGroupBytes = 64;

[[nodiscard]] constexpr std::size_t groups(std::uint32_t dims) {
  return (std::size_t{dims} + kGroupDims - 1) / kGroupDims;
}
[[nodiscard]] constexpr std::size_t block_bytes(std::uint32_t dims) {
  return groups(dims) * kGroupBytes + kBlockTokens * sizeof(float);
}
[[nodiscard]] constexpr std::size_t blocks(std::size_t tokens) {
  return (tokens + kBlockTokens - 1) / kBlockTokens;
}
[[nodiscard]] constexpr std::size_t bytes(std::size_t tokens, std::uint32_t dims) {
  return blocks(tokens) * block_bytes(dims);
}

/// Compresses `vectors` (rows of `dims`).
[[nodiscard]] std::vector<std::byte> encode(std::span<const float> vectors, std::uint32_t dims);

/// Compresses vectors that are rotated already (rows of `padded`, a multiple of eight).
[[nodiscard]] std::vector<std::byte> encode_rotated(std::span<const float> rotated,
                                                    std::uint32_t padded);

/// Copies a token's codes and scale from one sequence of blocks into another, as they are.
void copy_token(const std::byte* from, std::size_t index, std::byte* to, std::size_t target,
                std::uint32_t dims);

/// The vector that token `index` stands for, in rotated coordinates. For tests and explanations.
[[nodiscard]] std::vector<float> decode_rotated(std::span<const std::byte> codes,
                                                std::uint32_t dims, std::size_t index);

}  // namespace token_codes

/// The token vectors of a question, rotated and rounded to eight bits, in the order in which the
/// kernels read them. Immutable.
class CodedQuery {
 public:
  /// Up to this many question tokens are compared with a block in one pass.
  static constexpr std::uint32_t kMaxChunk = 16;

  struct Chunk {
    std::uint32_t first = 0;  ///< Question token.
    std::uint32_t count = 0;  ///< 1 … kMaxChunk.
    /// For each group of eight dimensions: four bytes per token for its first four dimensions, then
    /// the same for its last four.
    const std::int8_t* codes = nullptr;
    const std::int32_t* bias = nullptr;  ///< Per token: 15 × the sum of its codes.
  };

  CodedQuery(std::span<const float> vectors, std::uint32_t dims, std::uint32_t max_chunk);
  /// Of vectors that are rotated already (rows of `padded`, a multiple of eight).
  static CodedQuery from_rotated(std::span<const float> rotated, std::uint32_t padded,
                                 std::uint32_t max_chunk);
  // Chunks point into the other members: a move keeps those places, a copy would not.
  CodedQuery(CodedQuery&&) = default;
  CodedQuery& operator=(CodedQuery&&) = default;
  CodedQuery(const CodedQuery&) = delete;
  CodedQuery& operator=(const CodedQuery&) = delete;
  ~CodedQuery() = default;

  [[nodiscard]] std::uint32_t tokens() const { return static_cast<std::uint32_t>(scales_.size()); }
  [[nodiscard]] const std::vector<Chunk>& chunks() const { return chunks_; }
  /// What a token's integer products are multiplied with (beside the scale of the other side).
  [[nodiscard]] const std::vector<float>& scales() const { return scales_; }

 private:
  CodedQuery() = default;
  void code(std::span<const float> rotated, std::size_t padded, std::uint32_t max_chunk);

  std::vector<float> scales_;
  std::vector<std::int32_t> bias_;
  std::vector<std::int8_t> codes_;
  std::vector<Chunk> chunks_;
};

}  // namespace beleg

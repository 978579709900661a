#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "model/tokenizer.h"

namespace beleg {

/// A matrix in Q4_0: rows of blocks of 32 weights, each block a half-precision scale and 32 nibbles
/// (value − 8), the low nibbles first. The view dies with its file.
struct Q4Matrix {
  static constexpr std::size_t kBlockWeights = 32;

  std::span<const std::byte> bytes;
  std::size_t rows = 0;
  std::size_t columns = 0;  ///< A multiple of 32.

  /// Writes the weights of one row. Requires row < rows and out.size() == columns.
  void dequantize_row(std::size_t row, std::span<float> out) const;
  /// The weights of a row from 32 · index on.
  struct Block {
    float scale = 0.0F;
    std::span<const std::byte, kBlockWeights / 2> pairs;
  };
  /// Requires row < rows and index < columns / 32.
  [[nodiscard]] Block block(std::size_t row, std::size_t index) const;
};

/// Sizes of the transformer.
struct E5Shape {
  std::uint32_t hidden = 0;
  std::uint32_t layers = 0;
  std::uint32_t heads = 0;
  std::uint32_t feed_forward = 0;
  std::uint32_t vocabulary = 0;
  std::uint32_t positions = 0;
  std::uint32_t types = 0;
  float epsilon = 0.0F;  ///< Of the layer norms.
};

struct E5SpecialTokens {
  TokenId begin = 0;
  TokenId end = 0;
  TokenId pad = 0;
  TokenId unknown = 0;
};

/// The memory-mapped "E5S1" file of multilingual-e5-small: tokenizer, normaliser and weights in
/// one. Every offset and size in it is checked; a damaged file is kCorrupt, never undefined
/// behaviour. Views die with the file. Immutable, thread-safe.
class E5File {
 public:
  static Result<E5File> open(const std::filesystem::path& path);

  [[nodiscard]] const E5Shape& shape() const { return shape_; }
  [[nodiscard]] const E5SpecialTokens& special() const { return special_; }
  [[nodiscard]] std::span<const std::string_view> pieces() const { return pieces_; }
  [[nodiscard]] std::span<const float> scores() const { return scores_; }
  /// The normaliser map: one code point, and what replaces it; both as UTF-8.
  [[nodiscard]] std::span<const std::pair<std::string, std::string>> normalization() const {
    return normalization_;
  }
  [[nodiscard]] std::span<const std::byte> bytes() const { return file_.bytes(); }

  /// A tensor of 32-bit floats. Errors: kCorrupt when absent, of another type or of another size.
  Result<std::span<const float>> floats(std::string_view name, std::size_t count) const;
  /// A tensor in Q4_0. Errors as above.
  Result<Q4Matrix> q4(std::string_view name, std::size_t rows, std::size_t columns) const;

 private:
  class Parser;
  struct Tensor {
    std::uint8_t type = 0;
    std::span<const std::byte> bytes;
  };

  Result<const Tensor*> find(std::string_view name, std::uint8_t type, std::size_t bytes) const;

  std::string name_;  // Of the file, for messages.
  MappedFile file_;
  E5Shape shape_;
  E5SpecialTokens special_;
  std::vector<std::string_view> pieces_;
  std::span<const float> scores_;
  std::vector<std::pair<std::string, std::string>> normalization_;
  std::map<std::string, Tensor, std::less<>> tensors_;
};

}  // namespace beleg

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace beleg {

/// Outputs of a matrix that are computed together: a panel holds, for each input in turn, the
/// weights of so many outputs.
inline constexpr std::size_t kPanelColumns = 32;

/// So many inputs in a row share a scale where weights or activations are whole numbers.
inline constexpr std::size_t kBlockInputs = 32;

/// Rows of activations as signed bytes. Each block of kBlockInputs values has a scale: an
/// activation is byte · scale. A view.
struct ByteRows {
  const std::int8_t* values = nullptr;    ///< −127 to 127.
  std::size_t stride = 0;                 ///< Between rows, in bytes.
  const float* scales = nullptr;          ///< One a block.
  const std::int32_t* offsets = nullptr;  ///< One a block: − zero point · the sum of its bytes.
  std::size_t block_stride = 0;           ///< Between rows, in blocks.
};

/// A panel of weights as unsigned bytes: for each four inputs, for each output in turn, the four
/// weights plus the zero point; and for each block of inputs one scale an output. A view.
struct BytePanel {
  const std::uint8_t* values = nullptr;
  const float* scales = nullptr;
};

/// Zero points of weights of four and of eight bits.
inline constexpr std::int32_t kNibbleZero = 8;
inline constexpr std::int32_t kByteZero = 128;

/// The inner loops of a transformer, once per instruction set. All give the same bits, whatever
/// their width: every sum has one fixed order, and each row is computed as if it were alone.
struct TransformerKernels {
  std::string_view name;

  /// c = a · panel + bias, or, where `bias` is null, c + a · panel. `a` has `rows` rows of `inner`
  /// values, `a_stride` apart; `panel` is inner × kPanelColumns; kPanelColumns values are written
  /// to each row of `c`. A product that is added up part by part has the bits of the whole.
  void (*multiply)(const float* a, std::size_t a_stride, std::size_t rows, std::size_t inner,
                   const float* panel, const float* bias, float* c, std::size_t c_stride) = nullptr;
  /// c = a · panel + bias, or, where `bias` is null, c + a · panel, over `blocks` blocks of inputs.
  /// Products within a block are summed as whole numbers; then c = fma(sum, weight scale ·
  /// activation scale, c), block after block: a product that is added up part by part has the bits
  /// of the whole. Weights are at most 15 (zero point 8) for `multiply_nibbles`, any byte (zero
  /// point 128) for `multiply_bytes`. kPanelColumns values are written to each row of `c`.
  using MultiplyBytes = void (*)(const ByteRows& a, std::size_t rows, std::size_t blocks,
                                 const BytePanel& panel, const float* bias, float* c,
                                 std::size_t c_stride);
  MultiplyBytes multiply_nibbles = nullptr;
  MultiplyBytes multiply_bytes = nullptr;
  /// One row of activations as bytes: for each block the scale is the largest magnitude / 127, a
  /// byte is x · (127 / the largest magnitude), rounded to nearest, even on ties. A block of
  /// magnitudes below 1e-30 is all 0; one with what is no finite number has no number as scale.
  void (*quantise)(const float* x, std::size_t blocks, std::int32_t zero_point, std::int8_t* values,
                   float* scales, std::int32_t* offsets) = nullptr;
  /// Unpacks weights of four bits: of each 64 bytes the low nibbles become the first 64 bytes, the
  /// high nibbles the next. `count`, the bytes read, is a multiple of 64.
  void (*unpack)(const std::uint8_t* nibbles, std::size_t count, std::uint8_t* bytes) = nullptr;
  /// x = x · Φ(x), the exact GELU (Hendrycks & Gimpel 2016), for `count` values, a multiple of 16.
  void (*gelu)(float* x, std::size_t count) = nullptr;
  /// x = softmax(scale · x) over the first `count` values; those after them, up to a multiple of
  /// 16, become 0 and must be there. count > 0.
  void (*softmax)(float* x, std::size_t count, float scale) = nullptr;
  /// x = norm(x + residual) · gain + bias (Ba, Kiros & Hinton 2016) over `width` values. All rows
  /// are padded with zeros to a multiple of 16, and x stays so.
  void (*add_and_norm)(float* x, const float* residual, const float* gain, const float* bias,
                       std::size_t width, float epsilon) = nullptr;
};

/// The oracle, and what runs on other processors.
[[nodiscard]] const TransformerKernels& plain_transformer_kernels();
/// The fastest that this processor has. Chosen once.
[[nodiscard]] const TransformerKernels& best_transformer_kernels();
/// All that this processor can run, the plain one first.
[[nodiscard]] std::span<const TransformerKernels* const> runnable_transformer_kernels();

#if defined(__x86_64__)
// With VNNI a sum of four products of bytes is one instruction.
[[nodiscard]] const TransformerKernels& avx2_transformer_kernels();
[[nodiscard]] const TransformerKernels& avx_vnni_transformer_kernels();
[[nodiscard]] const TransformerKernels& avx512_transformer_kernels();
[[nodiscard]] const TransformerKernels& avx512_vnni_transformer_kernels();
#endif

}  // namespace beleg

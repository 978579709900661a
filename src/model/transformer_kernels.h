#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace beleg {

/// Outputs of a matrix that are computed together: a panel holds, for each input in turn, the
/// weights of so many outputs.
inline constexpr std::size_t kPanelColumns = 32;

/// The inner loops of a transformer, once per instruction set. Those with fused multiply-add give
/// the same bits, whatever their width: every sum has one fixed order, and each row is computed as
/// if it were alone.
struct TransformerKernels {
  std::string_view name;

  /// c = a · panel + bias, or, where `bias` is null, c + a · panel. `a` has `rows` rows of `inner`
  /// values, `a_stride` apart; `panel` is inner × kPanelColumns; kPanelColumns values are written
  /// to each row of `c`. A product that is added up part by part has the bits of the whole.
  void (*multiply)(const float* a, std::size_t a_stride, std::size_t rows, std::size_t inner,
                   const float* panel, const float* bias, float* c, std::size_t c_stride) = nullptr;
  /// Widens a panel of four-bit weights: for each input 16 bytes, whose low nibbles are outputs 0
  /// to 15 and whose high nibbles are 16 to 31, each the weight plus 8; for each 32 inputs one
  /// scale an output. `inner` is a multiple of 32.
  void (*widen)(const std::uint8_t* nibbles, const float* scales, std::size_t inner,
                float* panel) = nullptr;
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
[[nodiscard]] const TransformerKernels& avx2_transformer_kernels();
[[nodiscard]] const TransformerKernels& avx512_transformer_kernels();
#endif

}  // namespace beleg

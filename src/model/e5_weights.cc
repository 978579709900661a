#include "model/e5_weights.h"

namespace beleg {
namespace {

void widen(const Q4Matrix& from, std::size_t first_output, WeightMatrix& to) {
  std::vector<float> row(from.columns);
  for (std::size_t o = 0; o < from.rows; ++o) {
    from.dequantize_row(o, row);
    for (std::size_t i = 0; i < row.size(); ++i) to.set_input(i, first_output + o, {&row[i], 1});
  }
}

}  // namespace

E5Weights::E5Weights(const E5File& file, Arithmetic arithmetic)
    : file_(file),
      arithmetic_(arithmetic),
      shape_({.hidden = file.shape().hidden,
              .layers = file.shape().layers,
              .heads = file.shape().heads,
              .feed_forward = file.shape().feed_forward,
              .epsilon = file.shape().epsilon}) {}

Result<std::vector<float>> E5Weights::vector(std::string_view name, std::string_view part,
                                             std::size_t size) const {
  const auto values = TRY(file_.floats(std::string(name) + "." + std::string(part), size));
  return std::vector<float>(values.begin(), values.end());
}

Result<WeightMatrix> E5Weights::matrix(std::span<const std::string> names, std::size_t out,
                                       std::size_t in) const {
  const bool floats = arithmetic_ == Arithmetic::kFloats;
  WeightMatrix weights = floats ? WeightMatrix::of_floats(out * names.size(), in)
                                : WeightMatrix::of_four_bits(out * names.size(), in);
  for (std::size_t k = 0; k < names.size(); ++k) {
    const Q4Matrix matrix = TRY(file_.q4(names[k] + ".w", out, in));
    if (floats) {
      widen(matrix, k * out, weights);
    } else {
      weights.set_outputs(k * out, matrix);
    }
  }
  return weights;
}

}  // namespace beleg

#include "model/e5_weights.h"

namespace beleg {

E5Weights::E5Weights(const E5File& file)
    : file_(file),
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
  WeightMatrix weights = WeightMatrix::of_four_bits(out * names.size(), in);
  for (std::size_t k = 0; k < names.size(); ++k) {
    weights.set_outputs(k * out, TRY(file_.q4(names[k] + ".w", out, in)));
  }
  return weights;
}

}  // namespace beleg

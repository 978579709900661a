#include "model/e5_weights.h"

#include <openvino/opsets/opset13.hpp>

#include "model/transformer_graph.h"

namespace beleg {
namespace {

namespace op = ov::opset13;

class E5Weights final : public TransformerWeights {
 public:
  explicit E5Weights(const E5File& file) : file_(file) {
    const E5Shape& shape = file.shape();
    shape_ = {.hidden = shape.hidden,
              .layers = shape.layers,
              .heads = shape.heads,
              .feed_forward = shape.feed_forward,
              .epsilon = shape.epsilon};
  }

  [[nodiscard]] const TransformerShape& shape() const override { return shape_; }

  Result<std::vector<float>> vector(std::string_view name, std::string_view part,
                                    std::size_t size) const override {
    const auto values = TRY(file_.floats(std::string(name) + "." + std::string(part), size));
    return std::vector<float>(values.begin(), values.end());
  }

  /// Four-bit integers and a scale for 32 of them; the kernels widen them block by block.
  Result<ov::Output<ov::Node>> matrix(std::span<const std::string> names, std::size_t out,
                                      std::size_t in) const override {
    const std::size_t rows = out * names.size();
    const std::size_t blocks = in / Q4Matrix::kBlockWeights;
    ov::Tensor weights(ov::element::i4, {rows, blocks, Q4Matrix::kBlockWeights});
    ov::Tensor scales(ov::element::f32, {rows, blocks, 1});
    auto* packed = static_cast<std::uint8_t*>(weights.data());
    for (std::size_t k = 0; k < names.size(); ++k) {
      const Q4Matrix q4 = TRY(file_.q4(names[k] + ".w", out, in));
      const std::size_t first = k * out * blocks;
      q4.repack({packed + first * Q4Matrix::kBlockWeights / 2, q4.packed_bytes()},
                {scales.data<float>() + first, out * blocks});
    }
    const auto wide =
        std::make_shared<op::Convert>(std::make_shared<op::Constant>(weights), ov::element::f32);
    const auto scaled =
        std::make_shared<op::Multiply>(wide, std::make_shared<op::Constant>(scales));
    const auto shape =
        op::Constant::create(ov::element::i64, ov::Shape{2},
                             {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(in)});
    return ov::Output<ov::Node>(std::make_shared<op::Reshape>(scaled, shape, false));
  }

 private:
  const E5File& file_;
  TransformerShape shape_;
};

}  // namespace

Result<OpenVinoModel> compile_e5(const E5File& file, const OpenVinoOptions& options) {
  return compile_transformer(E5Weights(file), options);
}

}  // namespace beleg

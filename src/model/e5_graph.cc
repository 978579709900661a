#include "model/e5_graph.h"

#include <cmath>
#include <cstring>
#include <openvino/op/ops.hpp>
#include <openvino/opsets/opset13.hpp>

#include "model/openvino_graph.h"

namespace beleg {
namespace {

namespace op = ov::opset13;
using Node = ov::Output<ov::Node>;

Node integers(const std::vector<std::int64_t>& values) {
  const ov::Shape shape = {values.size()};
  return op::Constant::create(ov::element::i64, shape, values);
}

/// Builds the transformer layer by layer from the weights of the file.
class GraphBuilder {
 public:
  explicit GraphBuilder(const E5File& file) : file_(file), shape_(file.shape()) {}

  Result<std::shared_ptr<ov::Model>> build() {
    auto input = std::make_shared<op::Parameter>(
        ov::element::f32, ov::PartialShape{-1, -1, static_cast<std::int64_t>(shape_.hidden)});
    input->output(0).set_names({"embeddings"});
    auto mask = std::make_shared<op::Parameter>(ov::element::f32, ov::PartialShape{-1, 1, 1, -1});
    mask->output(0).set_names({"mask"});
    mask_ = mask;
    Node x = TRY(layer_norm(input, "emb.ln"));
    for (std::uint32_t layer = 0; layer < shape_.layers; ++layer) {
      x = TRY(transformer_layer(x, "l" + std::to_string(layer) + "."));
    }
    return std::make_shared<ov::Model>(ov::OutputVector{x}, ov::ParameterVector{input, mask},
                                       "multilingual-e5-small");
  }

 private:
  Result<Node> vector(const std::string& name, std::size_t size) {
    const auto values = TRY(file_.floats(name, size));
    return Node(op::Constant::create(ov::element::f32, ov::Shape{size},
                                     std::vector<float>(values.begin(), values.end())));
  }

  /// x·Wᵀ + b for the rows of all `names`, one after the other. The weights stay at four bits in
  /// memory, bit for bit those of the file; the kernels widen them to floats block by block.
  Result<Node> linear(const Node& x, const std::vector<std::string>& names, std::size_t out,
                      std::size_t in) {
    const std::size_t rows = out * names.size();
    const std::size_t blocks = in / Q4Matrix::kBlockWeights;
    ov::Tensor weights(ov::element::i4, {rows, blocks, Q4Matrix::kBlockWeights});
    ov::Tensor scales(ov::element::f32, {rows, blocks, 1});
    ov::Tensor bias(ov::element::f32, {rows});
    auto* packed = static_cast<std::uint8_t*>(weights.data());
    for (std::size_t k = 0; k < names.size(); ++k) {
      const Q4Matrix matrix = TRY(file_.q4(names[k] + ".w", out, in));
      const std::size_t first = k * out * blocks;
      matrix.repack({packed + first * Q4Matrix::kBlockWeights / 2, matrix.packed_bytes()},
                    {scales.data<float>() + first, out * blocks});
      const auto values = TRY(file_.floats(names[k] + ".b", out));
      std::memcpy(bias.data<float>() + k * out, values.data(), out * sizeof(float));
    }
    const auto wide =
        std::make_shared<op::Convert>(std::make_shared<op::Constant>(weights), ov::element::f32);
    const auto scaled =
        std::make_shared<op::Multiply>(wide, std::make_shared<op::Constant>(scales));
    const auto matrix = std::make_shared<op::Reshape>(
        scaled, integers({static_cast<std::int64_t>(rows), static_cast<std::int64_t>(in)}), false);
    const auto product = std::make_shared<op::MatMul>(x, matrix, false, true);
    return Node(std::make_shared<op::Add>(product, std::make_shared<op::Constant>(bias)));
  }

  Result<Node> layer_norm(const Node& x, const std::string& name) {
    const Node weight = TRY(vector(name + ".w", shape_.hidden));
    const Node bias = TRY(vector(name + ".b", shape_.hidden));
    const auto normed = std::make_shared<op::MVN>(x, integers({-1}), true, shape_.epsilon,
                                                  ov::op::MVNEpsMode::INSIDE_SQRT);
    return Node(std::make_shared<op::Add>(std::make_shared<op::Multiply>(normed, weight), bias));
  }

  /// [batch, tokens, hidden] → [batch, heads, tokens, hidden / heads].
  Node split_heads(const Node& x) {
    const auto heads = static_cast<std::int64_t>(shape_.heads);
    const auto size = static_cast<std::int64_t>(shape_.hidden / shape_.heads);
    return std::make_shared<op::Transpose>(
        std::make_shared<op::Reshape>(x, integers({0, 0, heads, size}), true),
        integers({0, 2, 1, 3}));
  }

  Result<Node> transformer_layer(const Node& x, const std::string& prefix) {
    const std::size_t hidden = shape_.hidden;
    const Node projected =
        TRY(linear(x, {prefix + "q", prefix + "k", prefix + "v"}, hidden, hidden));
    const auto part = static_cast<std::int64_t>(hidden);
    const auto split = std::make_shared<op::VariadicSplit>(
        projected, op::Constant::create(ov::element::i64, {}, {-1}), integers({part, part, part}));
    const auto attended = std::make_shared<op::ScaledDotProductAttention>(
        split_heads(split->output(0)), split_heads(split->output(1)), split_heads(split->output(2)),
        mask_, false);
    const auto joined = std::make_shared<op::Reshape>(
        std::make_shared<op::Transpose>(attended, integers({0, 2, 1, 3})), integers({0, 0, part}),
        true);
    const Node output = TRY(linear(joined, {prefix + "ao"}, hidden, hidden));
    const Node middle = TRY(layer_norm(std::make_shared<op::Add>(output, x), prefix + "aln"));
    const Node wide = TRY(linear(middle, {prefix + "fi"}, shape_.feed_forward, hidden));
    const auto active = std::make_shared<op::Gelu>(wide, ov::op::GeluApproximationMode::ERF);
    const Node narrow = TRY(linear(active, {prefix + "fo"}, hidden, shape_.feed_forward));
    return layer_norm(std::make_shared<op::Add>(narrow, middle), prefix + "oln");
  }

  const E5File& file_;
  const E5Shape& shape_;
  Node mask_;
};

}  // namespace

Result<OpenVinoModel> compile_e5(const E5File& file, const OpenVinoOptions& options) {
  std::shared_ptr<ov::Model> graph;
  try {
    graph = TRY(GraphBuilder(file).build());
  } catch (const std::exception& exception) {
    return fail(ErrorCode::kInternal,
                std::string("cannot build the encoder's graph: ") + exception.what());
  }
  return compile_graph(graph, options);
}

}  // namespace beleg

#include "model/transformer_graph.h"

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

std::shared_ptr<op::Parameter> input(const std::string& name, const ov::element::Type& type,
                                     const ov::PartialShape& shape) {
  auto parameter = std::make_shared<op::Parameter>(type, shape);
  parameter->output(0).set_names({name});
  return parameter;
}

/// Builds the transformer layer by layer.
class GraphBuilder {
 public:
  explicit GraphBuilder(const TransformerWeights& weights)
      : weights_(weights), shape_(weights.shape()) {}

  Result<std::shared_ptr<ov::Model>> build() {
    const auto hidden = static_cast<std::int64_t>(shape_.hidden);
    const auto embeddings = input("embeddings", ov::element::f32, {-1, hidden});
    const auto rows = input("rows", ov::element::i32, {-1, -1});
    const auto places = input("places", ov::element::i32, {-1});
    const auto mask = input("mask", ov::element::f32, {-1, 1, 1, -1});
    rows_ = rows;
    places_ = places;
    mask_ = mask;
    Node x = TRY(layer_norm(embeddings, "emb.ln"));
    for (std::uint32_t layer = 0; layer < shape_.layers; ++layer) {
      x = TRY(transformer_layer(x, "l" + std::to_string(layer) + "."));
    }
    return std::make_shared<ov::Model>(
        ov::OutputVector{x}, ov::ParameterVector{embeddings, rows, places, mask}, "encoder");
  }

 private:
  Result<Node> vector(const std::string& name, std::string_view part, std::size_t size) {
    return Node(op::Constant::create(ov::element::f32, ov::Shape{size},
                                     TRY(weights_.vector(name, part, size))));
  }

  /// x·Wᵀ + b for the rows of all `names`, one after the other.
  Result<Node> linear(const Node& x, const std::vector<std::string>& names, std::size_t out,
                      std::size_t in) {
    const Node matrix = TRY(weights_.matrix(names, out, in));
    std::vector<float> bias;
    for (const std::string& name : names) {
      const std::vector<float> part = TRY(weights_.vector(name, "b", out));
      bias.insert(bias.end(), part.begin(), part.end());
    }
    const auto product = std::make_shared<op::MatMul>(x, matrix, false, true);
    return Node(std::make_shared<op::Add>(
        product, op::Constant::create(ov::element::f32, ov::Shape{bias.size()}, bias)));
  }

  Result<Node> layer_norm(const Node& x, const std::string& name) {
    const Node gain = TRY(vector(name, "w", shape_.hidden));
    const Node bias = TRY(vector(name, "b", shape_.hidden));
    const auto normed = std::make_shared<op::MVN>(x, integers({-1}), true, shape_.epsilon,
                                                  ov::op::MVNEpsMode::INSIDE_SQRT);
    return Node(std::make_shared<op::Add>(std::make_shared<op::Multiply>(normed, gain), bias));
  }

  /// [sequences, length, hidden] → [sequences, heads, length, hidden / heads].
  Node split_heads(const Node& x) {
    const auto heads = static_cast<std::int64_t>(shape_.heads);
    const auto size = static_cast<std::int64_t>(shape_.hidden / shape_.heads);
    return std::make_shared<op::Transpose>(
        std::make_shared<op::Reshape>(x, integers({0, 0, heads, size}), true),
        integers({0, 2, 1, 3}));
  }

  /// Attention within each sequence, for tokens that lie one after the other.
  Result<Node> attention(const Node& x, const std::string& prefix) {
    const std::size_t hidden = shape_.hidden;
    const Node projected =
        TRY(linear(x, {prefix + "q", prefix + "k", prefix + "v"}, hidden, hidden));
    const Node axis = op::Constant::create(ov::element::i64, {}, {0});
    const auto padded = std::make_shared<op::Gather>(projected, rows_, axis);
    const auto part = static_cast<std::int64_t>(hidden);
    const auto split = std::make_shared<op::VariadicSplit>(
        padded, op::Constant::create(ov::element::i64, {}, {-1}), integers({part, part, part}));
    const auto attended = std::make_shared<op::ScaledDotProductAttention>(
        split_heads(split->output(0)), split_heads(split->output(1)), split_heads(split->output(2)),
        mask_, false);
    const auto joined = std::make_shared<op::Reshape>(
        std::make_shared<op::Transpose>(attended, integers({0, 2, 1, 3})), integers({-1, part}),
        false);
    return Node(std::make_shared<op::Gather>(joined, places_, axis));
  }

  Result<Node> transformer_layer(const Node& x, const std::string& prefix) {
    const std::size_t hidden = shape_.hidden;
    const Node attended = TRY(attention(x, prefix));
    const Node output = TRY(linear(attended, {prefix + "ao"}, hidden, hidden));
    const Node middle = TRY(layer_norm(std::make_shared<op::Add>(output, x), prefix + "aln"));
    const Node wide = TRY(linear(middle, {prefix + "fi"}, shape_.feed_forward, hidden));
    const auto active = std::make_shared<op::Gelu>(wide, ov::op::GeluApproximationMode::ERF);
    const Node narrow = TRY(linear(active, {prefix + "fo"}, hidden, shape_.feed_forward));
    return layer_norm(std::make_shared<op::Add>(narrow, middle), prefix + "oln");
  }

  const TransformerWeights& weights_;
  const TransformerShape& shape_;
  Node rows_;
  Node places_;
  Node mask_;
};

}  // namespace

Result<OpenVinoModel> compile_transformer(const TransformerWeights& weights,
                                          const OpenVinoOptions& options) {
  std::shared_ptr<ov::Model> graph;
  try {
    graph = TRY(GraphBuilder(weights).build());
  } catch (const std::exception& exception) {
    return fail(ErrorCode::kInternal,
                std::string("cannot build the encoder's graph: ") + exception.what());
  }
  return compile_graph(graph, options);
}

}  // namespace beleg

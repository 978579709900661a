#include "model/dequantize.h"

#include <openvino/openvino.hpp>
#include <openvino/opsets/opset8.hpp>
#include <optional>
#include <vector>

namespace beleg {
namespace {

namespace op = ov::opset8;

template <class Op>
std::shared_ptr<Op> source(const ov::Output<ov::Node>& output) {
  return ov::as_type_ptr<Op>(output.get_node_shared_ptr());
}

/// The value before a chain of type conversions.
ov::Output<ov::Node> skip_converts(ov::Output<ov::Node> value) {
  while (const auto convert = source<op::Convert>(value)) value = convert->input_value(0);
  return value;
}

/// What the quantised side of a product was made from.
struct Activation {
  ov::Output<ov::Node> value;  // The floats before quantisation.
  ov::Output<ov::Node> span;   // Their range; the scale is range / 255.
};

/// Matches (quantised − zero point), where quantised is
/// Convert(Clamp(Round(value · 255 / span) + zero point)).
std::optional<Activation> match_activation(const ov::Output<ov::Node>& side) {
  const auto centred = source<op::Subtract>(side);
  if (!centred) return std::nullopt;
  const auto clamp = source<op::Clamp>(skip_converts(centred->input_value(0)));
  if (!clamp) return std::nullopt;
  const auto shifted = source<op::Add>(clamp->input_value(0));
  if (!shifted) return std::nullopt;
  const auto rounded = source<op::Round>(shifted->input_value(0));
  if (!rounded) return std::nullopt;
  const auto scaled = source<op::Divide>(rounded->input_value(0));
  if (!scaled) return std::nullopt;
  const auto product = source<op::Multiply>(scaled->input_value(0));
  if (!product) return std::nullopt;
  if (product->get_input_element_type(0) != ov::element::f32) return std::nullopt;
  return Activation{product->input_value(0), scaled->input_value(1)};
}

/// The weights as floats, less their zero point, which is one number or one per column.
std::shared_ptr<op::Constant> match_weights(const ov::Output<ov::Node>& side) {
  std::vector<float> zero_points = {0.0F};
  ov::Output<ov::Node> value = side;
  if (const auto centred = source<op::Subtract>(side)) {
    const auto zero = source<op::Constant>(skip_converts(centred->input_value(1)));
    if (!zero) return nullptr;
    zero_points = zero->cast_vector<float>();
    value = centred->input_value(0);
  }
  const auto stored = source<op::Constant>(skip_converts(value));
  if (!stored || stored->get_shape().size() < 2) return nullptr;
  const std::size_t columns = stored->get_shape().back();
  if (zero_points.size() != 1 && zero_points.size() != columns) return nullptr;
  std::vector<float> weights = stored->cast_vector<float>();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    weights[i] -= zero_points.size() == 1 ? zero_points[0] : zero_points[i % columns];
  }
  return op::Constant::create(ov::element::f32, stored->get_shape(), weights);
}

/// Of a scale "span / 255 · weight scale", the weight scale; an empty output for anything else.
ov::Output<ov::Node> match_weight_scale(const ov::Output<ov::Node>& scale,
                                        const ov::Output<ov::Node>& span) {
  const auto product = source<op::Multiply>(scale);
  if (!product) return {};
  for (const std::size_t side : {0U, 1U}) {
    const auto activation_scale = source<op::Divide>(product->input_value(side));
    if (activation_scale && activation_scale->input_value(0) == span) {
      return product->input_value(1 - side);
    }
  }
  return {};
}

/// Replaces Multiply(Convert(product), scale) wherever the integer product is used. All uses are
/// matched before the first is changed.
bool rewrite(const std::shared_ptr<op::MatMul>& product) {
  const auto activation = match_activation(product->input_value(0));
  if (!activation) return false;
  struct Use {
    std::shared_ptr<ov::Node> multiply;
    ov::Output<ov::Node> weight_scale;
  };
  std::vector<Use> uses;
  for (const auto& target : product->output(0).get_target_inputs()) {
    const auto* convert = ov::as_type<op::Convert>(target.get_node());
    if (convert == nullptr || convert->get_element_type() != ov::element::f32) return false;
    for (const auto& next : convert->output(0).get_target_inputs()) {
      auto* multiply = ov::as_type<op::Multiply>(next.get_node());
      if (multiply == nullptr) return false;
      const auto weight_scale =
          match_weight_scale(multiply->input_value(1 - next.get_index()), activation->span);
      if (weight_scale.get_node() == nullptr) return false;
      uses.push_back({multiply->shared_from_this(), weight_scale});
    }
  }
  const auto weights = match_weights(product->input_value(1));
  if (!weights || uses.empty()) return false;
  const auto exact = std::make_shared<op::MatMul>(
      activation->value, weights, product->get_transpose_a(), product->get_transpose_b());
  for (const Use& use : uses) {
    const auto scaled = std::make_shared<op::Multiply>(exact, use.weight_scale);
    scaled->set_friendly_name(use.multiply->get_friendly_name());
    ov::replace_node(use.multiply, scaled);
  }
  return true;
}

}  // namespace

std::size_t remove_dynamic_quantization(const std::shared_ptr<ov::Model>& graph) {
  std::size_t rewritten = 0;
  for (const auto& node : graph->get_ordered_ops()) {
    const auto product = ov::as_type_ptr<op::MatMul>(node);
    if (product && product->get_output_element_type(0) == ov::element::i32 && rewrite(product)) {
      ++rewritten;
    }
  }
  if (rewritten > 0) graph->validate_nodes_and_infer_types();
  return rewritten;
}

}  // namespace beleg

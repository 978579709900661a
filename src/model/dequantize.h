#pragma once

#include <cstddef>
#include <memory>

namespace ov {
class Model;
}

namespace beleg {

/// Takes the dynamic quantisation of activations out of a graph that was read from ONNX
/// (DynamicQuantizeLinear → MatMulInteger → scale becomes MatMul with the weights as floats), and
/// returns how many products were rewritten. Why: that quantisation takes its range from the whole
/// batch, so that a result would depend on what else is in it; on processors without VNNI its
/// products can saturate; and OpenVINO runs it at half the speed of floats. What the pattern does
/// not match stays as it is. Throws what OpenVINO throws.
std::size_t remove_dynamic_quantization(const std::shared_ptr<ov::Model>& graph);

}  // namespace beleg

#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/result.h"

namespace beleg {

/// A tensor that lies in an ONNX file. The view dies with the file.
struct OnnxTensor {
  std::vector<std::uint64_t> shape;
  std::int64_t type = 0;             ///< TensorProto.DataType: 1 is 32-bit floats, 7 integers.
  std::span<const std::byte> bytes;  ///< `raw_data`, little-endian; need not be aligned.
  std::vector<float> listed;         ///< `float_data`; a file has one of the two.

  [[nodiscard]] std::uint64_t elements() const;  ///< The product of the shape.
  /// True for 32-bit floats, as many as the shape says.
  [[nodiscard]] bool holds_floats() const;
  /// Copies out.size() floats from number `first` on. Requires holds_floats() and the range to lie
  /// within elements().
  void copy_floats(std::size_t first, std::span<float> out) const;
};

/// One operation of a graph.
struct OnnxNode {
  std::string_view type;
  std::vector<std::string_view> inputs;
  std::vector<std::string_view> outputs;
};

/// A memory-mapped ONNX file (a protocol-buffers message, onnx.proto3): the weights, in place, and
/// the operations of its main graph. Every length in it is checked; a damaged file is kCorrupt,
/// never undefined behaviour. Views die with the file. Immutable, thread-safe.
class OnnxFile {
 public:
  /// Errors: kNotFound, kIo, kCorrupt; kUnsupported for weights in a second file.
  static Result<OnnxFile> open(const std::filesystem::path& path);

  [[nodiscard]] const std::vector<OnnxNode>& nodes() const { return nodes_; }
  /// Weights, and the values of nodes of type Constant, by the name they are used under.
  [[nodiscard]] const std::map<std::string_view, OnnxTensor>& tensors() const { return tensors_; }
  /// The tensor of that name, or null.
  [[nodiscard]] const OnnxTensor* find(std::string_view name) const;

 private:
  class Parser;
  MappedFile file_;
  std::vector<OnnxNode> nodes_;
  std::map<std::string_view, OnnxTensor> tensors_;
};

}  // namespace beleg

#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "base/result.h"
#include "model/onnx_file.h"
#include "model/transformer_weights.h"

namespace beleg {

/// The three tables whose rows are added up for a token.
struct BertTables {
  const OnnxTensor* words = nullptr;      ///< vocabulary × hidden.
  const OnnxTensor* positions = nullptr;  ///< positions × hidden.
  const OnnxTensor* types = nullptr;      ///< token types × hidden.
};

/// The weights of a BERT encoder, found in an ONNX file by the names that its authors gave them
/// ("encoder.layer.0.attention.self.query.bias", with any prefix); matrices, which exporters
/// rename, by the operation that uses them. 32-bit floats only. Immutable.
class BertWeights final : public TransformerWeights {
 public:
  /// `folder` may hold a config.json, which says what the graph does not show. Errors:
  /// kUnsupported naming what is missing or different from BERT; kCorrupt for shapes that do not
  /// fit.
  static Result<BertWeights> find(std::shared_ptr<const OnnxFile> file,
                                  const std::filesystem::path& folder, Arithmetic arithmetic);

  [[nodiscard]] const BertTables& tables() const { return tables_; }
  [[nodiscard]] const TransformerShape& shape() const override { return shape_; }
  Result<std::vector<float>> vector(std::string_view name, std::string_view part,
                                    std::size_t size) const override;
  Result<WeightMatrix> matrix(std::span<const std::string> names, std::size_t out,
                              std::size_t in) const override;

 private:
  class Finder;
  BertWeights(std::shared_ptr<const OnnxFile> file, Arithmetic arithmetic)
      : file_(std::move(file)), arithmetic_(arithmetic) {}

  std::shared_ptr<const OnnxFile> file_;
  Arithmetic arithmetic_;
  std::string prefix_;
  BertTables tables_;
  TransformerShape shape_;
  std::map<std::string_view, const OnnxTensor*> matrix_of_bias_;  // By the name of the bias.
};

}  // namespace beleg

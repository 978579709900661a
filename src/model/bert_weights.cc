#include "model/bert_weights.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/file.h"

namespace beleg {
namespace {

constexpr std::string_view kWordTable = "embeddings.word_embeddings.weight";
constexpr std::uint64_t kMaxDimension = 1U << 16U;
constexpr std::uint64_t kMaxVocabulary = 1U << 24U;
constexpr std::uint32_t kMaxLayers = 256;
constexpr std::uint64_t kMaxConfigBytes = 1U << 20U;

std::unexpected<Error> unsuitable(const std::string& what) {
  return fail(ErrorCode::kUnsupported, "it is no BERT encoder as this program can run it: " + what,
              "export a BERT model in 32-bit floats, with its weights under their own names");
}

/// "l3.ao" → "encoder.layer.3.attention.output.dense".
std::string bert_name(std::string_view name) {
  if (name == "emb.ln") return "embeddings.LayerNorm";
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kParts = {
      {{"q", "attention.self.query"},
       {"k", "attention.self.key"},
       {"v", "attention.self.value"},
       {"ao", "attention.output.dense"},
       {"aln", "attention.output.LayerNorm"},
       {"fi", "intermediate.dense"},
       {"fo", "output.dense"},
       {"oln", "output.LayerNorm"}}};
  const std::size_t point = name.find('.');
  const auto part = std::ranges::find(kParts, name.substr(point + 1),
                                      [](const auto& entry) { return entry.first; });
  return "encoder.layer." + std::string(name.substr(1, point - 1)) + "." +
         std::string(part == kParts.end() ? name : part->second);
}

/// The only value of a tensor of floats.
std::optional<float> scalar(const OnnxTensor* tensor) {
  if (tensor == nullptr || !tensor->holds_floats() || tensor->elements() != 1) return std::nullopt;
  float value = 0;
  tensor->copy_floats(0, {&value, 1});
  return value;
}

bool is_matrix(const OnnxTensor* tensor) {
  return tensor != nullptr && tensor->holds_floats() && tensor->shape.size() == 2;
}

}  // namespace

/// Looks at the operations for what the names of the weights do not tell.
class BertWeights::Finder {
 public:
  Finder(BertWeights& weights, const std::filesystem::path& folder)
      : weights_(weights), file_(*weights.file_), folder_(folder) {
    for (const OnnxNode& node : file_.nodes()) {
      for (const std::string_view output : node.outputs) producers_.emplace(output, &node);
    }
  }

  Result<void> find() {
    TRY(find_tables());
    find_matrices();
    TRY(read_config());
    TRY(find_sizes());
    TRY(find_epsilon());
    return check_activation();
  }

 private:
  [[nodiscard]] const OnnxNode* producer(std::string_view name, std::string_view type) const {
    const auto found = producers_.find(name);
    return found != producers_.end() && found->second->type == type ? found->second : nullptr;
  }

  Result<void> find_tables() {
    BertTables& tables = weights_.tables_;
    for (const auto& [name, tensor] : file_.tensors()) {
      if (!name.ends_with(kWordTable)) continue;
      weights_.prefix_ = name.substr(0, name.size() - kWordTable.size());
      tables.words = &tensor;
    }
    tables.positions = file_.find(weights_.prefix_ + "embeddings.position_embeddings.weight");
    tables.types = file_.find(weights_.prefix_ + "embeddings.token_type_embeddings.weight");
    for (const OnnxTensor* table : {tables.words, tables.positions, tables.types}) {
      if (!is_matrix(table)) return unsuitable("it lacks a table of embeddings");
      if (table->shape[1] != tables.words->shape[1]) {
        return fail(ErrorCode::kCorrupt, "its tables of embeddings differ in width");
      }
    }
    // RoBERTa has the same names, one token type, and counts positions from 2.
    if (tables.types->shape[0] < 2) return unsuitable("it has one token type, as RoBERTa");
    return {};
  }

  /// Each bias is added to the product with its matrix.
  void find_matrices() {
    for (const OnnxNode& node : file_.nodes()) {
      if (node.type != "Add" || node.inputs.size() != 2) continue;
      for (const std::size_t bias : {0U, 1U}) {
        if (!node.inputs[bias].ends_with(".bias")) continue;
        const OnnxNode* product = producer(node.inputs[1 - bias], "MatMul");
        if (product == nullptr || product->inputs.size() != 2) continue;
        const OnnxTensor* matrix = file_.find(product->inputs[1]);
        if (is_matrix(matrix)) weights_.matrix_of_bias_.emplace(node.inputs[bias], matrix);
      }
    }
  }

  Result<void> read_config() {
    const auto text = read_file(folder_ / "config.json", kMaxConfigBytes);
    if (!text) {
      if (text.error().code == ErrorCode::kNotFound) return {};
      return std::unexpected(text.error());
    }
    const nlohmann::json config = nlohmann::json::parse(*text, nullptr, false);
    if (!config.is_object()) return fail(ErrorCode::kCorrupt, "config.json is not a JSON object");
    if (const auto heads = config.find("num_attention_heads");
        heads != config.end() && heads->is_number_unsigned()) {
      heads_ = heads->get<std::uint64_t>();
    }
    if (const auto epsilon = config.find("layer_norm_eps");
        epsilon != config.end() && epsilon->is_number()) {
      epsilon_ = epsilon->get<float>();
    }
    return {};
  }

  /// Scores are divided by the root of a head's size before the softmax (Vaswani et al. 2017).
  [[nodiscard]] std::optional<std::uint64_t> head_size() const {
    for (const OnnxNode& node : file_.nodes()) {
      if (node.type != "Softmax" || node.inputs.empty()) continue;
      std::vector<std::string_view> before = {node.inputs[0]};
      if (const OnnxNode* sum = producer(node.inputs[0], "Add")) before = sum->inputs;
      for (const std::string_view name : before) {
        const OnnxNode* quotient = producer(name, "Div");
        if (quotient == nullptr || quotient->inputs.size() != 2) continue;
        const auto root = scalar(file_.find(quotient->inputs[1]));
        if (root && *root >= 1.0F && *root <= 256.0F) {
          return static_cast<std::uint64_t>(std::lround(*root * *root));
        }
      }
    }
    return std::nullopt;
  }

  Result<void> find_sizes() {
    const std::uint64_t hidden = weights_.tables_.words->shape[1];
    if (const auto size = head_size()) heads_ = hidden / std::max<std::uint64_t>(1, *size);
    if (!heads_)
      return unsuitable("neither its graph nor a config.json says how many heads it has");
    std::uint32_t layers = 0;
    std::uint64_t feed_forward = 0;
    for (; layers < kMaxLayers; ++layers) {
      const std::string name = "l" + std::to_string(layers) + ".fi";
      const OnnxTensor* bias = file_.find(weights_.prefix_ + bert_name(name) + ".bias");
      if (bias == nullptr) break;
      feed_forward = bias->elements();
    }
    if (layers == 0) return unsuitable("it has no layers");
    if (hidden < 1 || hidden > kMaxDimension || feed_forward < 1 || feed_forward > kMaxDimension ||
        *heads_ < 1 || hidden % *heads_ != 0 || weights_.tables_.words->shape[0] > kMaxVocabulary) {
      return fail(ErrorCode::kCorrupt, "hidden, feed-forward and head sizes do not fit");
    }
    weights_.shape_ = {.hidden = static_cast<std::uint32_t>(hidden),
                       .layers = layers,
                       .heads = static_cast<std::uint32_t>(*heads_),
                       .feed_forward = static_cast<std::uint32_t>(feed_forward),
                       .epsilon = 0};
    return {};
  }

  /// Layer norms take the root of variance plus epsilon.
  Result<void> find_epsilon() {
    for (const OnnxNode& node : file_.nodes()) {
      if (node.type != "Sqrt" || node.inputs.size() != 1) continue;
      const OnnxNode* sum = producer(node.inputs[0], "Add");
      if (sum == nullptr) continue;
      for (const std::string_view name : sum->inputs) {
        if (const auto value = scalar(file_.find(name))) epsilon_ = value;
      }
    }
    if (!epsilon_)
      return unsuitable("neither its graph nor a config.json names its layer_norm_eps");
    if (!(*epsilon_ > 0.0F && *epsilon_ < 1.0F)) {
      return fail(ErrorCode::kCorrupt, "the epsilon of its layer norms is out of range");
    }
    weights_.shape_.epsilon = *epsilon_;
    return {};
  }

  Result<void> check_activation() {
    const bool exact = std::ranges::any_of(file_.nodes(), [](const OnnxNode& node) {
      return node.type == "Erf" || node.type == "Gelu";
    });
    if (!exact) return unsuitable("its activation is not the exact GELU");
    return {};
  }

  BertWeights& weights_;
  const OnnxFile& file_;
  const std::filesystem::path& folder_;
  std::map<std::string_view, const OnnxNode*> producers_;
  std::optional<std::uint64_t> heads_;
  std::optional<float> epsilon_;
};

Result<BertWeights> BertWeights::find(std::shared_ptr<const OnnxFile> file,
                                      const std::filesystem::path& folder, Arithmetic arithmetic) {
  BertWeights weights(std::move(file), arithmetic);
  TRY(Finder(weights, folder).find());
  return weights;
}

Result<std::vector<float>> BertWeights::vector(std::string_view name, std::string_view part,
                                               std::size_t size) const {
  const std::string full = prefix_ + bert_name(name) + (part == "w" ? ".weight" : ".bias");
  const OnnxTensor* tensor = file_->find(full);
  if (tensor == nullptr) return unsuitable("it lacks '" + full + "'");
  if (!tensor->holds_floats() || tensor->elements() != size) {
    return fail(ErrorCode::kCorrupt,
                "'" + full + "' does not hold " + std::to_string(size) + " floats");
  }
  std::vector<float> values(size);
  tensor->copy_floats(0, values);
  return values;
}

Result<WeightMatrix> BertWeights::matrix(std::span<const std::string> names, std::size_t out,
                                         std::size_t in) const {
  const bool floats = arithmetic_ == Arithmetic::kFloats || in % kBlockInputs != 0;
  WeightMatrix weights = floats ? WeightMatrix::of_floats(out * names.size(), in)
                                : WeightMatrix::of_eight_bits(out * names.size(), in);
  const std::size_t together = floats ? 1 : kBlockInputs;  // Rows of the file, one an input.
  std::vector<float> rows(out * together);
  for (std::size_t k = 0; k < names.size(); ++k) {
    const std::string bias = prefix_ + bert_name(names[k]) + ".bias";
    const auto found = matrix_of_bias_.find(bias);
    if (found == matrix_of_bias_.end()) {
      return unsuitable("there is no product of floats that '" + bias + "' is added to");
    }
    const OnnxTensor& matrix = *found->second;
    if (matrix.shape[0] != in || matrix.shape[1] != out) {
      return fail(ErrorCode::kCorrupt, "the matrix of '" + bias + "' has another shape than " +
                                           std::to_string(in) + " × " + std::to_string(out));
    }
    for (std::size_t i = 0; i < in; i += together) {
      matrix.copy_floats(i * out, rows);
      if (floats) {
        weights.set_input(i, k * out, rows);
      } else {
        weights.set_block(i / kBlockInputs, k * out, rows);
      }
    }
  }
  return weights;
}

}  // namespace beleg

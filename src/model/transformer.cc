#include "model/transformer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <optional>

#include "model/worker_pool.h"

namespace beleg {
namespace {

std::size_t round_up(std::size_t value) {
  return (value + kPanelColumns - 1) / kPanelColumns * kPanelColumns;
}

/// Rows of activations, each padded to whole panels.
struct Rows {
  AlignedFloats values;
  std::size_t stride = 0;

  Rows(std::size_t rows, std::size_t columns)
      : values(rows * round_up(columns)), stride(round_up(columns)) {}
  float* row(std::size_t number) { return values.data() + number * stride; }
  [[nodiscard]] const float* row(std::size_t number) const {
    return values.data() + number * stride;
  }
};

/// Room for the bytes of rows of activations, of one product after the other.
class QuantisedRows {
 public:
  QuantisedRows(std::size_t rows, std::size_t columns)
      : values_(rows * columns),
        scales_(rows * columns / kBlockInputs),
        offsets_(rows * columns / kBlockInputs) {}

  void read(const Rows& rows, std::size_t count, const WeightMatrix& weights,
            const TransformerKernels& kernels) {
    columns_ = weights.inputs();
    const std::size_t blocks = columns_ / kBlockInputs;
    for (std::size_t r = 0; r < count; ++r) {
      kernels.quantise(rows.row(r), blocks, weights.zero_point(), values_.data() + r * columns_,
                       scales_.data() + r * blocks, offsets_.data() + r * blocks);
    }
  }

  /// The rows from one input on, a multiple of kBlockInputs.
  [[nodiscard]] ByteRows from(std::size_t input) const {
    const std::size_t block = input / kBlockInputs;
    return {.values = values_.data() + input,
            .stride = columns_,
            .scales = scales_.data() + block,
            .offsets = offsets_.data() + block,
            .block_stride = columns_ / kBlockInputs};
  }

 private:
  std::size_t columns_ = 0;
  std::vector<std::int8_t> values_;
  std::vector<float> scales_;
  std::vector<std::int32_t> offsets_;
};

}  // namespace

/// Reads weights by the names of TransformerWeights.
struct Transformer::Reader {
  const TransformerWeights& weights;

  Result<AlignedFloats> padded(const std::vector<std::string>& names, std::string_view part,
                               std::size_t size) const {
    AlignedFloats values(round_up(names.size() * size));
    auto to = values.values().begin();
    for (const std::string& name : names) {
      to = std::ranges::copy(TRY(weights.vector(name, part, size)), to).out;
    }
    return values;
  }

  Result<Product> product(const std::vector<std::string>& names, std::size_t out,
                          std::size_t in) const {
    WeightMatrix matrix = TRY(weights.matrix(names, out, in));
    return Product{std::move(matrix), TRY(padded(names, "b", out))};
  }

  Result<Norm> norm(const std::string& name) const {
    const std::size_t hidden = weights.shape().hidden;
    AlignedFloats gain = TRY(padded({name}, "w", hidden));
    return Norm{std::move(gain), TRY(padded({name}, "b", hidden))};
  }

  Result<Layer> layer(std::size_t number) const {
    const std::string prefix = "l" + std::to_string(number) + ".";
    const std::size_t hidden = weights.shape().hidden;
    const std::size_t wide = weights.shape().feed_forward;
    Product attention_in = TRY(product({prefix + "q", prefix + "k", prefix + "v"}, hidden, hidden));
    Product attention_out = TRY(product({prefix + "ao"}, hidden, hidden));
    Norm attention_norm = TRY(norm(prefix + "aln"));
    Product feed_forward_in = TRY(product({prefix + "fi"}, wide, hidden));
    Product feed_forward_out = TRY(product({prefix + "fo"}, hidden, wide));
    return Layer{std::move(attention_in),     std::move(attention_out),
                 std::move(attention_norm),   std::move(feed_forward_in),
                 std::move(feed_forward_out), TRY(norm(prefix + "oln"))};
  }
};

Result<Transformer> Transformer::create(const TransformerWeights& weights, std::size_t threads) {
  Transformer network(weights.shape());
  const Reader reader{weights};
  network.embedding_norm_ = TRY(reader.norm("emb.ln"));
  std::vector<std::optional<Result<Layer>>> layers(network.shape_.layers);
  run_in_parallel(layers.size(), threads, [&](std::size_t i) { layers[i] = reader.layer(i); });
  network.layers_.reserve(layers.size());
  for (std::optional<Result<Layer>>& layer : layers) {
    if (!layer) return fail(ErrorCode::kInternal, "a layer of the network was not read");
    network.layers_.push_back(TRY(*std::move(layer)));
  }
  return network;
}

/// One run: the activations of some sequences on their way through the layers.
class Transformer::Pass {
 public:
  Pass(const Transformer& network, const TransformerKernels& kernels,
       std::span<const std::size_t> lengths, std::size_t tokens)
      : shape_(network.shape_),
        kernels_(kernels),
        lengths_(lengths),
        tokens_(tokens),
        states_(tokens, shape_.hidden),
        projected_(tokens, std::size_t{3} * shape_.hidden),
        attended_(tokens, head_size() * (shape_.heads - 1) + round_up(head_size())),
        mixed_(tokens, shape_.hidden),
        wide_(tokens, shape_.feed_forward),
        bytes_(tokens, std::max(shape_.hidden, shape_.feed_forward)),
        scratch_(WeightMatrix::kPartInputs * kPanelColumns),
        zeros_(round_up(std::max<std::size_t>(shape_.hidden, kPanelColumns))) {
    const std::size_t longest = *std::ranges::max_element(lengths);
    scores_ = AlignedFloats(longest * round_up(longest));
    head_ = AlignedFloats(std::max(longest, head_size()) * kPanelColumns);
  }

  void read(std::span<const float> embeddings, const Norm& norm) {
    const std::size_t hidden = shape_.hidden;
    for (std::size_t t = 0; t < tokens_; ++t) {
      std::ranges::copy(embeddings.subspan(t * hidden, hidden), states_.row(t));
      kernels_.add_and_norm(states_.row(t), zeros_.data(), norm.gain.data(), norm.bias.data(),
                            hidden, shape_.epsilon);
    }
  }

  void run(const Layer& layer) {
    multiply(layer.attention_in, states_, projected_);
    std::size_t first = 0;
    for (const std::size_t length : lengths_) {
      for (std::size_t head = 0; head < shape_.heads; ++head) attend(first, length, head);
      first += length;
    }
    multiply(layer.attention_out, attended_, mixed_);
    norm(mixed_, states_, layer.attention_norm);
    multiply(layer.feed_forward_in, mixed_, wide_);
    kernels_.gelu(wide_.values.data(), wide_.values.size());
    multiply(layer.feed_forward_out, wide_, states_);
    norm(states_, mixed_, layer.output_norm);
  }

  void write(std::span<float> out) {
    const std::size_t hidden = shape_.hidden;
    for (std::size_t t = 0; t < tokens_; ++t) {
      std::copy_n(states_.row(t), hidden, out.begin() + static_cast<std::ptrdiff_t>(t * hidden));
    }
  }

 private:
  [[nodiscard]] std::size_t head_size() const { return shape_.hidden / shape_.heads; }

  void multiply(const Product& product, Rows& from, Rows& to) {
    const WeightMatrix& weights = product.weights;
    if (weights.kind() != WeightMatrix::Kind::kFloats) {
      bytes_.read(from, tokens_, weights, kernels_);
      multiply_bytes(product, to);
      return;
    }
    for (std::size_t p = 0; p < weights.panels(); ++p) {
      kernels_.multiply(from.values.data(), from.stride, tokens_, weights.inputs(),
                        weights.floats(p), product.bias.data() + p * kPanelColumns,
                        to.values.data() + p * kPanelColumns, to.stride);
    }
  }

  /// The product with what bytes_ has read.
  void multiply_bytes(const Product& product, Rows& to) {
    const WeightMatrix& weights = product.weights;
    const auto multiply = weights.kind() == WeightMatrix::Kind::kFourBits
                              ? kernels_.multiply_nibbles
                              : kernels_.multiply_bytes;
    for (std::size_t p = 0; p < weights.panels(); ++p) {
      const float* bias = product.bias.data() + p * kPanelColumns;
      for (std::size_t first = 0; first < weights.inputs(); bias = nullptr) {
        const std::size_t count = std::min(WeightMatrix::kPartInputs, weights.inputs() - first);
        multiply(bytes_.from(first), tokens_, count / kBlockInputs,
                 weights.bytes(p, first, kernels_, scratch_), bias,
                 to.values.data() + p * kPanelColumns, to.stride);
        first += count;
      }
    }
  }

  void norm(Rows& rows, Rows& residual, const Norm& norm) {
    for (std::size_t t = 0; t < tokens_; ++t) {
      kernels_.add_and_norm(rows.row(t), residual.row(t), norm.gain.data(), norm.bias.data(),
                            shape_.hidden, shape_.epsilon);
    }
  }

  /// Scaled dot-product attention of one head among the tokens of one sequence. Writes whole
  /// panels: what is written behind this head's columns, the next head writes over.
  void attend(std::size_t first, std::size_t length, std::size_t head) {
    const std::size_t size = head_size();
    const std::size_t hidden = shape_.hidden;
    const float* queries = projected_.row(first) + head * size;
    const float* keys = queries + hidden;
    const float* values = keys + hidden;
    const std::size_t stride = projected_.stride;
    const std::size_t score_stride = round_up(length);
    for (std::size_t key = 0; key < length; key += kPanelColumns) {
      const std::size_t count = std::min(kPanelColumns, length - key);
      std::ranges::fill(head_.values().first(size * kPanelColumns), 0.0F);
      for (std::size_t k = 0; k < count; ++k) {
        const float* from = keys + (key + k) * stride;
        for (std::size_t d = 0; d < size; ++d) head_.data()[d * kPanelColumns + k] = from[d];
      }
      kernels_.multiply(queries, stride, length, size, head_.data(), zeros_.data(),
                        scores_.data() + key, score_stride);
    }
    const float scale = 1.0F / std::sqrt(static_cast<float>(size));
    for (std::size_t t = 0; t < length; ++t) {
      kernels_.softmax(scores_.data() + t * score_stride, length, scale);
    }
    for (std::size_t column = 0; column < size; column += kPanelColumns) {
      const std::size_t count = std::min(kPanelColumns, size - column);
      for (std::size_t t = 0; t < length; ++t) {
        float* to = head_.data() + t * kPanelColumns;
        std::copy_n(values + t * stride + column, count, to);
        std::fill(to + count, to + kPanelColumns, 0.0F);
      }
      kernels_.multiply(scores_.data(), score_stride, length, length, head_.data(), zeros_.data(),
                        attended_.row(first) + head * size + column, attended_.stride);
    }
  }

  const TransformerShape& shape_;
  const TransformerKernels& kernels_;
  std::span<const std::size_t> lengths_;
  std::size_t tokens_;
  Rows states_;
  Rows projected_;
  Rows attended_;
  Rows mixed_;
  Rows wide_;
  QuantisedRows bytes_;
  std::vector<std::uint8_t> scratch_;  // Unpacked weights.
  AlignedFloats zeros_;
  AlignedFloats scores_;  // length × length of one head.
  AlignedFloats head_;    // A panel of keys or values.
};

std::vector<float> Transformer::run(std::span<const float> embeddings,
                                    std::span<const std::size_t> lengths,
                                    const TransformerKernels& kernels) const {
  const std::size_t tokens = embeddings.size() / shape_.hidden;
  std::vector<float> states(embeddings.size());
  if (tokens == 0) return states;
  Pass pass(*this, kernels, lengths, tokens);
  pass.read(embeddings, embedding_norm_);
  for (const Layer& layer : layers_) pass.run(layer);
  pass.write(states);
  return states;
}

}  // namespace beleg

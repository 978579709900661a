#include "model/transformer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "model/plain_transformer.h"

namespace beleg {
namespace {

using test::PlainTransformer;
using test::Rows;
using test::SmallE5;

/// The tensors of a model, as floats.
class TensorWeights final : public TransformerWeights {
 public:
  explicit TensorWeights(const SmallE5& model, Arithmetic arithmetic = Arithmetic::kFloats)
      : model_(model),
        arithmetic_(arithmetic),
        shape_({.hidden = static_cast<std::uint32_t>(model.hidden),
                .layers = static_cast<std::uint32_t>(model.layers),
                .heads = static_cast<std::uint32_t>(model.heads),
                .feed_forward = static_cast<std::uint32_t>(model.feed_forward),
                .epsilon = model.epsilon}) {}

  [[nodiscard]] const TransformerShape& shape() const override { return shape_; }
  Result<std::vector<float>> vector(std::string_view name, std::string_view part,
                                    std::size_t size) const override {
    const auto found = model_.tensors.find(std::string(name) + "." + std::string(part));
    if (found == model_.tensors.end() || found->second.size() != size) {
      return fail(ErrorCode::kCorrupt, "no " + std::string(name));
    }
    return found->second;
  }
  Result<WeightMatrix> matrix(std::span<const std::string> names, std::size_t out,
                              std::size_t in) const override {
    if (arithmetic_ == Arithmetic::kBytes) return bytes(names, out, in);
    WeightMatrix weights = WeightMatrix::of_floats(out * names.size(), in);
    for (std::size_t n = 0; n < names.size(); ++n) {
      const std::vector<float> values = TRY(vector(names[n], "w", out * in));
      std::vector<float> column(out);
      for (std::size_t i = 0; i < in; ++i) {
        for (std::size_t o = 0; o < out; ++o) column[o] = values[o * in + i];
        weights.set_input(i, n * out, column);
      }
    }
    return weights;
  }

 private:
  [[nodiscard]] Result<WeightMatrix> bytes(std::span<const std::string> names, std::size_t out,
                                           std::size_t in) const {
    WeightMatrix weights = WeightMatrix::of_eight_bits(out * names.size(), in);
    for (std::size_t n = 0; n < names.size(); ++n) {
      const std::vector<float> values = TRY(vector(names[n], "w", out * in));
      std::vector<float> block(kBlockInputs * out);
      for (std::size_t b = 0; b < in / kBlockInputs; ++b) {
        for (std::size_t k = 0; k < kBlockInputs; ++k) {
          for (std::size_t o = 0; o < out; ++o) {
            block[k * out + o] = values[o * in + b * kBlockInputs + k];
          }
        }
        weights.set_block(b, n * out, block);
      }
    }
    return weights;
  }

  const SmallE5& model_;
  Arithmetic arithmetic_;
  TransformerShape shape_;
};

/// A model of other sizes than the panels and registers have.
SmallE5 model_of(std::int32_t hidden, std::int32_t heads, std::int32_t feed_forward) {
  SmallE5 model;
  model.hidden = hidden;
  model.heads = heads;
  model.feed_forward = feed_forward;
  std::uint32_t seed = 5;
  for (auto& [name, values] : model.tensors) {
    const bool wide = name.find(".fi.") != std::string::npos;
    const auto rows = static_cast<std::size_t>(wide ? feed_forward : hidden);
    std::size_t columns = 1;
    if (name == "emb.word") columns = model.pieces.size();
    if (name == "emb.pos") columns = static_cast<std::size_t>(model.positions);
    if (name == "emb.type") columns = 2;
    if (name.starts_with("l") && test::is_q4(name)) {
      const bool narrow = name.find(".fo.") != std::string::npos;
      columns = static_cast<std::size_t>(narrow ? feed_forward : hidden);
    }
    values = test::spread(seed++, rows * columns);
    for (float& value : values) value *= 0.5F;
    if (name.ends_with("ln.w")) {
      for (float& value : values) value += 1.0F;
    }
  }
  return model;
}

std::vector<float> embed(const SmallE5& model, const std::vector<TokenId>& ids) {
  const auto hidden = static_cast<std::size_t>(model.hidden);
  std::vector<float> rows;
  for (std::size_t t = 0; t < ids.size(); ++t) {
    for (std::size_t d = 0; d < hidden; ++d) {
      rows.push_back(model.tensors.at("emb.word")[static_cast<std::size_t>(ids[t]) * hidden + d] +
                     model.tensors.at("emb.pos")[t * hidden + d] + model.tensors.at("emb.type")[d]);
    }
  }
  return rows;
}

std::vector<TokenId> some_ids(std::size_t count, TokenId first) {
  std::vector<TokenId> ids;
  for (std::size_t i = 0; i < count; ++i) {
    ids.push_back(static_cast<TokenId>((static_cast<std::size_t>(first) + i * 7) % 30));
  }
  return ids;
}

struct Sizes {
  std::int32_t hidden;
  std::int32_t heads;
  std::int32_t feed_forward;
};

class TransformerOf : public testing::TestWithParam<Sizes> {};

TEST_P(TransformerOf, AgreesWithThePlainOneWithEveryKernel) {
  const SmallE5 model = model_of(GetParam().hidden, GetParam().heads, GetParam().feed_forward);
  const Transformer network = MUST(Transformer::create(TensorWeights(model), 2));
  const PlainTransformer plain(model);
  std::vector<float> embeddings;
  std::vector<std::size_t> lengths;
  std::vector<double> expected;
  for (const std::size_t length : {1U, 3U, 34U}) {
    const std::vector<TokenId> ids = some_ids(length, static_cast<TokenId>(length));
    const std::vector<float> rows = embed(model, ids);
    embeddings.insert(embeddings.end(), rows.begin(), rows.end());
    lengths.push_back(length);
    for (const auto& state : plain.run(ids)) {
      expected.insert(expected.end(), state.begin(), state.end());
    }
  }
  for (const TransformerKernels* kernels : runnable_transformer_kernels()) {
    const std::vector<float> states = network.run(embeddings, lengths, *kernels);
    EXPECT_LT(test::largest_difference(states, expected), 5e-5) << kernels->name;
  }
}

TEST_P(TransformerOf, ASequenceGetsTheSameBitsWhateverItGoesWith) {
  const SmallE5 model = model_of(GetParam().hidden, GetParam().heads, GetParam().feed_forward);
  const Transformer network = MUST(Transformer::create(TensorWeights(model), 1));
  const std::vector<float> one = embed(model, some_ids(21, 4));
  const std::vector<float> other = embed(model, some_ids(50, 9));
  std::vector<float> both = other;
  both.insert(both.end(), one.begin(), one.end());
  const std::vector<std::size_t> alone_lengths = {21};
  const std::vector<std::size_t> both_lengths = {50, 21};
  const std::vector<float> alone = network.run(one, alone_lengths);
  const std::vector<float> together = network.run(both, both_lengths);
  EXPECT_TRUE(std::equal(alone.begin(), alone.end(),
                         together.begin() + static_cast<std::ptrdiff_t>(other.size())));
}

INSTANTIATE_TEST_SUITE_P(Sizes, TransformerOf,
                         testing::Values(Sizes{40, 5, 72}, Sizes{80, 2, 130}, Sizes{33, 1, 20}));

/// Sequences through a network of bytes, whose sizes are more than a part of a panel.
struct ByteNetwork {
  SmallE5 model = model_of(96, 3, 544);
  Transformer network = make(model);
  std::vector<float> embeddings;
  std::vector<std::size_t> lengths = {1, 3, 34};

  static Transformer make(const SmallE5& model) {
    return MUST(Transformer::create(TensorWeights(model, Arithmetic::kBytes), 2));
  }
  ByteNetwork() {
    for (const std::size_t length : lengths) {
      const std::vector<float> rows = embed(model, some_ids(length, static_cast<TokenId>(length)));
      embeddings.insert(embeddings.end(), rows.begin(), rows.end());
    }
  }
};

TEST(ByteTransformer, GivesTheSameBitsWithEveryKernel) {
  const ByteNetwork bytes;
  const std::vector<float> plain =
      bytes.network.run(bytes.embeddings, bytes.lengths, plain_transformer_kernels());
  for (const TransformerKernels* kernels : runnable_transformer_kernels()) {
    EXPECT_EQ(bytes.network.run(bytes.embeddings, bytes.lengths, *kernels), plain) << kernels->name;
  }
}

TEST(ByteTransformer, IsCloseToFloats) {
  const ByteNetwork bytes;
  const Transformer floats = MUST(Transformer::create(TensorWeights(bytes.model), 2));
  const std::vector<float> expected = floats.run(bytes.embeddings, bytes.lengths);
  const std::vector<float> states = bytes.network.run(bytes.embeddings, bytes.lengths);
  const std::size_t hidden = bytes.network.shape().hidden;
  for (std::size_t first = 0; first < states.size(); first += hidden) {
    double product = 0;
    double own = 0;
    double other = 0;
    for (std::size_t d = first; d < first + hidden; ++d) {
      const auto a = static_cast<double>(states[d]);
      const auto b = static_cast<double>(expected[d]);
      product += a * b;
      own += a * a;
      other += b * b;
    }
    EXPECT_GT(product / std::sqrt(own * other), 0.999) << first / hidden;
  }
  EXPECT_NE(states, expected);
}

TEST(ByteTransformer, ASequenceGetsTheSameBitsWhateverItGoesWith) {
  const ByteNetwork bytes;
  const std::vector<float> together = bytes.network.run(bytes.embeddings, bytes.lengths);
  std::vector<float> apart;
  const std::size_t hidden = bytes.network.shape().hidden;
  std::span<const float> rest = bytes.embeddings;
  for (const std::size_t length : bytes.lengths) {
    const std::vector<float> alone =
        bytes.network.run(rest.first(length * hidden), std::span(&length, 1));
    apart.insert(apart.end(), alone.begin(), alone.end());
    rest = rest.subspan(length * hidden);
  }
  EXPECT_EQ(together, apart);
}

TEST(Transformer, NamesWhatIsMissing) {
  SmallE5 model = model_of(40, 5, 72);
  model.tensors.erase("l1.fo.w");
  const auto network = Transformer::create(TensorWeights(model), 2);
  ASSERT_FALSE(network);
  EXPECT_EQ(network.error().message, "no l1.fo");
}

TEST(Transformer, NothingGivesNothing) {
  const SmallE5 model = model_of(40, 5, 72);
  EXPECT_TRUE(MUST(Transformer::create(TensorWeights(model), 1)).run({}, {}).empty());
}

}  // namespace
}  // namespace beleg

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <numeric>
#include <thread>

#include "base/file.h"
#include "model/e5_file.h"
#include "model/e5_graph.h"
#include "model/encoder.h"
#include "model/openvino_runtime.h"
#include "model/unigram_tokenizer.h"

namespace beleg {
namespace {

/// Positions 0 and 1 of XLM-R embeddings belong to padding; the file keeps those from 2 on only.
constexpr std::uint32_t kMaxTokens = 512;
constexpr std::uint32_t kMaxContextTokens = 64;
constexpr std::string_view kInputRules =
    "e5: 'query: ' / 'passage: ', context (at most 64 tokens) before the text, white space "
    "collapsed, mean over all tokens, L2, 512 tokens";

/// One input as token ids: begin, prefix, context, text, end.
struct Sequence {
  std::vector<TokenId> ids;
  std::vector<Token> tokens;  ///< Context and text only.
  std::size_t first = 0;      ///< Position of tokens[0] in ids.
  std::uint32_t context_tokens = 0;
  bool truncated = false;
};

void normalise(float* values, std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    sum += static_cast<double>(values[i]) * static_cast<double>(values[i]);
  }
  const auto scale = static_cast<float>(sum > 0 ? 1.0 / std::sqrt(sum) : 0.0);
  for (std::size_t i = 0; i < count; ++i) values[i] *= scale;
}

class E5Encoder final : public Encoder {
 public:
  E5Encoder(E5File file, std::unique_ptr<UnigramTokenizer> tokenizer, OpenVinoModel network,
            std::uint32_t threads, Sha256 hash)
      : file_(std::move(file)),
        tokenizer_(std::move(tokenizer)),
        network_(std::move(network)),
        threads_(threads),
        hash_(hash) {}

  Result<void> load_embeddings() {
    const E5Shape& shape = file_.shape();
    words_ = TRY(file_.q4("emb.word", shape.vocabulary, shape.hidden));
    positions_ = TRY(file_.floats("emb.pos", std::size_t{shape.positions} * shape.hidden));
    const auto types = TRY(file_.floats("emb.type", std::size_t{shape.types} * shape.hidden));
    type_ = types.first(shape.hidden);
    return {};
  }

  [[nodiscard]] std::uint32_t dims() const override { return file_.shape().hidden; }
  [[nodiscard]] std::uint32_t max_tokens() const override {
    return std::min(kMaxTokens, file_.shape().positions);
  }
  [[nodiscard]] std::uint32_t vocabulary_size() const override {
    return file_.shape().vocabulary;
  }
  [[nodiscard]] const Tokenizer& tokenizer() const override { return *tokenizer_; }
  [[nodiscard]] const Sha256& model_hash() const override { return hash_; }
  [[nodiscard]] const std::string& name() const override { return name_; }

  Result<std::vector<EncodedText>> encode(std::span<const EncoderInput> inputs) const override;

 private:
  [[nodiscard]] Sequence make_sequence(const EncoderInput& input) const;
  Result<EncodedText> encode_one(const Sequence& sequence) const;

  E5File file_;
  std::unique_ptr<UnigramTokenizer> tokenizer_;
  OpenVinoModel network_;
  std::uint32_t threads_;
  Sha256 hash_;
  std::string name_ = "multilingual-e5-small";
  Q4Matrix words_;
  std::span<const float> positions_;
  std::span<const float> type_;
};

Sequence E5Encoder::make_sequence(const EncoderInput& input) const {
  Sequence sequence;
  sequence.ids.push_back(file_.special().begin);
  const std::string_view prefix = input.role == InputRole::kQuery ? "query:" : "passage:";
  for (const Token& token : tokenizer_->tokenize(prefix)) sequence.ids.push_back(token.id);
  sequence.first = sequence.ids.size();
  std::vector<Token> context = tokenizer_->tokenize(input.context);
  context.resize(std::min<std::size_t>(context.size(), kMaxContextTokens));
  std::vector<Token> text = tokenizer_->tokenize(input.text);
  const std::size_t room = max_tokens() - sequence.first - 1 - context.size();
  sequence.truncated = text.size() > room;
  text.resize(std::min(text.size(), room));
  sequence.context_tokens = static_cast<std::uint32_t>(context.size());
  sequence.tokens = std::move(context);
  sequence.tokens.insert(sequence.tokens.end(), text.begin(), text.end());
  for (const Token& token : sequence.tokens) sequence.ids.push_back(token.id);
  sequence.ids.push_back(file_.special().end);
  return sequence;
}

Result<EncodedText> E5Encoder::encode_one(const Sequence& sequence) const {
  const std::size_t hidden = dims();
  const std::size_t length = sequence.ids.size();
  std::vector<float> embeddings(length * hidden);
  for (std::size_t t = 0; t < length; ++t) {
    const std::span<float> row(embeddings.data() + t * hidden, hidden);
    words_.dequantize_row(static_cast<std::size_t>(sequence.ids[t]), row);
    for (std::size_t d = 0; d < hidden; ++d) row[d] += positions_[t * hidden + d] + type_[d];
  }
  OpenVinoModel::Request request = network_.acquire();
  const std::array<std::size_t, 3> shape = {1, length, hidden};
  TRY(request.set_input("embeddings", shape, std::span<const float>(embeddings)));
  TRY(request.run());
  const std::span<const float> state = TRY(request.output(0));

  EncodedText encoded;
  encoded.dense.assign(hidden, 0.0F);
  for (std::size_t t = 0; t < length; ++t) {
    for (std::size_t d = 0; d < hidden; ++d) encoded.dense[d] += state[t * hidden + d];
  }
  normalise(encoded.dense.data(), hidden);
  encoded.tokens = sequence.tokens;
  encoded.context_tokens = sequence.context_tokens;
  encoded.truncated = sequence.truncated;
  const float* first = state.data() + sequence.first * hidden;
  encoded.token_vectors.assign(first, first + sequence.tokens.size() * hidden);
  for (std::size_t t = 0; t < sequence.tokens.size(); ++t) {
    normalise(encoded.token_vectors.data() + t * hidden, hidden);
  }
  return encoded;
}

Result<std::vector<EncodedText>> E5Encoder::encode(std::span<const EncoderInput> inputs) const {
  std::vector<Sequence> sequences;
  sequences.reserve(inputs.size());
  for (const EncoderInput& input : inputs) sequences.push_back(make_sequence(input));
  // Longest first, so that the threads end together. Each sequence runs alone: nothing is padded,
  // and a result cannot depend on its neighbours.
  std::vector<std::size_t> order(inputs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return sequences[a].ids.size() > sequences[b].ids.size();
  });
  std::vector<EncodedText> encoded(inputs.size());
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  Result<void> outcome;
  const auto work = [&] {
    for (std::size_t i = next++; i < order.size(); i = next++) {
      auto one = encode_one(sequences[order[i]]);
      if (!one) {
        const std::lock_guard lock(mutex);
        outcome = std::unexpected(one.error());
        return;
      }
      encoded[order[i]] = one.take();
    }
  };
  std::vector<std::jthread> helpers;
  for (std::size_t i = 1; i < std::min<std::size_t>(threads_, inputs.size()); ++i) {
    helpers.emplace_back(work);
  }
  work();
  helpers.clear();
  if (!outcome) return std::unexpected(outcome.error());
  return encoded;
}

}  // namespace

Result<std::unique_ptr<Encoder>> open_e5_encoder(const std::string& path,
                                                 const EncoderOptions& options) {
  E5File file = TRY(E5File::open(path));
  const std::array<TokenId, 3> control = {file.special().begin, file.special().end,
                                          file.special().pad};
  std::vector<NormalizationRule> rules;
  for (const auto& [from, to] : file.normalization()) rules.push_back({from, to});
  auto tokenizer = TRY(UnigramTokenizer::create({.pieces = file.pieces(),
                                                 .scores = file.scores(),
                                                 .unknown_id = file.special().unknown,
                                                 .control_ids = control},
                                                rules, {}));
  const std::uint32_t threads = std::max(1U, options.threads);
  OpenVinoModel network = TRY(compile_e5(file, {.threads = 1, .requests = threads}));
  Sha256Hasher hasher;
  hasher.update_field(kInputRules);
  hasher.update_field({reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()});
  const Sha256 hash = hasher.finish();
  auto encoder = std::make_unique<E5Encoder>(std::move(file), std::move(tokenizer),
                                             std::move(network), threads, hash);
  TRY(encoder->load_embeddings());
  return encoder;
}

}  // namespace beleg

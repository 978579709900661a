#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <map>
#include <mutex>
#include <numeric>
#include <thread>

#include "base/file.h"
#include "model/composition_rules.h"
#include "model/e5_file.h"
#include "model/e5_graph.h"
#include "model/encoder.h"
#include "model/openvino_runtime.h"
#include "model/unigram_tokenizer.h"

namespace beleg {
namespace {

/// The model was trained on at most so many tokens, prefix and special tokens included.
constexpr std::uint32_t kMaxTokens = 512;
constexpr std::uint32_t kMaxContextTokens = 64;
/// Fewer positions would leave no room for a text beside prefix and context.
constexpr std::uint32_t kMinPositions = 2 * kMaxContextTokens;
/// Added to the attention scores of padding. exp() of it is exactly zero in 32-bit floats, so that
/// padding changes no bit of what is computed for the tokens.
constexpr float kMasked = -1e4F;

/// Batches make short texts cheaper (by a quarter at 32 tokens) and gain nothing above.
constexpr std::size_t kMaxBatchedLength = 128;
constexpr std::size_t kMaxBatchTokens = 512;
constexpr std::size_t kMaxBatch = 8;

/// What decides a vector besides the file. The context goes before the text with a space between
/// them, as the authors of E5 join titles and texts.
constexpr std::string_view kInputRules =
    "e5/2: 'query: ' / 'passage: ', context (at most 64 tokens) before the text, white space "
    "collapsed, canonical composition, mean over all tokens, L2, 512 tokens";

/// One input as token ids: begin, prefix, context, text, end.
struct Sequence {
  std::vector<TokenId> ids;
  std::vector<Token> tokens;  ///< Context and text only.
  std::size_t first = 0;      ///< Position of tokens[0] in ids.
  std::uint32_t context_tokens = 0;
  bool truncated = false;
};

/// The length that a sequence is padded to. Each shape that the network meets costs five
/// milliseconds and half a megabyte for kernels of its own, so long sequences share shapes (with 2
/// % of padding on average); short ones are exact.
std::size_t padded_length(std::size_t tokens) {
  const std::size_t step = tokens <= 64 ? 1 : tokens <= 128 ? 4 : 8;
  return (tokens + step - 1) / step * step;
}

/// A run of sequences of one padded length, in the order of encoding: [begin, end).
struct Batch {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// False when a value is not finite.
bool normalise(std::span<float> values) {
  double sum = 0;
  for (const float value : values) sum += static_cast<double>(value) * static_cast<double>(value);
  const auto scale = static_cast<float>(sum > 0 ? 1.0 / std::sqrt(sum) : 0.0);
  for (float& value : values) value *= scale;
  return std::isfinite(sum);
}

Result<std::unique_ptr<UnigramTokenizer>> make_tokenizer(const E5File& file) {
  const E5SpecialTokens& special = file.special();
  std::vector<TokenId> control = {special.begin, special.end, special.pad};
  const auto mask = std::ranges::find(file.pieces(), "<mask>");
  if (mask != file.pieces().end()) {
    control.push_back(static_cast<TokenId>(mask - file.pieces().begin()));
  }
  // The file has the rules of single characters; those of the original normaliser that compose
  // characters follow from Unicode.
  std::vector<std::pair<std::string, std::string>> compositions = canonical_compositions();
  std::map<std::string_view, std::string_view> single;
  for (const auto& [from, to] : file.normalization()) single.emplace(from, to);
  std::vector<NormalizationRule> rules;
  rules.reserve(compositions.size() + single.size());
  for (const auto& [from, to] : compositions) {
    const auto changed = single.find(to);
    rules.push_back({from, changed == single.end() ? std::string_view(to) : changed->second});
  }
  for (const auto& [from, to] : file.normalization()) rules.push_back({from, to});
  return UnigramTokenizer::create({.pieces = file.pieces(),
                                   .scores = file.scores(),
                                   .unknown_id = special.unknown,
                                   .control_ids = control},
                                  rules, {});
}

Result<Sha256> make_hash(const std::string& name, const std::string& path) {
  const Sha256 file_hash = TRY(sha256_file(path));
  Sha256Hasher hasher;
  hasher.update_field(name);
  hasher.update_field(file_hash.hex());
  hasher.update_field(kInputRules);
  return hasher.finish();
}

class E5Encoder final : public Encoder {
 public:
  static Result<std::unique_ptr<Encoder>> open(const std::string& path,
                                               const EncoderOptions& options);

  [[nodiscard]] std::uint32_t dims() const override { return file_.shape().hidden; }
  [[nodiscard]] std::uint32_t max_tokens() const override {
    return std::min(kMaxTokens, file_.shape().positions);
  }
  [[nodiscard]] std::uint32_t vocabulary_size() const override { return file_.shape().vocabulary; }
  [[nodiscard]] const Tokenizer& tokenizer() const override { return *tokenizer_; }
  [[nodiscard]] const Sha256& model_hash() const override { return hash_; }
  [[nodiscard]] const std::string& name() const override { return name_; }

  Result<std::vector<EncodedText>> encode(std::span<const EncoderInput> inputs) const override;

 private:
  E5Encoder(E5File file, OpenVinoModel network, std::uint32_t threads)
      : file_(std::move(file)), network_(std::move(network)), threads_(threads) {}

  [[nodiscard]] Sequence make_sequence(const EncoderInput& input) const;
  void write_embeddings(const Sequence& sequence, std::span<float> out) const;
  /// Runs sequences of one padded length through the network and hands each its part of the result.
  Result<void> encode_batch(std::span<const Sequence* const> sequences,
                            std::span<EncodedText* const> encoded) const;
  Result<void> read_states(const Sequence& sequence, std::span<const float> states,
                           EncodedText& encoded) const;

  E5File file_;
  OpenVinoModel network_;
  std::uint32_t threads_;
  std::unique_ptr<UnigramTokenizer> tokenizer_;
  std::vector<TokenId> query_prefix_;
  std::vector<TokenId> passage_prefix_;
  Sha256 hash_;
  std::string name_ = "multilingual-e5-small";
  Q4Matrix words_;
  std::span<const float> positions_;
  std::span<const float> type_;
};

Result<std::unique_ptr<Encoder>> E5Encoder::open(const std::string& path,
                                                 const EncoderOptions& options) {
  E5File file = TRY(E5File::open(path));
  const E5Shape shape = file.shape();
  if (shape.positions < kMinPositions) {
    return fail(ErrorCode::kUnsupported,
                printable_path(path) + ": only " + std::to_string(shape.positions) + " positions");
  }
  const Q4Matrix words = TRY(file.q4("emb.word", shape.vocabulary, shape.hidden));
  const auto positions = TRY(file.floats("emb.pos", std::size_t{shape.positions} * shape.hidden));
  const auto types = TRY(file.floats("emb.type", std::size_t{shape.types} * shape.hidden));
  // The network is compiled while another thread builds the tokenizer and hashes the file.
  const std::string name = "multilingual-e5-small";
  Result<std::unique_ptr<UnigramTokenizer>> tokenizer;
  Result<Sha256> hash;
  std::jthread beside([&] {
    tokenizer = make_tokenizer(file);
    hash = make_hash(name, path);
  });
  const std::uint32_t threads = std::max(1U, options.threads);
  // One thread a request: two texts on two cores beat one text on both, and nothing waits for a
  // core that something else is using.
  Result<OpenVinoModel> network = compile_e5(file, {.threads = 1, .requests = threads});
  beside.join();
  if (!network) return std::unexpected(network.error().with_context(printable_path(path)));
  if (!tokenizer) return std::unexpected(tokenizer.error().with_context(printable_path(path)));
  auto encoder =
      std::unique_ptr<E5Encoder>(new E5Encoder(std::move(file), network.take(), threads));
  encoder->tokenizer_ = tokenizer.take();
  encoder->hash_ = TRY(std::move(hash));
  encoder->name_ = name;
  encoder->words_ = words;
  encoder->positions_ = positions;
  encoder->type_ = types.first(shape.hidden);
  for (const Token& token : encoder->tokenizer_->tokenize("query:")) {
    encoder->query_prefix_.push_back(token.id);
  }
  for (const Token& token : encoder->tokenizer_->tokenize("passage:")) {
    encoder->passage_prefix_.push_back(token.id);
  }
  if (std::max(encoder->query_prefix_.size(), encoder->passage_prefix_.size()) >
      kMinPositions - kMaxContextTokens - 3) {
    return fail(ErrorCode::kCorrupt, printable_path(path) + ": the vocabulary lacks common words");
  }
  return encoder;
}

Sequence E5Encoder::make_sequence(const EncoderInput& input) const {
  Sequence sequence;
  const std::vector<TokenId>& prefix =
      input.role == InputRole::kQuery ? query_prefix_ : passage_prefix_;
  sequence.first = 1 + prefix.size();
  std::vector<Token>& tokens = sequence.tokens;
  tokens = tokenizer_->tokenize(input.context, kMaxContextTokens);
  tokens.resize(std::min<std::size_t>(tokens.size(), kMaxContextTokens));
  sequence.context_tokens = static_cast<std::uint32_t>(tokens.size());
  const std::size_t room = max_tokens() - sequence.first - 1 - tokens.size();
  const std::vector<Token> text = tokenizer_->tokenize(input.text, room);
  sequence.truncated = text.size() > room;
  const auto kept = static_cast<std::ptrdiff_t>(std::min(text.size(), room));
  tokens.insert(tokens.end(), text.begin(), text.begin() + kept);
  sequence.ids.reserve(sequence.first + tokens.size() + 1);
  sequence.ids.push_back(file_.special().begin);
  sequence.ids.insert(sequence.ids.end(), prefix.begin(), prefix.end());
  for (const Token& token : tokens) sequence.ids.push_back(token.id);
  sequence.ids.push_back(file_.special().end);
  return sequence;
}

void E5Encoder::write_embeddings(const Sequence& sequence, std::span<float> out) const {
  const std::size_t hidden = dims();
  for (std::size_t t = 0; t < sequence.ids.size(); ++t) {
    const std::span<float> row = out.subspan(t * hidden, hidden);
    words_.dequantize_row(static_cast<std::size_t>(sequence.ids[t]), row);
    const std::span<const float> position = positions_.subspan(t * hidden, hidden);
    for (std::size_t d = 0; d < hidden; ++d) row[d] += position[d] + type_[d];
  }
}

Result<void> E5Encoder::read_states(const Sequence& sequence, std::span<const float> states,
                                    EncodedText& encoded) const {
  const std::size_t hidden = dims();
  std::vector<float>& dense = encoded.dense;
  dense.assign(hidden, 0.0F);
  for (std::size_t t = 0; t < sequence.ids.size(); ++t) {
    for (std::size_t d = 0; d < hidden; ++d) dense[d] += states[t * hidden + d];
  }
  bool finite = normalise(dense);
  encoded.tokens = sequence.tokens;
  encoded.context_tokens = sequence.context_tokens;
  encoded.truncated = sequence.truncated;
  const auto own = states.subspan(sequence.first * hidden, sequence.tokens.size() * hidden);
  encoded.token_vectors.assign(own.begin(), own.end());
  const std::span<float> vectors = encoded.token_vectors;
  for (std::size_t t = 0; t < sequence.tokens.size(); ++t) {
    finite &= normalise(vectors.subspan(t * hidden, hidden));
  }
  if (!finite) {
    return fail(ErrorCode::kCorrupt, name_ + ": the network computed what is no finite number",
                "check the model: beleg models list --verify");
  }
  return {};
}

Result<void> E5Encoder::encode_batch(std::span<const Sequence* const> sequences,
                                     std::span<EncodedText* const> encoded) const {
  const std::size_t length = padded_length(sequences.front()->ids.size());
  const std::size_t values = length * dims();
  std::vector<float> embeddings(sequences.size() * values, 0.0F);
  std::vector<float> mask(sequences.size() * length, 0.0F);
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    write_embeddings(*sequences[i], std::span(embeddings).subspan(i * values, values));
    const std::span<float> row = std::span(mask).subspan(i * length, length);
    std::ranges::fill(row.subspan(sequences[i]->ids.size()), kMasked);
  }
  OpenVinoModel::Request request = network_.acquire();
  const std::array<std::size_t, 3> shape = {sequences.size(), length, dims()};
  const std::array<std::size_t, 4> mask_shape = {sequences.size(), 1, 1, length};
  TRY(request.set_input("embeddings", shape, std::span<const float>(embeddings)));
  TRY(request.set_input("mask", mask_shape, std::span<const float>(mask)));
  TRY(request.run());
  const std::span<const float> states = TRY(request.output(0));
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    TRY(read_states(*sequences[i], states.subspan(i * values, values), *encoded[i]));
  }
  return {};
}

/// Cuts a list of padded lengths, longest first, into batches of equal length. The sizes are powers
/// of two, which bounds the number of shapes that the network must know.
std::vector<Batch> cut_batches(std::span<const std::size_t> lengths) {
  std::vector<Batch> batches;
  for (std::size_t begin = 0; begin < lengths.size();) {
    const std::size_t length = lengths[begin];
    std::size_t limit = 1;
    if (length <= kMaxBatchedLength) limit = std::min(kMaxBatch, kMaxBatchTokens / length);
    std::size_t size = 1;
    while (size * 2 <= limit && begin + size * 2 <= lengths.size() &&
           lengths[begin + size * 2 - 1] == length) {
      size *= 2;
    }
    batches.push_back({begin, begin + size});
    begin += size;
  }
  return batches;
}

Result<std::vector<EncodedText>> E5Encoder::encode(std::span<const EncoderInput> inputs) const {
  std::vector<Sequence> sequences;
  sequences.reserve(inputs.size());
  for (const EncoderInput& input : inputs) sequences.push_back(make_sequence(input));
  // Longest first, so that the threads end together.
  std::vector<std::size_t> order(inputs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(),
                           [&](std::size_t i) { return sequences[i].ids.size(); });
  std::vector<EncodedText> results(inputs.size());
  std::vector<const Sequence*> from;
  std::vector<EncodedText*> to;
  std::vector<std::size_t> lengths;
  for (std::size_t i : order) {
    from.push_back(&sequences[i]);
    to.push_back(&results[i]);
    lengths.push_back(padded_length(sequences[i].ids.size()));
  }
  const std::vector<Batch> batches = cut_batches(lengths);
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  Result<void> outcome;  // Guarded by mutex: the first failure.
  const auto work = [&] {
    for (std::size_t i = next++; i < batches.size(); i = next++) {
      const auto [begin, end] = batches[i];
      const Result<void> done = encode_batch(std::span(from).subspan(begin, end - begin),
                                             std::span(to).subspan(begin, end - begin));
      if (done) continue;
      const std::lock_guard lock(mutex);
      if (outcome) outcome = std::unexpected(done.error());
      next = batches.size();
    }
  };
  std::vector<std::jthread> helpers;
  for (std::size_t i = 1; i < std::min<std::size_t>(threads_, batches.size()); ++i) {
    helpers.emplace_back(work);
  }
  work();
  helpers.clear();
  if (!outcome) return std::unexpected(outcome.error());
  return results;
}

}  // namespace

Result<std::unique_ptr<Encoder>> open_e5_encoder(const std::string& path,
                                                 const EncoderOptions& options) {
  return E5Encoder::open(path, options);
}

}  // namespace beleg

#include "model/sentence_encoder.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include "model/sequence_pack.h"
#include "model/worker_pool.h"

namespace beleg {
namespace {

/// One input as token ids: begin, prefix, context, text, end.
struct Sequence {
  std::vector<TokenId> ids;
  std::vector<Token> tokens;  ///< Context and text only.
  std::size_t first = 0;      ///< Position of tokens[0] in ids.
  std::uint32_t context_tokens = 0;
  bool truncated = false;
};

/// False when a value is not finite.
bool normalise(std::span<float> values) {
  double sum = 0;
  for (const float value : values) sum += static_cast<double>(value) * static_cast<double>(value);
  const auto scale = static_cast<float>(sum > 0 ? 1.0 / std::sqrt(sum) : 0.0);
  for (float& value : values) value *= scale;
  return std::isfinite(sum);
}

class SentenceEncoder final : public Encoder {
 public:
  explicit SentenceEncoder(SentenceEncoderParts parts) : parts_(std::move(parts)) {}

  [[nodiscard]] std::uint32_t dims() const override { return parts_.dims; }
  [[nodiscard]] std::uint32_t max_tokens() const override { return parts_.frame.max_tokens; }
  [[nodiscard]] std::uint32_t vocabulary_size() const override { return parts_.vocabulary_size; }
  [[nodiscard]] const Tokenizer& tokenizer() const override { return *parts_.tokenizer; }
  [[nodiscard]] const Sha256& model_hash() const override { return parts_.hash; }
  [[nodiscard]] const std::string& name() const override { return parts_.name; }

  Result<std::vector<EncodedText>> encode(std::span<const EncoderInput> inputs) const override;

 private:
  [[nodiscard]] Sequence make_sequence(const EncoderInput& input) const;
  /// Runs sequences through the network at once and hands each its part of the result.
  Result<void> encode_pack(std::span<const Sequence* const> sequences,
                           std::span<EncodedText* const> encoded) const;
  Result<void> read_states(const Sequence& sequence, std::span<const float> states,
                           EncodedText& encoded) const;

  SentenceEncoderParts parts_;
};

Sequence SentenceEncoder::make_sequence(const EncoderInput& input) const {
  const SequenceFrame& frame = parts_.frame;
  const std::vector<TokenId>& prefix =
      input.role == InputRole::kQuery ? frame.query_prefix : frame.passage_prefix;
  Sequence sequence;
  sequence.first = frame.begin.size() + prefix.size();
  std::vector<Token>& tokens = sequence.tokens;
  tokens = parts_.tokenizer->tokenize(input.context, kMaxContextTokens);
  tokens.resize(std::min<std::size_t>(tokens.size(), kMaxContextTokens));
  sequence.context_tokens = static_cast<std::uint32_t>(tokens.size());
  const std::size_t room =
      frame.max_tokens - sequence.first - frame.end.size() - sequence.context_tokens;
  const std::vector<Token> text = parts_.tokenizer->tokenize(input.text, room);
  sequence.truncated = text.size() > room;
  const auto kept = static_cast<std::ptrdiff_t>(std::min(text.size(), room));
  tokens.insert(tokens.end(), text.begin(), text.begin() + kept);
  std::vector<TokenId>& ids = sequence.ids;
  ids.reserve(sequence.first + tokens.size() + frame.end.size());
  ids.insert(ids.end(), frame.begin.begin(), frame.begin.end());
  ids.insert(ids.end(), prefix.begin(), prefix.end());
  for (const Token& token : tokens) ids.push_back(token.id);
  ids.insert(ids.end(), frame.end.begin(), frame.end.end());
  return sequence;
}

Result<void> SentenceEncoder::read_states(const Sequence& sequence, std::span<const float> states,
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
    return fail(ErrorCode::kCorrupt, name() + ": the network computed what is no finite number",
                "check the model: beleg models check " + name());
  }
  return {};
}

Result<void> SentenceEncoder::encode_pack(std::span<const Sequence* const> sequences,
                                          std::span<EncodedText* const> encoded) const {
  std::vector<std::size_t> lengths;
  std::size_t tokens = 0;
  for (const Sequence* sequence : sequences) {
    lengths.push_back(sequence->ids.size());
    tokens += sequence->ids.size();
  }
  std::vector<float> embeddings(tokens * dims());
  std::span<float> rest = embeddings;
  for (const Sequence* sequence : sequences) {
    const std::size_t values = sequence->ids.size() * dims();
    parts_.embeddings->write(sequence->ids, rest.first(values));
    rest = rest.subspan(values);
  }
  const std::vector<float> all = parts_.network.run(embeddings, lengths);
  std::span<const float> states = all;
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    const std::size_t values = lengths[i] * dims();
    TRY(read_states(*sequences[i], states.first(values), *encoded[i]));
    states = states.subspan(values);
  }
  return {};
}

Result<std::vector<EncodedText>> SentenceEncoder::encode(
    std::span<const EncoderInput> inputs) const {
  std::vector<Sequence> sequences;
  sequences.reserve(inputs.size());
  for (const EncoderInput& input : inputs) sequences.push_back(make_sequence(input));
  // Longest first: what is packed together is about as long, and the threads end together.
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
    lengths.push_back(sequences[i].ids.size());
  }
  const std::vector<SequencePack> packs = cut_packs(lengths, parts_.threads);
  std::mutex mutex;
  std::optional<Error> error;  // Guarded by mutex: the first failure.
  run_in_parallel(packs.size(), parts_.threads, [&](std::size_t i) {
    const SequencePack& pack = packs[i];
    const std::size_t count = pack.end - pack.begin;
    const Result<void> done = encode_pack(std::span(from).subspan(pack.begin, count),
                                          std::span(to).subspan(pack.begin, count));
    if (done) return;
    const std::lock_guard lock(mutex);
    if (!error) error = done.error();
  });
  if (error) return std::unexpected(*error);
  return results;
}

}  // namespace

Result<std::unique_ptr<Encoder>> make_sentence_encoder(SentenceEncoderParts parts) {
  const SequenceFrame& frame = parts.frame;
  const std::size_t fixed = frame.begin.size() + frame.end.size() +
                            std::max(frame.query_prefix.size(), frame.passage_prefix.size());
  if (fixed + kMaxContextTokens >= frame.max_tokens) {
    return fail(ErrorCode::kCorrupt,
                parts.name + ": its " + std::to_string(frame.max_tokens) +
                    " tokens leave no room for a text beside prefix and context",
                "choose a model that takes longer texts");
  }
  return std::unique_ptr<Encoder>(std::make_unique<SentenceEncoder>(std::move(parts)));
}

}  // namespace beleg

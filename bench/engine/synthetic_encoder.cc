#include "synthetic_encoder.h"

#include <algorithm>
#include <vector>

#include "synthetic.h"

namespace beleg {
namespace {

/// Tokens of different ids may share a vector; sixteen thousand are enough to look like language.
constexpr std::size_t kTokenVectors = 1U << 14U;

class SyntheticEncoder final : public Encoder {
 public:
  explicit SyntheticEncoder(std::unique_ptr<Encoder> model)
      : model_(std::move(model)), token_vectors_(kTokenVectors * model_->dims()) {
    RandomStream random(1);
    for (float& value : token_vectors_) value = random.normal();
    for (std::size_t i = 0; i < kTokenVectors; ++i) normalise(of_token(i));
  }

  [[nodiscard]] std::uint32_t dims() const override { return model_->dims(); }
  [[nodiscard]] std::uint32_t max_tokens() const override { return model_->max_tokens(); }
  [[nodiscard]] std::uint32_t vocabulary_size() const override { return model_->vocabulary_size(); }
  [[nodiscard]] const Tokenizer& tokenizer() const override { return model_->tokenizer(); }
  [[nodiscard]] const Sha256& model_hash() const override { return model_->model_hash(); }
  [[nodiscard]] const std::string& name() const override { return model_->name(); }

  Result<std::vector<EncodedText>> encode(std::span<const EncoderInput> inputs) const override {
    std::vector<EncodedText> encoded;
    encoded.reserve(inputs.size());
    for (const EncoderInput& input : inputs) {
      if (input.role == InputRole::kQuery) {
        encoded.push_back(std::move(TRY(model_->encode({&input, 1})).front()));
      } else {
        encoded.push_back(made_up(input));
      }
    }
    return encoded;
  }

 private:
  [[nodiscard]] std::span<float> of_token(std::size_t number) {
    return std::span<float>(token_vectors_).subspan(number * dims(), dims());
  }

  [[nodiscard]] EncodedText made_up(const EncoderInput& input) const {
    EncodedText text;
    text.tokens = model_->tokenizer().tokenize(input.context);
    text.context_tokens = static_cast<std::uint32_t>(text.tokens.size());
    for (const Token& token : model_->tokenizer().tokenize(input.text)) {
      text.tokens.push_back(token);
    }
    text.truncated = text.tokens.size() > max_tokens();
    text.tokens.resize(std::min<std::size_t>(text.tokens.size(), max_tokens()));
    text.context_tokens =
        std::min(text.context_tokens, static_cast<std::uint32_t>(text.tokens.size()));
    text.dense.assign(dims(), 0.0F);
    text.token_vectors.reserve(text.tokens.size() * dims());
    for (const Token& token : text.tokens) {
      const auto number = static_cast<std::size_t>(token.id) % kTokenVectors;
      const float* values = token_vectors_.data() + number * dims();
      text.token_vectors.insert(text.token_vectors.end(), values, values + dims());
      for (std::uint32_t i = 0; i < dims(); ++i) text.dense[i] += values[i];
    }
    normalise(text.dense);
    return text;
  }

  std::unique_ptr<Encoder> model_;
  std::vector<float> token_vectors_;
};

}  // namespace

std::unique_ptr<Encoder> make_synthetic_encoder(std::unique_ptr<Encoder> model) {
  return std::make_unique<SyntheticEncoder>(std::move(model));
}

}  // namespace beleg

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/hash.h"
#include "model/encoder.h"
#include "model/tokenizer.h"
#include "model/transformer.h"

namespace beleg {

/// Tokens of a context that are used at most, so that room is left for the text.
inline constexpr std::uint32_t kMaxContextTokens = 64;

/// What the network takes for a token at a position: the sum of the embeddings of word, position
/// and token type. Immutable, thread-safe.
class InputEmbeddings {
 public:
  virtual ~InputEmbeddings() = default;
  /// Writes ids.size() rows. Requires every id to be of the vocabulary, ids.size() to be at most
  /// the number of positions, and out.size() to be ids.size() × hidden.
  virtual void write(std::span<const TokenId> ids, std::span<float> out) const = 0;
};

/// What stands around the text. A sequence is: begin, prefix, context, text, end.
struct SequenceFrame {
  std::vector<TokenId> begin;
  std::vector<TokenId> query_prefix;
  std::vector<TokenId> passage_prefix;
  std::vector<TokenId> end;
  std::uint32_t max_tokens = 0;  ///< Of a whole sequence.
};

/// A sentence encoder's parts.
struct SentenceEncoderParts {
  std::string name;
  Sha256 hash;
  std::uint32_t dims = 0;
  std::uint32_t vocabulary_size = 0;
  SequenceFrame frame;
  std::unique_ptr<const Tokenizer> tokenizer;
  std::unique_ptr<const InputEmbeddings> embeddings;
  Transformer network;
  std::uint32_t threads = 1;
};

/// An encoder with mean pooling over all tokens and L2. Errors: kCorrupt when the frame leaves no
/// room for a text beside a full context.
Result<std::unique_ptr<Encoder>> make_sentence_encoder(SentenceEncoderParts parts);

}  // namespace beleg

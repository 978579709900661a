#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/result.h"
#include "model/arithmetic.h"
#include "model/tokenizer.h"

namespace beleg {

/// Asymmetric encoders want to know which side a text is on.
enum class InputRole : std::uint8_t { kQuery, kPassage };

struct EncoderInput {
  InputRole role = InputRole::kPassage;
  std::string_view context;  ///< Title and headings, encoded before the text; may be empty.
  std::string_view text;
};

/// What an encoder makes of one input.
struct EncodedText {
  std::vector<float> dense;   ///< `dims` values, L2-normalised.
  std::vector<Token> tokens;  ///< Of context and text; prefix and special tokens left out. Spans of
                              ///< context tokens refer to the context, of text tokens to the text.
  std::uint32_t context_tokens = 0;  ///< How many of `tokens`, from the front, are context.
  std::vector<float> token_vectors;  ///< tokens.size() × dims, row-major, each row L2-normalised.
  bool truncated = false;            ///< The text did not fit into the model's length.
};

/// A text encoder with one vector per text and one per token. Thread-safe; a result is the same,
/// bit for bit, whatever else is in the batch.
class Encoder {
 public:
  virtual ~Encoder() = default;
  [[nodiscard]] virtual std::uint32_t dims() const = 0;
  [[nodiscard]] virtual std::uint32_t max_tokens() const = 0;  ///< With prefix and special tokens.
  [[nodiscard]] virtual std::uint32_t vocabulary_size() const = 0;
  [[nodiscard]] virtual const Tokenizer& tokenizer() const = 0;
  /// Name, file hash and input rules in one digest: vectors of two hashes are never mixed.
  [[nodiscard]] virtual const Sha256& model_hash() const = 0;
  [[nodiscard]] virtual const std::string& name() const = 0;
  /// Encodes all inputs, in the order given; inputs of any number are fine. Short texts are cheaper
  /// together than one by one.
  virtual Result<std::vector<EncodedText>> encode(std::span<const EncoderInput> inputs) const = 0;
};

struct EncoderOptions {
  std::uint32_t threads = 2;  ///< Upper bound on processor cores used at a time.
  /// Others than the default are for comparing: the vectors of a corpus come from the default.
  Arithmetic arithmetic = Arithmetic::kBytes;
};

/// Opens multilingual-e5-small from the file of its package (weights, tokenizer and normaliser in
/// one). Mean pooling, "query: " / "passage: " prefixes, runs of white space collapsed.
Result<std::unique_ptr<Encoder>> open_e5_encoder(const std::string& path,
                                                 const EncoderOptions& options);

struct BertEncoderOptions {
  std::uint32_t threads = 2;     ///< Upper bound on processor cores used at a time.
  std::uint32_t max_tokens = 0;  ///< Of a sequence; 0: what the model's settings files say.
  Arithmetic arithmetic = Arithmetic::kBytes;
};

/// Opens a sentence encoder of the BERT family from a folder with model.onnx (32-bit floats) and
/// tokenizer.json, and a config.json where there is one. Mean pooling, no prefixes. Errors name the
/// folder and what it lacks.
Result<std::unique_ptr<Encoder>> open_bert_encoder(const std::string& name,
                                                   const std::string& folder,
                                                   const BertEncoderOptions& options);

class ModelStore;

/// Opens an installed encoder by its name, of whichever family it is. Errors: kNotFound for an
/// unknown name; kUnavailable with the command to run when it is not installed; kInvalidArgument
/// for a model of another role; kUnsupported for an encoder that this program cannot run.
Result<std::unique_ptr<Encoder>> open_installed_encoder(const ModelStore& models,
                                                        std::string_view name,
                                                        const EncoderOptions& options);

}  // namespace beleg

#include <algorithm>
#include <array>
#include <memory>
#include <thread>
#include <utility>

#include "base/file.h"
#include "model/bert_weights.h"
#include "model/cross_encoder_config.h"
#include "model/encoder.h"
#include "model/hf_tokenizer.h"
#include "model/sentence_encoder.h"

namespace beleg {
namespace {

/// What decides a vector besides the files.
constexpr std::string_view kInputRules =
    "bert/1: no prefix, context (at most 64 tokens) before the text, mean over all tokens, L2, "
    "token type 0, tokens ";

/// Adds up rows of the tables where the file has them.
class BertEmbeddings final : public InputEmbeddings {
 public:
  BertEmbeddings(std::shared_ptr<const OnnxFile> file, const BertTables& tables)
      : file_(std::move(file)), tables_(tables), type_(tables.words->shape[1]) {
    tables_.types->copy_floats(0, type_);
  }

  void write(std::span<const TokenId> ids, std::span<float> out) const override {
    const std::size_t hidden = type_.size();
    std::vector<float> position(hidden);
    for (std::size_t t = 0; t < ids.size(); ++t) {
      const std::span<float> row = out.subspan(t * hidden, hidden);
      tables_.words->copy_floats(static_cast<std::size_t>(ids[t]) * hidden, row);
      tables_.positions->copy_floats(t * hidden, position);
      for (std::size_t d = 0; d < hidden; ++d) row[d] = (row[d] + type_[d]) + position[d];
    }
  }

 private:
  std::shared_ptr<const OnnxFile> file_;  // Holds what the tables point to.
  BertTables tables_;
  std::vector<float> type_;
};

/// A tokenizer with the file it belongs to, for an encoder to own.
class OwnedTokenizer final : public Tokenizer {
 public:
  explicit OwnedTokenizer(HfTokenizer tokenizer) : tokenizer_(std::move(tokenizer)) {}
  [[nodiscard]] std::vector<Token> tokenize(std::string_view text) const override {
    return tokenizer_.tokenizer().tokenize(text);
  }
  [[nodiscard]] std::vector<Token> tokenize(std::string_view text,
                                            std::size_t limit) const override {
    return tokenizer_.tokenizer().tokenize(text, limit);
  }

 private:
  HfTokenizer tokenizer_;
};

/// The special tokens before and behind a single text.
Result<SequenceFrame> make_frame(const HfTokenizer& tokenizer) {
  SequenceFrame frame;
  std::size_t texts = 0;
  for (const TemplatePart& part : tokenizer.single_template()) {
    if (part.kind == TemplatePart::Kind::kSpecial) {
      (texts == 0 ? frame.begin : frame.end).push_back(part.id);
    } else {
      ++texts;
    }
  }
  if (texts != 1) {
    return fail(ErrorCode::kUnsupported, "tokenizer.json does not say what stands around a text",
                "add a post_processor with a pattern for one text, as the model was trained with");
  }
  return frame;
}

Result<std::uint32_t> find_max_tokens(const std::filesystem::path& folder,
                                      const BertWeights& weights, std::uint32_t wanted) {
  std::uint64_t length = weights.tables().positions->shape[0];
  if (wanted > 0) return static_cast<std::uint32_t>(std::min<std::uint64_t>(length, wanted));
  const CrossEncoderConfig config = TRY(read_cross_encoder_config(folder));
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(length, config.max_length.value_or(512)));
}

Result<Sha256> make_hash(const std::string& name, const std::filesystem::path& folder,
                         std::uint32_t max_tokens) {
  Sha256Hasher hasher;
  hasher.update_field(name);
  for (const char* file : {"model.onnx", "tokenizer.json"}) {
    hasher.update_field(TRY(sha256_file(folder / file)).hex());
  }
  hasher.update_field(std::string(kInputRules) + std::to_string(max_tokens));
  return hasher.finish();
}

/// Reads the network's weights. The file is mapped for that alone: the pages that were read for it
/// are given back, and only the tables are mapped again, row by row.
Result<Transformer> read_network(const std::filesystem::path& folder, std::uint32_t threads,
                                 Arithmetic arithmetic) {
  auto file = std::make_shared<const OnnxFile>(TRY(OnnxFile::open(folder / "model.onnx")));
  const BertWeights weights = TRY(BertWeights::find(std::move(file), folder, arithmetic));
  return Transformer::create(weights, threads);
}

Result<std::unique_ptr<Encoder>> open(const std::string& name, const std::filesystem::path& folder,
                                      const BertEncoderOptions& options) {
  auto file = std::make_shared<const OnnxFile>(TRY(OnnxFile::open(folder / "model.onnx")));
  const BertWeights weights = TRY(BertWeights::find(file, folder, options.arithmetic));
  const std::uint32_t max_tokens = TRY(find_max_tokens(folder, weights, options.max_tokens));
  // The network is read while another thread builds the tokenizer and hashes the files.
  Result<HfTokenizer> tokenizer = fail(ErrorCode::kInternal, "no tokenizer");
  Result<Sha256> hash;
  std::jthread beside([&] {
    tokenizer = HfTokenizer::open(folder / "tokenizer.json");
    hash = make_hash(name, folder, max_tokens);
  });
  const std::uint32_t threads = std::max(1U, options.threads);
  Result<Transformer> network = read_network(folder, threads, options.arithmetic);
  beside.join();
  Transformer transformer = TRY(std::move(network));
  HfTokenizer owned = TRY(std::move(tokenizer));
  const Sha256 digest = TRY(std::move(hash));
  const auto vocabulary = static_cast<std::uint32_t>(weights.tables().words->shape[0]);
  if (owned.vocabulary_size() > vocabulary) {
    return fail(ErrorCode::kCorrupt,
                "tokenizer.json has " + std::to_string(owned.vocabulary_size()) +
                    " tokens, model.onnx has " + std::to_string(vocabulary),
                "take both files from the same model");
  }
  SequenceFrame frame = TRY(make_frame(owned));
  frame.max_tokens = max_tokens;
  return make_sentence_encoder(
      {.name = name,
       .hash = digest,
       .dims = weights.shape().hidden,
       .vocabulary_size = vocabulary,
       .frame = std::move(frame),
       .tokenizer = std::make_unique<OwnedTokenizer>(std::move(owned)),
       .embeddings = std::make_unique<BertEmbeddings>(std::move(file), weights.tables()),
       .network = std::move(transformer),
       .threads = threads});
}

}  // namespace

Result<std::unique_ptr<Encoder>> open_bert_encoder(const std::string& name,
                                                   const std::string& folder,
                                                   const BertEncoderOptions& options) {
  auto encoder = open(name, folder, options);
  if (!encoder) return std::unexpected(encoder.error().with_context(printable_path(folder)));
  return encoder;
}

}  // namespace beleg

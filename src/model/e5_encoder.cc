#include <algorithm>
#include <map>
#include <thread>
#include <utility>

#include "base/file.h"
#include "model/composition_rules.h"
#include "model/e5_file.h"
#include "model/e5_weights.h"
#include "model/encoder.h"
#include "model/sentence_encoder.h"
#include "model/unigram_tokenizer.h"

namespace beleg {
namespace {

/// The model was trained on at most so many tokens, prefix and special tokens included.
constexpr std::uint32_t kMaxTokens = 512;
/// Fewer positions would leave no room for a text beside prefix and context.
constexpr std::uint32_t kMinPositions = 2 * kMaxContextTokens;

/// What decides a vector besides the file, but for the arithmetic, which changes it by less than a
/// ranking can tell (decision 0030): those of a corpus stay of use. The context goes before the
/// text with a space between them, as the authors of E5 join titles and texts.
constexpr std::string_view kInputRules =
    "e5/2: 'query: ' / 'passage: ', context (at most 64 tokens) before the text, white space "
    "collapsed, canonical composition, mean over all tokens, L2, 512 tokens";

/// Reads the tables where the file has them: words in four bits, the rest as floats.
class E5Embeddings final : public InputEmbeddings {
 public:
  static Result<std::unique_ptr<const InputEmbeddings>> create(E5File file) {
    const E5Shape shape = file.shape();
    std::unique_ptr<E5Embeddings> embeddings(new E5Embeddings(std::move(file)));
    const E5File& own = embeddings->file_;
    const std::size_t hidden = shape.hidden;
    embeddings->words_ = TRY(own.q4("emb.word", shape.vocabulary, hidden));
    embeddings->positions_ = TRY(own.floats("emb.pos", shape.positions * hidden));
    embeddings->type_ = TRY(own.floats("emb.type", shape.types * hidden)).first(hidden);
    return std::unique_ptr<const InputEmbeddings>(std::move(embeddings));
  }

  void write(std::span<const TokenId> ids, std::span<float> out) const override {
    const std::size_t hidden = type_.size();
    for (std::size_t t = 0; t < ids.size(); ++t) {
      const std::span<float> row = out.subspan(t * hidden, hidden);
      words_.dequantize_row(static_cast<std::size_t>(ids[t]), row);
      const std::span<const float> position = positions_.subspan(t * hidden, hidden);
      for (std::size_t d = 0; d < hidden; ++d) row[d] += position[d] + type_[d];
    }
  }

 private:
  explicit E5Embeddings(E5File file) : file_(std::move(file)) {}

  E5File file_;
  Q4Matrix words_;
  std::span<const float> positions_;
  std::span<const float> type_;
};

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

std::vector<TokenId> ids_of(const Tokenizer& tokenizer, std::string_view text) {
  std::vector<TokenId> ids;
  for (const Token& token : tokenizer.tokenize(text)) ids.push_back(token.id);
  return ids;
}

}  // namespace

Result<std::unique_ptr<Encoder>> open_e5_encoder(const std::string& path,
                                                 const EncoderOptions& options) {
  const std::string name = "multilingual-e5-small";
  E5File file = TRY(E5File::open(path));
  const E5Shape shape = file.shape();
  if (shape.positions < kMinPositions) {
    return fail(ErrorCode::kUnsupported,
                printable_path(path) + ": only " + std::to_string(shape.positions) + " positions");
  }
  // The network is read while another thread builds the tokenizer and hashes the file.
  Result<std::unique_ptr<UnigramTokenizer>> tokenizer;
  Result<Sha256> hash;
  std::jthread beside([&] {
    tokenizer = make_tokenizer(file);
    hash = make_hash(name, path);
  });
  const std::uint32_t threads = std::max(1U, options.threads);
  Result<Transformer> network = Transformer::create(E5Weights(file, options.arithmetic), threads);
  beside.join();
  if (!network) return std::unexpected(network.error().with_context(printable_path(path)));
  if (!tokenizer) return std::unexpected(tokenizer.error().with_context(printable_path(path)));
  SequenceFrame frame = {.begin = {file.special().begin},
                         .query_prefix = ids_of(**tokenizer, "query:"),
                         .passage_prefix = ids_of(**tokenizer, "passage:"),
                         .end = {file.special().end},
                         .max_tokens = std::min(kMaxTokens, shape.positions)};
  if (std::max(frame.query_prefix.size(), frame.passage_prefix.size()) >
      kMinPositions - kMaxContextTokens - 3) {
    return fail(ErrorCode::kCorrupt, printable_path(path) + ": the vocabulary lacks common words");
  }
  const Sha256 digest = TRY(std::move(hash));
  std::unique_ptr<const InputEmbeddings> embeddings = TRY(E5Embeddings::create(std::move(file)));
  return make_sentence_encoder({.name = name,
                                .hash = digest,
                                .dims = shape.hidden,
                                .vocabulary_size = shape.vocabulary,
                                .frame = std::move(frame),
                                .tokenizer = tokenizer.take(),
                                .embeddings = std::move(embeddings),
                                .network = network.take(),
                                .threads = threads});
}

}  // namespace beleg

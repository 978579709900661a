#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include "base/file.h"
#include "model/cross_encoder.h"
#include "model/cross_encoder_config.h"
#include "model/hf_tokenizer.h"
#include "model/openvino_runtime.h"
#include "model/worker_pool.h"

namespace beleg {
namespace {

constexpr std::uint32_t kStandardLength = 512;  // Of BERT, XLM-R and DeBERTa alike.
constexpr std::size_t kBatchRows = 16;
constexpr std::size_t kBatchTokens = 384;  // Larger batches leave the caches and are slower.
constexpr std::uint32_t kLengthStep = 8;   // Few distinct shapes: each new one is compiled.
constexpr std::size_t kMaxWordTokens = 16;

/// What the network wants.
struct InputLayout {
  bool attention_mask = false;
  bool token_type_ids = false;
  std::size_t fixed_batch = 0;     // 0: any.
  std::uint32_t fixed_length = 0;  // 0: any.
  std::size_t output = 0;
};

/// One input of the network: `first`, and a window of one of the seconds.
struct Window {
  std::size_t pair = 0;
  std::uint32_t first_tokens = 0;
  std::uint32_t start = 0;
  std::uint32_t count = 0;
  std::uint32_t length = 0;  // With special tokens.
};

std::string shape_text(std::span<const std::int64_t> shape) {
  std::string text = "[";
  for (const std::int64_t dimension : shape) {
    if (text.size() > 1) text += ",";
    text += dimension < 0 ? "?" : std::to_string(dimension);
  }
  return text + "]";
}

std::unexpected<Error> unsuitable(const std::filesystem::path& path, const std::string& what) {
  return fail(ErrorCode::kUnsupported, printable_path(path) + " is no pair classifier: " + what,
              "export the model for sequence classification, with the inputs input_ids and "
              "attention_mask");
}

Result<InputLayout> read_layout(const OpenVinoModel& model, const std::filesystem::path& path) {
  InputLayout layout;
  bool ids = false;
  for (const TensorInfo& input : model.inputs()) {
    ids = ids || input.name == "input_ids";
    layout.attention_mask = layout.attention_mask || input.name == "attention_mask";
    layout.token_type_ids = layout.token_type_ids || input.name == "token_type_ids";
    if (input.name != "input_ids" && input.name != "attention_mask" &&
        input.name != "token_type_ids") {
      return unsuitable(path, "it wants the input \"" + input.name.substr(0, 60) + "\"");
    }
    if (input.shape.size() != 2) {
      return unsuitable(path, input.name + " has the shape " + shape_text(input.shape));
    }
    if (input.shape[0] > 0) layout.fixed_batch = static_cast<std::size_t>(input.shape[0]);
    if (input.shape[1] > 0) layout.fixed_length = static_cast<std::uint32_t>(input.shape[1]);
  }
  if (!ids) return unsuitable(path, "it has no input input_ids");
  for (std::size_t i = 0; i < model.outputs().size(); ++i) {
    if (model.outputs()[i].name == "logits") layout.output = i;
  }
  if (model.outputs().empty()) return unsuitable(path, "it has no output");
  const TensorInfo& output = model.outputs()[layout.output];
  if (output.shape.size() > 2) {
    return unsuitable(path, "its output \"" + output.name + "\" has the shape " +
                                shape_text(output.shape) + ", like that of an encoder");
  }
  return layout;
}

/// Log of the sum of the exponentials of all but one.
float log_sum_exp_without(std::span<const float> row, std::size_t without) {
  float largest = -INFINITY;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i != without) largest = std::max(largest, row[i]);
  }
  float sum = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i != without) sum += std::exp(row[i] - largest);
  }
  return largest + std::log(sum);
}

class OnnxCrossEncoder final : public CrossEncoder {
 public:
  OnnxCrossEncoder(std::string name, HfTokenizer tokenizer, OpenVinoModel model, InputLayout layout,
                   CrossEncoderConfig config, std::uint32_t length, std::uint32_t threads)
      : name_(std::move(name)),
        tokenizer_(std::move(tokenizer)),
        model_(std::move(model)),
        layout_(layout),
        config_(config),
        length_(length),
        threads_(threads) {
    for (const TemplatePart& part : tokenizer_.pair_template()) {
      special_tokens_ += part.kind == TemplatePart::Kind::kSpecial ? 1 : 0;
    }
  }

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] const Sha256& model_hash() const override { return hash_; }
  void set_hash(const Sha256& hash) { hash_ = hash; }
  [[nodiscard]] std::uint32_t special_tokens() const { return special_tokens_; }

  Result<std::vector<std::vector<float>>> logits(
      std::string_view first, std::span<const std::string_view> seconds) const override;
  [[nodiscard]] float relevance_logit(std::span<const float> row) const override;

 private:
  using Batch = std::span<const Window>;

  void add_windows(std::size_t pair, std::size_t first_tokens, const std::vector<Token>& second,
                   std::vector<Window>& windows) const;
  [[nodiscard]] std::vector<Batch> make_batches(std::span<const Window> windows) const;
  Result<std::vector<std::vector<float>>> run(Batch batch, std::span<const Token> first,
                                              const std::vector<std::vector<Token>>& seconds) const;
  Result<std::vector<std::vector<float>>> read_rows(const OpenVinoModel::Request& request,
                                                    std::size_t rows, std::size_t wanted) const;

  std::string name_;
  HfTokenizer tokenizer_;
  OpenVinoModel model_;
  InputLayout layout_;
  CrossEncoderConfig config_;
  std::uint32_t length_;  // Longest input, with special tokens.
  std::uint32_t threads_;
  std::uint32_t special_tokens_ = 0;
  Sha256 hash_;
};

float OnnxCrossEncoder::relevance_logit(std::span<const float> row) const {
  if (row.empty()) return 0;
  if (row.size() == 1) return row[0];
  const std::size_t label = config_.relevant_label.value_or(1);
  if (label >= row.size()) return row[1] - row[0];
  if (!config_.relevant_label && row.size() > 2) return row[1] - row[0];
  return row[label] - log_sum_exp_without(row, label);
}

/// Cuts a second text into windows that overlap by a quarter and begin at words. A first text that
/// is long keeps half of the length at least.
void OnnxCrossEncoder::add_windows(std::size_t pair, std::size_t first_tokens,
                                   const std::vector<Token>& second,
                                   std::vector<Window>& windows) const {
  const std::size_t budget = length_ - special_tokens_;
  const std::size_t left = second.size() < budget ? budget - second.size() : 0;
  const std::size_t first = std::min(first_tokens, std::max(budget / 2, left));
  const std::size_t size = budget - first;
  const auto add = [&](std::size_t start, std::size_t count) {
    windows.push_back({pair, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(start),
                       static_cast<std::uint32_t>(count),
                       static_cast<std::uint32_t>(special_tokens_ + first + count)});
  };
  if (second.size() <= size) return add(0, second.size());
  for (std::size_t start = 0;;) {
    const std::size_t end = std::min(start + size, second.size());
    add(start, end - start);
    if (end == second.size()) return;
    std::size_t next = std::min(end - size / 4, second.size() - size);
    // Tokens of one word touch each other.
    for (std::size_t back = 0; back < kMaxWordTokens && next > start + 1 &&
                               second[next].span.start == second[next - 1].span.end;
         ++back) {
      --next;
    }
    start = std::max(next, start + 1);
  }
}

/// Groups windows, sorted by length, so that little is padded.
std::vector<OnnxCrossEncoder::Batch> OnnxCrossEncoder::make_batches(
    std::span<const Window> windows) const {
  std::vector<Batch> batches;
  for (std::size_t begin = 0; begin < windows.size();) {
    const std::uint32_t longest =
        layout_.fixed_length > 0 ? layout_.fixed_length : windows[begin].length;
    std::size_t rows = std::clamp<std::size_t>(kBatchTokens / longest, 1, kBatchRows);
    if (layout_.fixed_batch > 0) rows = layout_.fixed_batch;
    std::size_t end = begin + 1;
    while (end < windows.size() && end - begin < rows &&
           (layout_.fixed_length > 0 || windows[end].length + kLengthStep > longest)) {
      ++end;
    }
    batches.push_back(windows.subspan(begin, end - begin));
    begin = end;
  }
  return batches;
}

Result<std::vector<std::vector<float>>> OnnxCrossEncoder::run(
    Batch batch, std::span<const Token> first,
    const std::vector<std::vector<Token>>& seconds) const {
  const std::size_t rows = std::max(layout_.fixed_batch, batch.size());
  const std::uint32_t rounded =
      std::min((batch.front().length + kLengthStep - 1) / kLengthStep * kLengthStep, length_);
  const std::size_t length = layout_.fixed_length > 0 ? layout_.fixed_length : rounded;
  std::vector<std::int64_t> ids(rows * length, tokenizer_.pad_id());
  std::vector<std::int64_t> mask(rows * length, 0);
  std::vector<std::int64_t> types(rows * length, tokenizer_.pad_type());
  for (std::size_t row = 0; row < rows; ++row) {
    // A model with a fixed number of rows gets the last window again in those that are left.
    const Window& window = batch[std::min(row, batch.size() - 1)];
    std::size_t at = row * length;
    const auto put = [&](TokenId id, std::int64_t type) {
      ids[at] = id;
      mask[at] = 1;
      types[at++] = type;
    };
    for (const TemplatePart& part : tokenizer_.pair_template()) {
      if (part.kind == TemplatePart::Kind::kSpecial) {
        put(part.id, part.type);
      } else if (part.kind == TemplatePart::Kind::kFirst) {
        for (const Token& token : first.first(window.first_tokens)) put(token.id, part.type);
      } else {
        const std::span<const Token> all(seconds[window.pair]);
        for (const Token& token : all.subspan(window.start, window.count)) put(token.id, part.type);
      }
    }
  }
  OpenVinoModel::Request request = model_.acquire();
  const std::array<std::size_t, 2> shape = {rows, length};
  TRY(request.set_input("input_ids", shape, ids));
  if (layout_.attention_mask) TRY(request.set_input("attention_mask", shape, mask));
  if (layout_.token_type_ids) TRY(request.set_input("token_type_ids", shape, types));
  TRY(request.run());
  return read_rows(request, rows, batch.size());
}

Result<std::vector<std::vector<float>>> OnnxCrossEncoder::read_rows(
    const OpenVinoModel::Request& request, std::size_t rows, std::size_t wanted) const {
  const std::span<const float> values = TRY(request.output(layout_.output));
  const std::vector<std::size_t> shape = TRY(request.output_shape(layout_.output));
  if (shape.empty() || shape.size() > 2 || shape[0] != rows || values.empty()) {
    return fail(ErrorCode::kUnsupported,
                name_ + " is no pair classifier: its output has " + std::to_string(values.size()) +
                    " numbers for " + std::to_string(rows) + " pairs",
                "export the model for sequence classification");
  }
  const std::size_t labels = values.size() / rows;
  std::vector<std::vector<float>> result(wanted);
  for (std::size_t row = 0; row < wanted; ++row) {
    const std::span<const float> logits = values.subspan(row * labels, labels);
    if (!std::all_of(logits.begin(), logits.end(), [](float x) { return std::isfinite(x); })) {
      return fail(ErrorCode::kInternal, name_ + " gave a logit that is not a finite number",
                  "check the model's file with `beleg models --verify`");
    }
    result[row].assign(logits.begin(), logits.end());
  }
  return result;
}

Result<std::vector<std::vector<float>>> OnnxCrossEncoder::logits(
    std::string_view first, std::span<const std::string_view> seconds) const {
  const std::vector<Token> first_tokens = tokenizer_.tokenizer().tokenize(first);
  std::vector<std::vector<Token>> second_tokens(seconds.size());
  std::vector<Window> windows;
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    second_tokens[i] = tokenizer_.tokenizer().tokenize(seconds[i]);
    add_windows(i, first_tokens.size(), second_tokens[i], windows);
  }
  std::stable_sort(windows.begin(), windows.end(),
                   [](const Window& a, const Window& b) { return a.length > b.length; });
  const std::vector<Batch> batches = make_batches(windows);

  std::vector<std::vector<float>> rows(windows.size());
  std::optional<Error> error;
  std::mutex mutex;  // Guards error.
  run_in_parallel(batches.size(), threads_, [&](std::size_t i) {
    auto found = run(batches[i], first_tokens, second_tokens);
    if (!found) {
      const std::lock_guard lock(mutex);
      if (!error) error = found.error();
      return;
    }
    std::move(found->begin(), found->end(), rows.begin() + (batches[i].data() - windows.data()));
  });
  if (error) return std::unexpected(*error);
  std::vector<std::vector<float>> best(seconds.size());
  for (std::size_t i = 0; i < windows.size(); ++i) {
    std::vector<float>& kept = best[windows[i].pair];
    if (kept.empty() || relevance_logit(rows[i]) > relevance_logit(kept)) kept = std::move(rows[i]);
  }
  return best;
}

Result<std::filesystem::path> find_model_file(const std::filesystem::path& folder) {
  for (const char* name :
       {"model.onnx", "onnx/model.onnx", "model_quantized.onnx", "onnx/model_quantized.onnx"}) {
    std::error_code error;
    if (std::filesystem::is_regular_file(folder / name, error)) return folder / name;
  }
  return fail(ErrorCode::kNotFound, printable_path(folder) + " has no model.onnx",
              "export the model to ONNX into that folder");
}

std::string folder_name(const std::filesystem::path& folder) {
  std::error_code ignored;
  const std::filesystem::path full = std::filesystem::absolute(folder, ignored).lexically_normal();
  return full.has_filename() ? full.filename().string() : full.parent_path().filename().string();
}

/// The digest of everything that decides a result: weights, tokenizer, and the rules above.
Result<Sha256> hash_model(const std::filesystem::path& model, const std::filesystem::path& folder,
                          std::uint32_t length) {
  Sha256Hasher hasher;
  hasher.update_field("pair classifier, windows overlapping by a quarter, maximum");
  hasher.update_field(std::to_string(length));
  std::filesystem::path data = model;
  data += "_data";
  for (const std::filesystem::path& path : {model, data, folder / "tokenizer.json"}) {
    std::error_code error;
    if (path == data && !std::filesystem::exists(path, error)) continue;
    hasher.update_field(TRY(sha256_file(path)).hex());
  }
  return hasher.finish();
}

}  // namespace

Result<std::unique_ptr<CrossEncoder>> open_onnx_cross_encoder(const std::string& folder,
                                                              std::uint32_t threads) {
  const std::filesystem::path root(folder);
  const std::filesystem::path model_path = TRY(find_model_file(root));
  HfTokenizer tokenizer = TRY(HfTokenizer::open(root / "tokenizer.json"));
  if (tokenizer.pair_template().empty()) {
    return fail(
        ErrorCode::kUnsupported,
        printable_path(root / "tokenizer.json") + " does not say how a pair is put together",
        "add a post_processor with a pair template, as the model was trained with");
  }
  const CrossEncoderConfig config = TRY(read_cross_encoder_config(root));
  if (config.vocabulary_size && tokenizer.vocabulary_size() > *config.vocabulary_size) {
    return fail(ErrorCode::kCorrupt,
                printable_path(root) + ": tokenizer.json has " +
                    std::to_string(tokenizer.vocabulary_size()) + " tokens, the model has " +
                    std::to_string(*config.vocabulary_size),
                "take both files from the same model");
  }
  // One thread for each request, and several requests: no time is lost in waiting for each other.
  OpenVinoOptions options;
  options.threads = 1;
  options.requests = std::max(1U, threads);
  OpenVinoModel model = TRY(OpenVinoModel::read_onnx(model_path, options));
  const InputLayout layout = TRY(read_layout(model, model_path));
  std::uint32_t length =
      config.max_length.value_or(tokenizer.truncation_length().value_or(kStandardLength));
  if (layout.fixed_length > 0) length = layout.fixed_length;

  auto encoder =
      std::make_unique<OnnxCrossEncoder>(folder_name(root), std::move(tokenizer), std::move(model),
                                         layout, config, length, options.requests);
  if (length < encoder->special_tokens() + 8) {
    return unsuitable(model_path,
                      "its length of " + std::to_string(length) + " tokens is too short");
  }
  encoder->set_hash(TRY(hash_model(model_path, root, length)));
  // A first pair, so that a model that does not work is refused here and not at the first question.
  const std::array<std::string_view, 1> second = {"b"};
  auto trial = encoder->logits("a", second);
  if (!trial) return std::unexpected(trial.error().with_context(printable_path(model_path)));
  return encoder;
}

}  // namespace beleg

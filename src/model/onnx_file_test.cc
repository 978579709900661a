#include "model/onnx_file.h"

#include <gtest/gtest.h>

#include <random>

#include "model/model_test_support.h"

namespace beleg {
namespace {

std::string small_file() {
  OnnxWriter onnx;
  onnx.input("x", OnnxWriter::kFloat, {-1, 2});
  onnx.constant("weights", OnnxWriter::kFloat, {2, 3},
                raw_bytes(std::vector<float>{1, 2, 3, 4, 5, 6}));
  onnx.constant("numbers", OnnxWriter::kInt64, {2}, raw_bytes(std::vector<std::int64_t>{7, 8}));
  onnx.constant("short", OnnxWriter::kFloat, {4}, raw_bytes(std::vector<float>{1, 2, 3}));
  onnx.constant("huge", OnnxWriter::kFloat, {1LL << 40, 1LL << 40, 0}, "");
  onnx.node("MatMul", {"x", "weights"}, {"y"});
  onnx.output("y", OnnxWriter::kFloat, {-1, 3});
  return onnx.bytes();
}

TEST(OnnxFile, FindsWeightsAndOperations) {
  const TemporaryFolder folder;
  const OnnxFile file = MUST(OnnxFile::open(folder.write("model.onnx", small_file())));
  const OnnxTensor* weights = file.find("weights");
  ASSERT_NE(weights, nullptr);
  EXPECT_EQ(weights->shape, (std::vector<std::uint64_t>{2, 3}));
  EXPECT_TRUE(weights->holds_floats());
  std::vector<float> row(3);
  weights->copy_floats(3, row);
  EXPECT_EQ(row, (std::vector<float>{4, 5, 6}));
  EXPECT_FALSE(file.find("numbers")->holds_floats());
  EXPECT_FALSE(file.find("short")->holds_floats());
  EXPECT_FALSE(file.find("huge")->holds_floats());
  EXPECT_EQ(file.find("nothing"), nullptr);
  ASSERT_EQ(file.nodes().size(), 1U);
  EXPECT_EQ(file.nodes()[0].type, "MatMul");
  EXPECT_EQ(file.nodes()[0].inputs, (std::vector<std::string_view>{"x", "weights"}));
  EXPECT_EQ(file.nodes()[0].outputs, (std::vector<std::string_view>{"y"}));
}

TEST(OnnxFile, RefusesWhatIsNoModel) {
  const TemporaryFolder folder;
  for (const std::string& bytes : {std::string(), std::string("no protobuf"),
                                   std::string(40, '\xff'), std::string("\x3a\x7f", 2)}) {
    const auto file = OnnxFile::open(folder.write("model.onnx", bytes));
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().code, ErrorCode::kCorrupt);
    EXPECT_NE(file.error().message.find("model.onnx"), std::string::npos);
  }
  EXPECT_EQ(OnnxFile::open("/nowhere/model.onnx").error().code, ErrorCode::kNotFound);
}

TEST(OnnxFile, DamagedBytesNeverLeadOutside) {
  const TemporaryFolder folder;
  const std::string whole = small_file();
  const auto read_all = [](const OnnxFile& file) {
    float sum = 0;
    for (const auto& [name, tensor] : file.tensors()) {
      if (!tensor.holds_floats()) continue;
      std::vector<float> values(tensor.elements());
      tensor.copy_floats(0, values);
      for (const float value : values) sum += value;
    }
    return sum;
  };
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto cut = OnnxFile::open(folder.write("cut.onnx", whole.substr(0, size)));
    if (cut) read_all(*cut);
  }
  std::mt19937 random(3);
  for (int trial = 0; trial < 2000; ++trial) {
    std::string bytes = whole;
    bytes[random() % bytes.size()] = static_cast<char>(random());
    const auto file = OnnxFile::open(folder.write("odd.onnx", bytes));
    if (file) read_all(*file);
  }
}

}  // namespace
}  // namespace beleg

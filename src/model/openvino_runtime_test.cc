#include "model/openvino_runtime.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <thread>

#include "model/model_test_support.h"

namespace beleg {
namespace {

/// Rows of 32 values, of which "places" chooses some, doubled.
OpenVinoModel small_model(const TemporaryFolder& folder, std::uint32_t requests) {
  OnnxWriter onnx;
  onnx.input("embeddings", OnnxWriter::kFloat, {-1, 32});
  onnx.input("places", OnnxWriter::kInt32, {-1});
  onnx.node("Gather", {"embeddings", "places"}, {"chosen"}, {{"axis", {0}}});
  onnx.node("Add", {"chosen", "chosen"}, {"doubled"});
  onnx.output("doubled", OnnxWriter::kFloat, {-1, 32});
  return MUST(OpenVinoModel::read_onnx(folder.write("m.onnx", onnx.bytes()),
                                       {.threads = 1, .requests = requests}));
}

TEST(OpenVinoModel, DescribesInputsAndOutputs) {
  const TemporaryFolder folder;
  const OpenVinoModel model = small_model(folder, 1);
  ASSERT_EQ(model.inputs().size(), 2U);
  EXPECT_EQ(model.inputs()[0].name, "embeddings");
  EXPECT_EQ(model.inputs()[0].shape, (std::vector<std::int64_t>{-1, 32}));
  EXPECT_EQ(model.inputs()[1].name, "places");
  EXPECT_EQ(model.inputs()[1].shape, (std::vector<std::int64_t>{-1}));
  EXPECT_EQ(model.outputs().size(), 1U);
}

TEST(OpenVinoModel, RefusesInputsThatDoNotFit) {
  const TemporaryFolder folder;
  const OpenVinoModel model = small_model(folder, 1);
  OpenVinoModel::Request request = model.acquire();
  const std::vector<float> data(64);
  const std::vector<std::int64_t> integers(64);
  using Shape = std::vector<std::size_t>;
  const auto code = [](const Result<void>& result) {
    return result ? ErrorCode::kInternal : result.error().code;
  };
  EXPECT_EQ(code(request.set_input("nothing", Shape{2, 32}, data)), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code(request.set_input("embeddings", Shape{4, 16}, data)), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code(request.set_input("embeddings", Shape{3, 32}, data)), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code(request.set_input("embeddings", Shape{1, 2, 32}, data)),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(code(request.set_input("embeddings", Shape{2, 32}, integers)),
            ErrorCode::kInvalidArgument);
  const std::vector<std::int32_t> narrow(64);
  EXPECT_EQ(code(request.set_input("embeddings", Shape{2, 32}, narrow)),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(code(request.set_input("places", Shape{64}, data)), ErrorCode::kInvalidArgument);
  EXPECT_TRUE(request.set_input("places", Shape{64}, narrow));
  EXPECT_TRUE(request.set_input("places", Shape{64}, integers));
  EXPECT_TRUE(request.set_input("embeddings", Shape{2, 32}, data));
  EXPECT_FALSE(request.output(7));
  EXPECT_FALSE(request.output_shape(7));
}

TEST(OpenVinoModel, SharesItsRequestsAmongThreads) {
  const TemporaryFolder folder;
  const OpenVinoModel model = small_model(folder, 2);
  std::vector<float> data(std::size_t{5} * 32);
  std::iota(data.begin(), data.end(), 1.0F);
  const std::vector<std::int32_t> places = {4, 0};
  const auto run = [&] {
    OpenVinoModel::Request request = model.acquire();
    MUST(request.set_input("embeddings", std::vector<std::size_t>{5, 32}, data));
    MUST(request.set_input("places", std::vector<std::size_t>{2}, places));
    MUST(request.run());
    EXPECT_EQ(MUST(request.output_shape(0)), (std::vector<std::size_t>{2, 32}));
    const auto output = MUST(request.output(0));
    return std::vector<float>(output.begin(), output.end());
  };
  const std::vector<float> expected = run();
  EXPECT_EQ(expected[0], 2 * 129.0F);
  EXPECT_EQ(expected[63], 2 * 32.0F);
  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 20; ++i) wrong += run() == expected ? 0 : 1;
      });
    }
  }
  EXPECT_EQ(wrong, 0);
}

TEST(OpenVinoModel, NamesAFileThatIsNoNetwork) {
  const TemporaryFolder folder;
  const auto absent = OpenVinoModel::read_onnx("/nowhere/model.onnx", {});
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().code, ErrorCode::kNotFound);
  const auto garbage = OpenVinoModel::read_onnx(folder.write("model.onnx", "no protobuf"), {});
  ASSERT_FALSE(garbage);
  EXPECT_EQ(garbage.error().code, ErrorCode::kCorrupt);
  EXPECT_NE(garbage.error().message.find("model.onnx"), std::string::npos);
}

}  // namespace
}  // namespace beleg

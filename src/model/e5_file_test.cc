#include "model/e5_file.h"

#include <gtest/gtest.h>

#include <random>

#include "model/e5_test_support.h"
#include "model/model_test_support.h"

namespace beleg {
namespace {

using test::SmallE5;

TEST(E5File, ReadsWhatWasWritten) {
  const TemporaryFolder folder;
  const SmallE5 model;
  const E5File file = MUST(E5File::open(folder.write("m.bin", model.bytes())));
  EXPECT_EQ(file.shape().hidden, 32U);
  EXPECT_EQ(file.shape().layers, 2U);
  EXPECT_EQ(file.shape().feed_forward, 64U);
  EXPECT_EQ(file.shape().positions, 160U);
  EXPECT_FLOAT_EQ(file.shape().epsilon, 1e-6F);
  EXPECT_EQ(file.special().end, 2);
  EXPECT_EQ(file.special().unknown, 3);
  ASSERT_EQ(file.pieces().size(), model.pieces.size());
  for (std::size_t i = 0; i < model.pieces.size(); ++i) {
    EXPECT_EQ(file.pieces()[i], model.pieces[i].first);
    EXPECT_EQ(file.scores()[i], model.pieces[i].second);
  }
  ASSERT_EQ(file.normalization().size(), 3U);
  EXPECT_EQ(file.normalization()[2].first, "\u00bd");
  EXPECT_EQ(file.normalization()[2].second, "1\u20442");
  const auto bias = MUST(file.floats("l1.fi.b", 64));
  EXPECT_TRUE(std::equal(bias.begin(), bias.end(), model.tensors.at("l1.fi.b").begin()));
}

TEST(E5File, DequantizesBlocks) {
  // One block: scale -0.5 (0xb800), low nibbles 0..15, high nibbles 15..0.
  std::array<std::byte, 18> bytes{};
  bytes[1] = std::byte{0xb8};
  for (std::size_t j = 0; j < 16; ++j) {
    bytes[2 + j] = static_cast<std::byte>(j | (15 - j) << 4U);
  }
  const Q4Matrix matrix{bytes, 1, 32};
  std::array<float, 32> row{};
  matrix.dequantize_row(0, row);
  const Q4Matrix::Block block = matrix.block(0, 0);
  EXPECT_EQ(block.scale, -0.5F);
  for (int j = 0; j < 32; ++j) {
    const auto at = static_cast<std::size_t>(j);
    EXPECT_EQ(row[at], -0.5F * static_cast<float>(j < 16 ? j - 8 : 31 - j - 8));
    const auto pair = static_cast<int>(block.pairs[at % 16]);
    const int weight = (j < 16 ? pair & 15 : pair >> 4) - 8;
    EXPECT_EQ(static_cast<float>(weight) * block.scale, row[at]);
  }
}

TEST(E5File, ReadsSubnormalAndLargeScales) {
  const auto scale_of = [](unsigned half) {
    std::array<std::byte, 18> bytes{};
    bytes[0] = static_cast<std::byte>(half & 0xffU);
    bytes[1] = static_cast<std::byte>(half >> 8U);
    return Q4Matrix{bytes, 1, 32}.block(0, 0).scale;
  };
  // Values of IEEE 754 binary16.
  EXPECT_EQ(scale_of(0x0001), 0x1p-24F);
  EXPECT_EQ(scale_of(0x8000), 0.0F);
  EXPECT_EQ(scale_of(0x03ff), 1023 * 0x1p-24F);
  EXPECT_EQ(scale_of(0x0400), 0x1p-14F);
  EXPECT_EQ(scale_of(0x3c01), 1.0009765625F);
  EXPECT_EQ(scale_of(0x7bff), 65504.0F);
}

TEST(E5File, NamesWhatIsMissingOrOfAnotherForm) {
  const TemporaryFolder folder;
  const SmallE5 model;
  const E5File file = MUST(E5File::open(folder.write("m.bin", model.bytes("l0.q.w"))));
  const auto missing = file.q4("l0.q.w", 32, 32);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kCorrupt);
  EXPECT_NE(missing.error().message.find("l0.q.w"), std::string::npos);
  EXPECT_FALSE(file.q4("l0.k.b", 1, 32));
  EXPECT_FALSE(file.floats("l0.k.b", 31));
  EXPECT_FALSE(file.floats("l0.k.w", 32));
  EXPECT_TRUE(file.floats("l0.k.b", 32));
}

TEST(E5File, RefusesAFileThatEndsEarly) {
  const TemporaryFolder folder;
  const std::string bytes = SmallE5().bytes();
  // Dense over the header and the directory, then in strides over the weights.
  for (std::size_t size = 0; size < bytes.size(); size += size < 3000 ? 13 : 997) {
    const auto file = E5File::open(folder.write("m.bin", std::string_view(bytes).substr(0, size)));
    ASSERT_FALSE(file) << size;
    EXPECT_EQ(file.error().code, ErrorCode::kCorrupt) << size;
  }
}

TEST(E5File, SurvivesFlippedBytes) {
  const TemporaryFolder folder;
  const std::string bytes = SmallE5().bytes();
  std::mt19937 random(3);
  for (int round = 0; round < 600; ++round) {
    std::string damaged = bytes;
    for (auto flips = 1 + random() % 3; flips > 0; --flips) {
      damaged[random() % 2600] ^= static_cast<char>(1 + random() % 255);
    }
    const auto file = E5File::open(folder.write("m.bin", damaged));
    if (!file) continue;
    // What is accepted must be readable to the last byte.
    const E5Shape& shape = file->shape();
    std::size_t bytes_seen = 0;
    for (std::string_view piece : file->pieces()) {
      for (char c : piece) bytes_seen += static_cast<std::uint8_t>(c);
    }
    std::vector<float> row(shape.hidden);
    if (const auto words = file->q4("emb.word", shape.vocabulary, shape.hidden)) {
      words->dequantize_row(shape.vocabulary - 1, row);
    }
    if (const auto positions =
            file->floats("emb.pos", std::size_t{shape.positions} * shape.hidden)) {
      row[0] += positions->back();
    }
    EXPECT_GT(bytes_seen, 0U);
  }
}

TEST(E5File, RefusesOtherFiles) {
  const TemporaryFolder folder;
  const auto code = [&](std::string_view bytes) {
    const auto file = E5File::open(folder.write("m.bin", bytes));
    return file ? ErrorCode::kInternal : file.error().code;
  };
  EXPECT_EQ(code("GGUF, not ours at all"), ErrorCode::kCorrupt);
  std::string later = SmallE5().bytes();
  later[4] = 2;
  EXPECT_EQ(code(later), ErrorCode::kUnsupported);
  const auto absent = E5File::open(folder.path() / "absent.bin");
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace beleg

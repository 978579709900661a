#include "index/embedding_payload.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "index/index_test_support.h"
#include "index/payload_layout.h"

namespace beleg {
namespace {

using testing_support::random_encoded;

TEST(EmbeddingPayload, ComesBack) {
  std::mt19937 random(1);
  const EncodedText encoded = random_encoded(random, 21, 384);
  const std::vector<std::byte> payload = pack_embedding(encoded);
  const EmbeddingView view = MUST(view_embedding(payload));
  EXPECT_EQ(view.dims, 384U);
  EXPECT_EQ(view.tokens, 21U);
  EXPECT_EQ(view.context_tokens, 5U);
  EXPECT_TRUE(std::equal(view.dense.begin(), view.dense.end(), encoded.dense.begin()));
  for (std::size_t t = 0; t < 21; ++t) EXPECT_EQ(view.token_ids[t], encoded.tokens[t].id);
  EXPECT_EQ(view.codes.size(), 2U * 16U * 196U);
  // Header 64, dense 1536, codes 6272, ids 84 rounded up to 128.
  EXPECT_EQ(payload.size(), 64U + 1536U + 6272U + 128U);
  EXPECT_TRUE(embedding_is_intact(payload));
}

TEST(EmbeddingPayload, SameVectorsGiveTheSameBytes) {
  std::mt19937 random(2);
  const EncodedText encoded = random_encoded(random, 8, 48);
  EXPECT_EQ(pack_embedding(encoded), pack_embedding(encoded));
}

TEST(EmbeddingPayload, EmptyTextHasNoTokens) {
  EncodedText encoded;
  encoded.dense.assign(16, 0.25F);
  const std::vector<std::byte> payload = pack_embedding(encoded);
  const EmbeddingView view = MUST(view_embedding(payload));
  EXPECT_EQ(view.tokens, 0U);
  EXPECT_TRUE(view.codes.empty());
  EXPECT_TRUE(view.token_ids.empty());
  const std::vector<std::byte> nothing = pack_embedding(EncodedText{});
  EXPECT_EQ(MUST(view_embedding(nothing)).dims, 0U);
}

TEST(EmbeddingPayload, TokensWithoutVectorsAreLeftOut) {
  std::mt19937 random(3);
  EncodedText encoded = random_encoded(random, 6, 16);
  encoded.token_vectors.resize(4 * 16);
  encoded.context_tokens = 5;
  const std::vector<std::byte> payload = pack_embedding(encoded);
  EXPECT_EQ(MUST(view_embedding(payload)).tokens, 4U);
  EXPECT_EQ(MUST(view_embedding(payload)).context_tokens, 4U);
}

TEST(EmbeddingPayload, EveryFlippedHeaderBitIsNoticed) {
  std::mt19937 random(4);
  const std::vector<std::byte> payload = pack_embedding(random_encoded(random, 5, 24));
  for (std::size_t bit = 0; bit < sizeof(PayloadHeader) * 8; ++bit) {
    std::vector<std::byte> damaged = payload;
    damaged[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    const auto view = view_embedding(damaged);
    ASSERT_FALSE(view.has_value()) << bit;
    EXPECT_EQ(view.error().code, ErrorCode::kCorrupt);
  }
}

TEST(EmbeddingPayload, EveryFlippedBodyByteIsNoticedByTheCheck) {
  std::mt19937 random(5);
  const std::vector<std::byte> payload = pack_embedding(random_encoded(random, 2, 8));
  for (std::size_t i = sizeof(PayloadHeader); i < payload.size(); ++i) {
    std::vector<std::byte> damaged = payload;
    damaged[i] ^= std::byte{0x10};
    EXPECT_FALSE(embedding_is_intact(damaged)) << i;
  }
}

TEST(EmbeddingPayload, EveryTruncationIsNoticed) {
  std::mt19937 random(6);
  const std::vector<std::byte> payload = pack_embedding(random_encoded(random, 3, 16));
  for (std::size_t size = 0; size < payload.size(); ++size) {
    const std::vector<std::byte> cut(payload.begin(),
                                     payload.begin() + static_cast<std::ptrdiff_t>(size));
    ASSERT_FALSE(view_embedding(cut).has_value()) << size;
  }
}

TEST(EmbeddingPayload, RefusesUnalignedMemory) {
  std::mt19937 random(7);
  const std::vector<std::byte> payload = pack_embedding(random_encoded(random, 1, 8));
  std::vector<std::byte> shifted(payload.size() + 1);
  std::copy(payload.begin(), payload.end(), shifted.begin() + 1);
  const auto view = view_embedding(std::span(shifted).subspan(1));
  ASSERT_FALSE(view.has_value());
  EXPECT_EQ(view.error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace beleg

#include "ingest/free_space.h"

#include <gtest/gtest.h>

namespace beleg {
namespace {

FreeSpace with(std::uint64_t bytes) {
  return FreeSpace("/corpus", [bytes](const std::filesystem::path&) { return bytes; });
}

TEST(FreeSpace, AsksForTheBatchAndTheIndex) {
  // 32 MiB reserve, 2 · 4 MiB batch, 64 · 128 KiB pack, 1024 · 8 KiB index.
  constexpr std::uint64_t kWanted = (32ULL + 8 + 8 + 8) << 20U;
  EXPECT_EQ(FreeSpace::needed(1024, 64), kWanted);
  EXPECT_TRUE(with(kWanted).require(1024, 64));
  const auto refused = with(kWanted - 1).require(1024, 64);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kIo);
  EXPECT_EQ(refused.error().message,
            "the disk of /corpus has 55 MiB free; the next batch and the index of 1024 passages "
            "need 56 MiB");
  EXPECT_EQ(refused.error().remedy, "free some disk space");
}

TEST(FreeSpace, WithoutAnAnswerOfTheSystemAllIsWell) {
  const FreeSpace space("/corpus", [](const std::filesystem::path&) -> Result<std::uint64_t> {
    return fail(ErrorCode::kIo, "no answer");
  });
  EXPECT_TRUE(space.require(1, 1));
  EXPECT_FALSE(FreeSpace::free_bytes("/no/such/folder"));
  EXPECT_GT(FreeSpace::free_bytes("/").value_or(0), 0U);
}

}  // namespace
}  // namespace beleg

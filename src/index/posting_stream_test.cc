#include "index/posting_stream.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace beleg {
namespace {

TEST(StreamArena, GivesBackWhatManyStreamsWereGiven) {
  std::mt19937 random(7);
  StreamArena arena;
  std::vector<StreamArena::Stream> streams(100);
  std::vector<std::string> wanted(streams.size());
  for (int i = 0; i < 30'000; ++i) {
    // A few streams get most, as frequent words do: they grow beyond the largest chunk.
    const std::size_t stream = random() % (random() % streams.size() + 1);
    const std::string bytes(random() % 100, static_cast<char>(random()));
    arena.append(streams[stream], bytes);
    wanted[stream] += bytes;
  }
  EXPECT_GT(wanted[0].size(), 70'000U);
  std::string read;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    arena.read(streams[i], read);
    EXPECT_EQ(read, wanted[i]);
  }
  EXPECT_GE(arena.memory(), 1'000'000U);
}

TEST(StreamArena, AnUnusedStreamIsEmpty) {
  StreamArena arena;
  StreamArena::Stream stream;
  arena.append(stream, "");
  std::string read = "left over";
  arena.read(stream, read);
  EXPECT_EQ(read, "");
  EXPECT_EQ(arena.memory(), 0U);
}

}  // namespace
}  // namespace beleg

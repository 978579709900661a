#include "index/bit_packing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace beleg {
namespace {

/// The packed bytes in memory of exactly the size that may be read.
std::vector<std::byte> packed(const std::vector<std::uint32_t>& values, std::uint32_t bits) {
  std::string bytes;
  bit_packing::pack(values, bits, bytes);
  EXPECT_EQ(bytes.size(), bit_packing::packed_bytes(values.size(), bits));
  std::vector<std::byte> out(bytes.size() + (values.size() < bit_packing::kBlock ? 8 : 0));
  std::ranges::transform(bytes, out.begin(), [](char c) { return static_cast<std::byte>(c); });
  return out;
}

TEST(BitPacking, EveryWidthAndCountComesBack) {
  std::mt19937 random(1);
  for (std::uint32_t bits = 0; bits <= 32; ++bits) {
    const std::uint64_t limit = std::uint64_t{1} << bits;
    for (const std::size_t count :
         {std::size_t{1}, std::size_t{5}, std::size_t{127}, std::size_t{128}}) {
      std::vector<std::uint32_t> values(count);
      for (std::uint32_t& value : values) value = static_cast<std::uint32_t>(random() % limit);
      values.back() = static_cast<std::uint32_t>(limit - 1);
      EXPECT_EQ(bit_packing::bits_for(values), bits);
      std::vector<std::uint32_t> read(count);
      const std::vector<std::byte> bytes = packed(values, bits);
      bit_packing::unpack(bytes.data(), count, bits, read.data());
      ASSERT_EQ(read, values) << bits << " bits, " << count;
      for (std::size_t i = 0; bits > 0 && i < count; ++i) {
        ASSERT_EQ(bit_packing::value_at(bytes.data(), count, bits, i), values[i]);
      }
    }
  }
}

// Value i of a full block is in lane i mod 4: with 8 bits, word 0 of lane 0 has values 0, 4, 8, 12.
TEST(BitPacking, AFullBlockIsInterleaved) {
  std::vector<std::uint32_t> values(bit_packing::kBlock);
  for (std::uint32_t i = 0; i < values.size(); ++i) values[i] = i;
  const std::vector<std::byte> bytes = packed(values, 8);
  const std::vector<int> expected{0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15, 16, 20};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(std::to_integer<int>(bytes[i]), expected[i]) << i;
  }
}

TEST(BitPacking, GapsBecomeAscendingNumbers) {
  std::mt19937 random(2);
  for (const std::uint32_t bits : {0U, 1U, 7U, 20U, 21U, 24U}) {
    for (const std::size_t count : {std::size_t{1}, std::size_t{90}, std::size_t{128}}) {
      std::vector<std::uint32_t> gaps(count);
      for (std::uint32_t& gap : gaps)
        gap = static_cast<std::uint32_t>(random()) & ((1U << bits) - 1);
      const std::vector<std::byte> bytes = packed(gaps, bits);
      std::vector<std::uint32_t> read(count);
      const std::uint64_t end =
          bit_packing::unpack_ascending(bytes.data(), count, bits, 41, read.data());
      std::uint64_t next = 41;
      for (std::size_t i = 0; i < count; ++i) {
        next += gaps[i];
        ASSERT_EQ(read[i], static_cast<std::uint32_t>(next));
        ++next;
      }
      EXPECT_EQ(end, next);
    }
  }
}

TEST(BitPacking, SumsBeyond32BitsAreToldNotWrapped) {
  const std::vector<std::uint32_t> gaps(bit_packing::kBlock, 0xffffffffU);
  const std::vector<std::byte> bytes = packed(gaps, 32);
  std::vector<std::uint32_t> read(gaps.size());
  EXPECT_EQ(bit_packing::unpack_ascending(bytes.data(), gaps.size(), 32, 0, read.data()),
            std::uint64_t{128} << 32U);
}

}  // namespace
}  // namespace beleg

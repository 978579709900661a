#include "index/bit_packing.h"

#include <array>
#include <bit>
#include <cstring>
#include <utility>

namespace beleg::bit_packing {
namespace {

/// Four numbers at a time on every processor that has 128-bit registers (SSE2, NEON); elsewhere the
/// compiler writes plain code.
using Lanes = std::uint32_t __attribute__((vector_size(16)));

constexpr std::size_t kSteps = kBlock / 4;

Lanes load(const std::byte* from) {
  Lanes lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}

void store(std::uint32_t* to, Lanes lanes) { std::memcpy(to, &lanes, sizeof lanes); }

/// With the number of bits known, all shifts are constants.
template <std::uint32_t Bits>
void unpack_block(const std::byte* in, std::uint32_t* out) {
  if constexpr (Bits == 0) {
    std::memset(out, 0, kBlock * sizeof *out);
  } else if constexpr (Bits == 32) {
    std::memcpy(out, in, kBlock * sizeof *out);
  } else {
    constexpr std::uint32_t kMask = (std::uint32_t{1} << Bits) - 1;
    Lanes word = load(in);
    std::uint32_t used = 0;
#pragma GCC unroll 32
    for (std::size_t step = 0; step < kSteps; ++step) {
      Lanes value = word >> used;
      used += Bits;
      if (used >= 32) {
        used -= 32;
        in += sizeof(Lanes);
        if (step + 1 < kSteps || used > 0) word = load(in);
        if (used > 0) value |= word << (Bits - used);
      }
      store(out + 4 * step, value & kMask);
    }
  }
}

template <std::size_t... Bits>
constexpr auto unpack_table(std::index_sequence<Bits...> /*bits*/) {
  return std::array{unpack_block<static_cast<std::uint32_t>(Bits)>...};
}
constexpr auto kUnpackBlock = unpack_table(std::make_index_sequence<33>());

void unpack_stream(const std::byte* in, std::size_t count, std::uint32_t bits, std::uint32_t* out) {
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  std::size_t bit = 0;
  for (std::size_t i = 0; i < count; ++i, bit += bits) {
    std::uint64_t word = 0;
    std::memcpy(&word, in + (bit >> 3U), sizeof word);
    out[i] = static_cast<std::uint32_t>((word >> (bit & 7U)) & mask);
  }
}

void append_word(std::string& out, std::uint32_t word) {
  char bytes[sizeof word];
  std::memcpy(bytes, &word, sizeof word);
  out.append(bytes, sizeof bytes);
}

void pack_block(std::span<const std::uint32_t> values, std::uint32_t bits, std::string& out) {
  std::array<std::array<std::uint32_t, 32>, 4> words{};
  for (std::size_t i = 0; i < kBlock; ++i) {
    const std::size_t bit = i / 4 * bits;
    const std::uint64_t shifted = std::uint64_t{values[i]} << (bit % 32);
    auto& lane = words[i % 4];
    lane[bit / 32] |= static_cast<std::uint32_t>(shifted);
    if (shifted >> 32U != 0) lane[bit / 32 + 1] |= static_cast<std::uint32_t>(shifted >> 32U);
  }
  for (std::uint32_t word = 0; word < bits; ++word) {
    for (const auto& lane : words) append_word(out, lane[word]);
  }
}

void pack_stream(std::span<const std::uint32_t> values, std::uint32_t bits, std::string& out) {
  std::uint64_t pending = 0;
  std::uint32_t held = 0;
  for (const std::uint32_t value : values) {
    pending |= std::uint64_t{value} << held;
    held += bits;
    while (held >= 8) {
      out.push_back(static_cast<char>(pending & 0xffU));
      pending >>= 8U;
      held -= 8;
    }
  }
  if (held > 0) out.push_back(static_cast<char>(pending & 0xffU));
}

}  // namespace

std::uint32_t bits_for(std::span<const std::uint32_t> values) {
  std::uint32_t all = 0;
  for (const std::uint32_t value : values) all |= value;
  return static_cast<std::uint32_t>(std::bit_width(all));
}

void pack(std::span<const std::uint32_t> values, std::uint32_t bits, std::string& out) {
  if (values.size() == kBlock) {
    pack_block(values, bits, out);
  } else {
    pack_stream(values, bits, out);
  }
}

void unpack(const std::byte* in, std::size_t count, std::uint32_t bits, std::uint32_t* out) {
  if (count == kBlock) {
    kUnpackBlock[bits](in, out);
  } else {
    unpack_stream(in, count, bits, out);
  }
}

std::uint32_t value_at(const std::byte* in, std::size_t count, std::uint32_t bits,
                       std::size_t index) {
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  if (count < kBlock) {
    std::uint64_t word = 0;
    std::memcpy(&word, in + (index * bits >> 3U), sizeof word);
    return static_cast<std::uint32_t>((word >> (index * bits & 7U)) & mask);
  }
  const std::size_t bit = index / 4 * bits;
  const auto word_at = [&](std::size_t number) {
    std::uint32_t word = 0;
    std::memcpy(&word, in + (number * 4 + index % 4) * sizeof word, sizeof word);
    return word;
  };
  std::uint64_t words = word_at(bit / 32);
  if (bit % 32 + bits > 32) words |= std::uint64_t{word_at(bit / 32 + 1)} << 32U;
  return static_cast<std::uint32_t>((words >> (bit % 32)) & mask);
}

std::uint64_t unpack_ascending(const std::byte* in, std::size_t count, std::uint32_t bits,
                               std::uint32_t first, std::uint32_t* out) {
  unpack(in, count, bits, out);
  // Few bits cannot overflow 32 bits, so that the sums need no wider numbers.
  constexpr std::uint32_t kFewBits = 20;
  if (count < kBlock || bits > kFewBits || first > std::uint32_t{1} << 31U) {
    std::uint64_t next = first;
    for (std::size_t i = 0; i < count; ++i) {
      next += out[i];
      out[i] = static_cast<std::uint32_t>(next);
      ++next;
    }
    return next;
  }
  // Sums within four numbers do not depend on each other; only the carry goes from step to step.
  const Lanes zero{};
  Lanes carry = Lanes{0, 1, 2, 3} + first;
  for (std::size_t step = 0; step < kSteps; ++step) {
    Lanes sums;
    std::memcpy(&sums, out + 4 * step, sizeof sums);
    sums += __builtin_shufflevector(zero, sums, 0, 4, 5, 6);
    sums += __builtin_shufflevector(zero, sums, 0, 1, 4, 5);
    store(out + 4 * step, sums + carry);
    carry += __builtin_shufflevector(sums, sums, 3, 3, 3, 3) + 4;
  }
  return std::uint64_t{out[kBlock - 1]} + 1;
}

}  // namespace beleg::bit_packing

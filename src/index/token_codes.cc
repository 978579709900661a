#include "index/token_codes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace beleg {
namespace token_codes {
namespace {

/// Step sizes that are tried, as multiples of the vector's root mean square. 0.3352 is the best
/// uniform step of 16 levels for Gaussian values (Max, IRE Trans. Inf. Theory 1960, table II);
/// short and long tails want a little less and more.
constexpr std::array<float, 7> kSteps{0.27F, 0.30F, 0.3352F, 0.36F, 0.39F, 0.42F, 0.46F};

std::uint8_t code_of(float value, float inverse_step) {
  // Clamped to what is not negative first, so that cutting off the fraction rounds down.
  const float level = std::min(std::max(value * inverse_step + 8.0F, 0.0F), 15.0F);
  return static_cast<std::uint8_t>(static_cast<std::int32_t>(level));
}

struct CodedToken {
  std::vector<std::uint8_t> codes;
  float scale = 0.0F;
};

/// Codes whose direction is closest to `values`, and the scale that makes the product of the coded
/// vector with the original exact (the estimator of Gao and Long, SIGMOD 2024: no shrinkage).
CodedToken quantise(std::span<const float> values) {
  CodedToken best;
  best.codes.assign(values.size(), 8);
  float square = 0.0F;
  for (const float value : values) square += value * value;
  if (!(square > 1e-30F) || !std::isfinite(square)) return best;
  const float spread = std::sqrt(square / static_cast<float>(values.size()));
  float best_cosine = 0.0F;
  std::vector<std::uint8_t> codes(values.size());
  for (const float step : kSteps) {
    const float inverse = 1.0F / (step * spread);
    float product = 0.0F;
    float length = 0.0F;
    for (std::size_t i = 0; i < values.size(); ++i) {
      codes[i] = code_of(values[i], inverse);
      const float level = static_cast<float>(codes[i]) - 7.5F;
      product += level * values[i];
      length += level * level;
    }
    const float cosine = product / std::sqrt(length);
    if (cosine > best_cosine) {
      best_cosine = cosine;
      best.scale = square / product;
      best.codes.swap(codes);
    }
  }
  return best;
}

void store(std::byte* block, std::size_t slot, const CodedToken& token) {
  const std::size_t count = token.codes.size() / kGroupDims;
  for (std::size_t g = 0; g < count; ++g) {
    std::byte* const out = block + g * kGroupBytes + slot * 4;
    const std::uint8_t* const in = token.codes.data() + g * kGroupDims;
    for (std::size_t j = 0; j < 4; ++j) {
      out[j] = static_cast<std::byte>(in[j] | (in[j + 4] << 4U));
    }
  }
  std::memcpy(block + count * kGroupBytes + slot * sizeof(float), &token.scale, sizeof(float));
}

}  // namespace

std::vector<std::byte> encode(std::span<const float> vectors, std::uint32_t dims) {
  const std::size_t tokens = dims == 0 ? 0 : vectors.size() / dims;
  const OrthogonalRotation rotation(dims);
  const std::size_t padded = rotation.padded_dims();
  std::vector<float> rotated(tokens * padded);
  for (std::size_t t = 0; t < tokens; ++t) {
    rotation.apply(vectors.subspan(t * dims, dims), std::span(rotated).subspan(t * padded, padded));
  }
  return encode_rotated(rotated, rotation.padded_dims());
}

std::vector<std::byte> encode_rotated(std::span<const float> rotated, std::uint32_t padded) {
  const std::size_t tokens = padded == 0 ? 0 : rotated.size() / padded;
  std::vector<std::byte> codes(bytes(tokens, padded));
  CodedToken token;
  for (std::size_t t = 0; t < blocks(tokens) * kBlockTokens; ++t) {
    if (t < tokens) token = quantise(rotated.subspan(t * padded, padded));
    std::byte* const block = codes.data() + t / kBlockTokens * block_bytes(padded);
    store(block, t % kBlockTokens, token);
  }
  return codes;
}

void copy_token(const std::byte* from, std::size_t index, std::byte* to, std::size_t target,
                std::uint32_t dims) {
  const std::size_t count = groups(dims);
  const std::byte* in = from + index / kBlockTokens * block_bytes(dims) + index % kBlockTokens * 4;
  std::byte* out = to + target / kBlockTokens * block_bytes(dims) + target % kBlockTokens * 4;
  // The scales follow the groups, four bytes a token as well.
  for (std::size_t g = 0; g <= count; ++g) {
    std::memcpy(out + g * kGroupBytes, in + g * kGroupBytes, 4);
  }
}

std::vector<float> decode_rotated(std::span<const std::byte> codes, std::uint32_t dims,
                                  std::size_t index) {
  const std::size_t count = groups(dims);
  const std::byte* const block = codes.data() + index / kBlockTokens * block_bytes(dims);
  const std::size_t slot = index % kBlockTokens;
  float scale = 0.0F;
  std::memcpy(&scale, block + count * kGroupBytes + slot * sizeof(float), sizeof(float));
  std::vector<float> values(count * kGroupDims);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t in_group = i % kGroupDims;
    const auto byte = std::to_integer<std::uint32_t>(
        block[i / kGroupDims * kGroupBytes + slot * 4 + in_group % 4]);
    const std::uint32_t code = in_group < 4 ? byte & 15U : byte >> 4U;
    values[i] = (static_cast<float>(code) - 7.5F) * scale;
  }
  return values;
}

}  // namespace token_codes

CodedQuery::CodedQuery(std::span<const float> vectors, std::uint32_t dims,
                       std::uint32_t max_chunk) {
  const std::size_t tokens = dims == 0 ? 0 : vectors.size() / dims;
  const OrthogonalRotation rotation(dims);
  const std::size_t padded = rotation.padded_dims();
  std::vector<float> rotated(tokens * padded);
  for (std::size_t t = 0; t < tokens; ++t) {
    rotation.apply(vectors.subspan(t * dims, dims), std::span(rotated).subspan(t * padded, padded));
  }
  code(rotated, padded, max_chunk);
}

CodedQuery CodedQuery::from_rotated(std::span<const float> rotated, std::uint32_t padded,
                                    std::uint32_t max_chunk) {
  CodedQuery query;
  query.code(rotated, padded, max_chunk);
  return query;
}

void CodedQuery::code(std::span<const float> rotated, std::size_t padded, std::uint32_t max_chunk) {
  const std::size_t tokens = padded == 0 ? 0 : rotated.size() / padded;
  if (tokens == 0) return;
  std::vector<std::int8_t> flat(tokens * padded);
  scales_.resize(tokens);
  bias_.resize(tokens);
  for (std::size_t t = 0; t < tokens; ++t) {
    const std::span<const float> vector = rotated.subspan(t * padded, padded);
    float largest = 0.0F;
    bool finite = true;
    for (const float value : vector) {
      largest = std::max(largest, std::fabs(value));
      finite = finite && std::isfinite(value);
    }
    // Tiny vectors would make the factor infinite; they say nothing, like zero ones.
    if (!finite || largest < 1e-30F) continue;
    const float inverse = 127.0F / largest;
    std::int32_t sum = 0;
    for (std::size_t i = 0; i < padded; ++i) {
      const float level = std::clamp(std::nearbyint(vector[i] * inverse), -127.0F, 127.0F);
      flat[t * padded + i] = static_cast<std::int8_t>(level);
      sum += flat[t * padded + i];
    }
    bias_[t] = 15 * sum;
    // Kernels compute 2·Σ(code·q) − 15·Σq, which is twice Σ((code − 7.5)·q).
    scales_[t] = largest / 127.0F * 0.5F;
  }

  // Chunks of nearly equal size: 13 tokens go as 7 and 6 rather than as 12 and 1.
  const std::size_t chunk_count = (tokens + max_chunk - 1) / max_chunk;
  codes_.resize(tokens * padded);
  std::size_t first = 0;
  std::int8_t* out = codes_.data();
  for (std::size_t c = 0; c < chunk_count; ++c) {
    const std::size_t count = (tokens - first + chunk_count - c - 1) / (chunk_count - c);
    chunks_.push_back({static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(count), out,
                       bias_.data() + first});
    for (std::size_t i = 0; i < padded; i += 4) {
      for (std::size_t t = first; t < first + count; ++t) {
        std::memcpy(out, flat.data() + t * padded + i, 4);
        out += 4;
      }
    }
    first += count;
  }
}

}  // namespace beleg

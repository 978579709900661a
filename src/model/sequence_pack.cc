#include "model/sequence_pack.h"

#include <algorithm>
#include <numeric>

namespace beleg {
namespace {

// A thread with fewer would mostly read weights that another one has read already.
constexpr std::size_t kTokensPerThread = 64;
// Above this nothing more is gained, and the activations leave the caches.
constexpr std::size_t kMaxTokens = 768;
// Attention among so few tokens costs next to nothing, padded or not.
constexpr std::size_t kShortLength = 64;
// A vector register of the widest processors holds 16 floats. Sums over rows of a multiple of that
// add up in the same order however far a row is padded, because what is padded adds exact zeros.
constexpr std::size_t kRowStep = 16;

std::size_t round_up(std::size_t value, std::size_t step) {
  return (value + step - 1) / step * step;
}

/// Each number of tokens that the network meets costs milliseconds for kernels of its own, so long
/// packs share a few (with 1 to 2 % of empty tokens); short ones are nearly exact.
std::size_t round_tokens(std::size_t tokens) {
  return round_up(tokens, tokens <= 32 ? 4 : tokens <= 128 ? 8 : 16);
}

}  // namespace

std::vector<SequencePack> cut_packs(std::span<const std::size_t> lengths, std::size_t threads) {
  const std::size_t all = std::accumulate(lengths.begin(), lengths.end(), std::size_t{0});
  const std::size_t helpful =
      std::clamp<std::size_t>(all / kTokensPerThread, 1, std::max<std::size_t>(1, threads));
  // Sequences are not divided: half of one more makes up for what does not come out even.
  const std::size_t share = lengths.empty() ? 0 : all / helpful + lengths.front() / 2;
  const std::size_t limit = std::min(share, kMaxTokens);
  std::vector<SequencePack> packs;
  for (std::size_t begin = 0; begin < lengths.size();) {
    const std::size_t longest = lengths[begin];
    std::size_t tokens = longest;
    std::size_t end = begin + 1;
    while (end < lengths.size() && tokens + lengths[end] <= limit &&
           (longest <= kShortLength || lengths[end] * 4 >= longest * 3)) {
      tokens += lengths[end++];
    }
    packs.push_back({begin, end, round_tokens(tokens), round_up(longest, kRowStep)});
    begin = end;
  }
  return packs;
}

}  // namespace beleg

#include "model/sequence_pack.h"

#include <algorithm>
#include <numeric>

namespace beleg {
namespace {

// A thread with fewer would mostly read weights that another one has read already.
constexpr std::size_t kTokensPerThread = 24;
// Above this nothing more is gained, and the activations leave the caches.
constexpr std::size_t kMaxTokens = 256;

}  // namespace

std::vector<SequencePack> cut_packs(std::span<const std::size_t> lengths, std::size_t threads) {
  const std::size_t all = std::accumulate(lengths.begin(), lengths.end(), std::size_t{0});
  const std::size_t helpful =
      std::clamp<std::size_t>(all / kTokensPerThread, 1, std::max<std::size_t>(1, threads));
  // Sequences are not divided: half of the shortest makes up for what does not come out even.
  const std::size_t share = lengths.empty() ? 0 : all / helpful + lengths.back() / 2;
  const std::size_t limit = std::min(share, kMaxTokens);
  std::vector<SequencePack> packs;
  for (std::size_t begin = 0; begin < lengths.size();) {
    std::size_t tokens = lengths[begin];
    std::size_t end = begin + 1;
    while (end < lengths.size() && tokens + lengths[end] <= limit) tokens += lengths[end++];
    packs.push_back({begin, end});
    begin = end;
  }
  return packs;
}

}  // namespace beleg

#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace beleg {

/// A run of sequences that go through an encoder's network together.
struct SequencePack {
  std::size_t begin = 0;  ///< Of the list of lengths.
  std::size_t end = 0;    ///< Behind the last.
};

/// Cuts a list of lengths, longest first and none 0, into packs for up to `threads` threads. Each
/// pack is large enough for the weights to be read for many tokens at once, and small enough to
/// stay in the caches.
[[nodiscard]] std::vector<SequencePack> cut_packs(std::span<const std::size_t> lengths,
                                                  std::size_t threads);

}  // namespace beleg

#pragma once

#include <compare>
#include <cstdint>

namespace beleg {

/// A half-open range of Unicode code points, [start, end).
struct Span {
  std::uint32_t start = 0;
  std::uint32_t end = 0;

  [[nodiscard]] std::uint32_t size() const { return end - start; }
  [[nodiscard]] bool empty() const { return end <= start; }
  [[nodiscard]] bool contains(Span inner) const { return start <= inner.start && inner.end <= end; }
  [[nodiscard]] bool overlaps(Span other) const { return start < other.end && other.start < end; }
  friend auto operator<=>(const Span&, const Span&) = default;
};

/// A half-open range of bytes of UTF-8 text. A type of its own, so that the two cannot be mixed.
struct ByteSpan {
  std::uint32_t start = 0;
  std::uint32_t end = 0;

  [[nodiscard]] std::uint32_t size() const { return end - start; }
  friend auto operator<=>(const ByteSpan&, const ByteSpan&) = default;
};

}  // namespace beleg

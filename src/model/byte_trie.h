#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace beleg {

/// An immutable map from byte strings to numbers, walked byte by byte. Nodes are numbered breadth
/// first, so that the children of a node lie side by side: nine bytes a node, built from 250,000
/// keys in some tens of milliseconds. Safe to read from many threads.
class ByteTrie {
 public:
  using Node = std::uint32_t;
  static constexpr Node kRoot = 0;
  static constexpr Node kNone = UINT32_MAX;

  struct Entry {
    std::string_view key;
    std::int32_t value = 0;  ///< Not negative.
  };

  ByteTrie() = default;
  /// Keys need not be sorted. Of equal keys the last one counts; empty keys are left out.
  explicit ByteTrie(std::span<const Entry> entries);

  /// The child of `node` along `byte`, or kNone.
  [[nodiscard]] Node child(Node node, std::uint8_t byte) const {
    if (node == kRoot) return root_children_[byte];
    const std::uint32_t end = first_child_[node + 1];
    for (std::uint32_t i = first_child_[node]; i < end; ++i) {
      if (labels_[i] == byte) return i;
    }
    return kNone;
  }
  /// The value of the key that ends in `node`, or −1.
  [[nodiscard]] std::int32_t value(Node node) const { return values_[node]; }
  [[nodiscard]] std::size_t size() const { return values_.size(); }  ///< Nodes, with the root.

 private:
  std::array<Node, 256> root_children_ = all_none();
  std::vector<std::uint32_t> first_child_ = {1, 1};  // Children of n: [first_child_[n], [n + 1]).
  std::vector<std::uint8_t> labels_ = {0};           // Byte on the edge that leads to a node.
  std::vector<std::int32_t> values_ = {-1};

  static constexpr std::array<Node, 256> all_none() {
    std::array<Node, 256> children{};
    children.fill(kNone);
    return children;
  }
};

}  // namespace beleg

#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

namespace beleg {

/// Grapheme borders of one text (Unicode Standard Annex 29), asked for one by one. Keeps a view:
/// the text must outlive it. Not thread-safe.
class GraphemeBorders {
 public:
  explicit GraphemeBorders(std::string_view text);
  ~GraphemeBorders();
  GraphemeBorders(const GraphemeBorders&) = delete;
  GraphemeBorders& operator=(const GraphemeBorders&) = delete;

  /// The last border at or before byte `offset`.
  [[nodiscard]] std::uint32_t at_or_before(std::uint32_t offset);
  /// The first border at or after byte `offset`.
  [[nodiscard]] std::uint32_t at_or_after(std::uint32_t offset);

 private:
  struct State;
  /// True without asking ICU where neither neighbour can join another character.
  [[nodiscard]] bool is_plain_border(std::uint32_t offset) const;
  State& state();

  std::string_view text_;
  std::unique_ptr<State> state_;  // Made when first needed; most texts never need it.
};

}  // namespace beleg

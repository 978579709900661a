#include "passage/graphemes.h"

#include <unicode/ubrk.h>
#include <unicode/utext.h>

namespace beleg {

struct GraphemeBorders::State {
  UText* text = nullptr;
  UBreakIterator* iterator = nullptr;

  explicit State(std::string_view source) {
    UErrorCode status = U_ZERO_ERROR;
    text =
        utext_openUTF8(nullptr, source.data(), static_cast<std::int64_t>(source.size()), &status);
    iterator = ubrk_open(UBRK_CHARACTER, "", nullptr, 0, &status);
    ubrk_setUText(iterator, text, &status);
    if (U_FAILURE(status)) {
      ubrk_close(iterator);
      iterator = nullptr;
    }
  }
  ~State() {
    if (iterator != nullptr) ubrk_close(iterator);
    if (text != nullptr) utext_close(text);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

GraphemeBorders::GraphemeBorders(std::string_view text) : text_(text) {}
GraphemeBorders::~GraphemeBorders() = default;

GraphemeBorders::State& GraphemeBorders::state() {
  if (!state_) state_ = std::make_unique<State>(text_);
  return *state_;
}

bool GraphemeBorders::is_plain_border(std::uint32_t offset) const {
  if (offset == 0 || offset >= text_.size()) return true;
  const auto before = static_cast<unsigned char>(text_[offset - 1]);
  const auto after = static_cast<unsigned char>(text_[offset]);
  if (before == '\r' && after == '\n') return false;
  // Only ASCII before (nothing there binds to the right) and a character below U+0300 after
  // (nothing there binds to the left; lead bytes up to CB encode U+0080 to U+02FF).
  return before < 0x80 && (after < 0x80 || (after >= 0xc2 && after <= 0xcb));
}

std::uint32_t GraphemeBorders::at_or_before(std::uint32_t offset) {
  if (is_plain_border(offset)) return offset;
  UBreakIterator* iterator = state().iterator;
  if (iterator == nullptr) return offset;
  if (ubrk_isBoundary(iterator, static_cast<std::int32_t>(offset)) != 0) return offset;
  const std::int32_t border = ubrk_preceding(iterator, static_cast<std::int32_t>(offset));
  return border == UBRK_DONE ? 0 : static_cast<std::uint32_t>(border);
}

std::uint32_t GraphemeBorders::at_or_after(std::uint32_t offset) {
  if (is_plain_border(offset)) return offset;
  UBreakIterator* iterator = state().iterator;
  if (iterator == nullptr) return offset;
  if (ubrk_isBoundary(iterator, static_cast<std::int32_t>(offset)) != 0) return offset;
  const std::int32_t border = ubrk_following(iterator, static_cast<std::int32_t>(offset));
  return border == UBRK_DONE ? static_cast<std::uint32_t>(text_.size())
                             : static_cast<std::uint32_t>(border);
}

}  // namespace beleg

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/span.h"

namespace beleg {

/// True when `bytes` is well-formed UTF-8 (no surrogates, no overlong forms, at most U+10FFFF).
[[nodiscard]] bool is_valid_utf8(std::string_view bytes);

/// Number of code points of well-formed UTF-8.
[[nodiscard]] std::uint32_t count_code_points(std::string_view text);

/// Decodes well-formed UTF-8.
[[nodiscard]] std::u32string decode_utf8(std::string_view text);
void append_utf8(char32_t code_point, std::string& out);

/// Maps between byte offsets and code-point offsets of one text in O(1) plus a scan of at most 64
/// characters; of pure ASCII at once. Keeps a view: the text must outlive it, be well-formed and
/// shorter than 4 GiB. Safe to read from many threads.
class CodePointIndex {
 public:
  explicit CodePointIndex(std::string_view text);

  [[nodiscard]] std::uint32_t size() const { return code_points_; }  ///< In code points.
  /// Byte offset at which code point `index` starts. Requires index <= size().
  [[nodiscard]] std::uint32_t byte_of(std::uint32_t index) const;
  /// Index of the code point that starts at or covers byte `offset`. Requires offset <= text bytes.
  [[nodiscard]] std::uint32_t code_point_of(std::uint32_t offset) const;

  [[nodiscard]] ByteSpan to_bytes(Span span) const {
    return {byte_of(span.start), byte_of(span.end)};
  }
  [[nodiscard]] Span to_code_points(ByteSpan span) const {
    return {code_point_of(span.start), code_point_of(span.end)};
  }
  /// The text of a span. The view dies with the indexed text.
  [[nodiscard]] std::string_view slice(Span span) const;

 private:
  std::string_view text_;
  std::uint32_t code_points_ = 0;
  // Both stay empty for pure ASCII, where the two offsets are the same.
  std::vector<std::uint32_t> byte_checkpoints_;        // Byte offset of code point 64 i.
  std::vector<std::uint32_t> code_point_checkpoints_;  // Code points that start before byte 64 i.
};

}  // namespace beleg

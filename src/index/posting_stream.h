#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace beleg {

/// Memory for many byte streams that grow side by side. A stream lies in chunks, each twice as
/// large as the one before, so that a short one takes little and a long one few steps. What it
/// hands out lives as long as it does.
class StreamArena {
 public:
  /// One stream. Empty at first; written and read through its arena only.
  struct Stream {
    std::byte* first = nullptr;  ///< First chunk.
    std::byte* next = nullptr;   ///< Where the next byte goes.
    std::byte* end = nullptr;    ///< Of the last chunk.
    std::uint32_t chunk = 0;     ///< Bytes of the last chunk.
  };

  void append(Stream& stream, std::string_view bytes);
  /// Appends the first `count` bytes of a buffer that has kShort of them.
  void append_short(Stream& stream, const char* bytes, std::size_t count) {
    if (static_cast<std::size_t>(stream.end - stream.next) < kShort) {
      append(stream, {bytes, count});
      return;
    }
    // A whole register: what is too much is written over by the next bytes.
    std::memcpy(stream.next, bytes, kShort);
    stream.next += count;
  }
  static constexpr std::size_t kShort = 16;
  /// Replaces `out` by all bytes of a stream.
  void read(const Stream& stream, std::string& out) const;
  /// Bytes of all chunks. The rest of the last page does not count: it has not been touched.
  [[nodiscard]] std::size_t memory() const {
    return pages_.empty() ? 0 : (pages_.size() - 1) * kPage + used_;
  }

 private:
  static constexpr std::size_t kPage = std::size_t{1} << 20U;

  std::byte* take_chunk(std::size_t bytes);
  void add_chunk(Stream& stream);

  std::vector<std::unique_ptr<std::byte[]>> pages_;
  std::size_t used_ = kPage;  // Of the last page.
};

}  // namespace beleg

#include "index/posting_stream.h"

#include <algorithm>
#include <cstring>

namespace beleg {
namespace {

// A chunk starts with the address of the next one.
constexpr std::size_t kLink = sizeof(std::byte*);
constexpr std::uint32_t kFirstChunk = 16;
constexpr std::uint32_t kLargestChunk = 1U << 15U;

}  // namespace

std::byte* StreamArena::take_chunk(std::size_t bytes) {
  if (used_ + bytes > kPage) {
    pages_.push_back(std::make_unique_for_overwrite<std::byte[]>(kPage));
    used_ = 0;
  }
  std::byte* const chunk = pages_.back().get() + used_;
  used_ += bytes;
  return chunk;
}

void StreamArena::add_chunk(Stream& stream) {
  std::byte* const before = stream.end == nullptr ? nullptr : stream.end - stream.chunk;
  stream.chunk = before == nullptr ? kFirstChunk : std::min(stream.chunk * 2, kLargestChunk);
  std::byte* const chunk = take_chunk(stream.chunk);
  if (before == nullptr) {
    stream.first = chunk;
  } else {
    std::memcpy(before, static_cast<const void*>(&chunk), kLink);
  }
  stream.next = chunk + kLink;
  stream.end = chunk + stream.chunk;
}

void StreamArena::append(Stream& stream, std::string_view bytes) {
  while (!bytes.empty()) {
    if (stream.next == stream.end) add_chunk(stream);
    const std::size_t count =
        std::min(bytes.size(), static_cast<std::size_t>(stream.end - stream.next));
    std::memcpy(stream.next, bytes.data(), count);
    stream.next += count;
    bytes.remove_prefix(count);
  }
}

void StreamArena::read(const Stream& stream, std::string& out) const {
  out.clear();
  const std::byte* chunk = stream.first;
  std::uint32_t size = kFirstChunk;
  while (chunk != nullptr) {
    const bool last = chunk == stream.end - stream.chunk;
    const std::byte* const end = last ? stream.next : chunk + size;
    out.append(reinterpret_cast<const char*>(chunk + kLink),
               static_cast<std::size_t>(end - chunk) - kLink);
    if (last) return;
    std::memcpy(static_cast<void*>(&chunk), chunk, kLink);
    size = std::min(size * 2, kLargestChunk);
  }
}

}  // namespace beleg

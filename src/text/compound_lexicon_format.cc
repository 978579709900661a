// The byte form of a compound lexicon, all numbers little-endian:
//   8 bytes  magic "BELEGLEX"
//   u32      version, 1
//   u32      number of entries
//   entries, sorted by word, each:
//     varint  letters shared with the word before
//     varint  further letters, then these letters in Latin-1
//     varint  count
//     u8      flags
//   u64      XXH3 checksum of everything before it

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/hash.h"
#include "text/compound_lexicon.h"

namespace beleg {
namespace {

constexpr std::string_view kMagic = "BELEGLEX";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kHeaderBytes = 16;
constexpr std::size_t kChecksumBytes = 8;
constexpr std::size_t kMinEntryBytes = 5;
constexpr std::size_t kMaxWordLetters = 255;

template <class Number>
void append_number(Number number, std::string& out) {
  for (std::size_t i = 0; i < sizeof(Number); ++i) {
    out.push_back(static_cast<char>((number >> (8U * i)) & 0xFFU));
  }
}

void append_varint(std::uint32_t number, std::string& out) {
  while (number >= 0x80U) {
    out.push_back(static_cast<char>((number & 0x7FU) | 0x80U));
    number >>= 7U;
  }
  out.push_back(static_cast<char>(number));
}

template <class Number>
Number read_number(std::string_view bytes) {
  Number number = 0;
  for (std::size_t i = 0; i < sizeof(Number); ++i) {
    number |= static_cast<Number>(static_cast<unsigned char>(bytes[i])) << (8U * i);
  }
  return number;
}

std::uint64_t checksum_of(std::string_view bytes) {
  return checksum64(std::as_bytes(std::span(bytes.data(), bytes.size())));
}

// Reads forward; every read says whether there was enough left.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : rest_(bytes) {}

  std::optional<std::uint32_t> varint() {
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < 35; shift += 7) {
      if (rest_.empty()) return std::nullopt;
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      number |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
      if (byte < 0x80U) {
        if (number > 0xFFFFFFFFULL) return std::nullopt;
        return static_cast<std::uint32_t>(number);
      }
    }
    return std::nullopt;
  }

  std::optional<std::string_view> bytes(std::size_t count) {
    if (count > rest_.size()) return std::nullopt;
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

  [[nodiscard]] bool at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

std::optional<LexiconEntry> read_entry(Cursor& cursor, std::string_view previous) {
  const std::optional<std::uint32_t> shared = cursor.varint();
  if (!shared || *shared > previous.size()) return std::nullopt;
  const std::optional<std::uint32_t> further = cursor.varint();
  if (!further || *shared + std::size_t{*further} > kMaxWordLetters) return std::nullopt;
  const std::optional<std::string_view> letters = cursor.bytes(*further);
  if (!letters) return std::nullopt;
  const std::optional<std::uint32_t> count = cursor.varint();
  const std::optional<std::string_view> flags = cursor.bytes(1);
  if (!count || !flags) return std::nullopt;
  LexiconEntry entry;
  entry.word.assign(previous.substr(0, *shared)).append(*letters);
  entry.count = *count;
  entry.flags = static_cast<std::uint8_t>((*flags)[0]);
  if (entry.word.size() < 2 || entry.word <= previous || (entry.flags & ~kAllLexiconFlags) != 0) {
    return std::nullopt;
  }
  return entry;
}

}  // namespace

std::string serialize_lexicon(const std::vector<LexiconEntry>& entries) {
  std::string bytes(kMagic);
  append_number(kVersion, bytes);
  append_number(static_cast<std::uint32_t>(entries.size()), bytes);
  std::string_view previous;
  for (const LexiconEntry& entry : entries) {
    const std::string_view word = entry.word;
    const auto fork = std::mismatch(word.begin(), word.end(), previous.begin(), previous.end());
    const auto shared = static_cast<std::size_t>(fork.first - word.begin());
    append_varint(static_cast<std::uint32_t>(shared), bytes);
    append_varint(static_cast<std::uint32_t>(word.size() - shared), bytes);
    bytes.append(word.substr(shared));
    append_varint(entry.count, bytes);
    bytes.push_back(static_cast<char>(entry.flags));
    previous = word;
  }
  append_number(checksum_of(bytes), bytes);
  return bytes;
}

std::optional<std::vector<LexiconEntry>> parse_lexicon(std::string_view bytes) {
  if (bytes.size() < kHeaderBytes + kChecksumBytes || !bytes.starts_with(kMagic)) {
    return std::nullopt;
  }
  const std::string_view body = bytes.substr(0, bytes.size() - kChecksumBytes);
  if (read_number<std::uint64_t>(bytes.substr(body.size())) != checksum_of(body)) {
    return std::nullopt;
  }
  if (read_number<std::uint32_t>(body.substr(8)) != kVersion) return std::nullopt;
  const auto count = read_number<std::uint32_t>(body.substr(12));
  Cursor cursor(body.substr(kHeaderBytes));
  if (count > (body.size() - kHeaderBytes) / kMinEntryBytes) return std::nullopt;
  std::vector<LexiconEntry> entries;
  entries.reserve(count);
  std::string previous;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::optional<LexiconEntry> entry = read_entry(cursor, previous);
    if (!entry) return std::nullopt;
    previous = entry->word;
    entries.push_back(std::move(*entry));
  }
  if (!cursor.at_end()) return std::nullopt;
  return entries;
}

}  // namespace beleg

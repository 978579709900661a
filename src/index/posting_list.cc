#include "index/posting_list.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace beleg {
namespace {

/// The top bit of a width byte says that all values are whole words: stored divided by the unit.
constexpr std::uint32_t kWholeWords = 0x80;
constexpr std::uint32_t kWidthMask = 0x3f;
constexpr std::size_t kBlockHeader = 4;
/// Frequencies have at most so many bits: a million occurrences in one passage.
constexpr std::uint32_t kFrequencyBits = 24;
constexpr std::uint32_t kMaxFrequency = (1U << kFrequencyBits) - kFrequencyUnit;

std::uint32_t bits_for(std::span<const std::uint32_t> values) {
  std::uint32_t all = 0;
  for (const std::uint32_t value : values) all |= value;
  return static_cast<std::uint32_t>(std::bit_width(all));
}

std::size_t packed_bytes(std::size_t count, std::uint32_t bits) { return (count * bits + 7) / 8; }

void pack(std::span<const std::uint32_t> values, std::uint32_t bits, std::string& out) {
  std::uint64_t pending = 0;
  std::uint32_t held = 0;
  for (const std::uint32_t value : values) {
    pending |= std::uint64_t{value} << held;
    held += bits;
    while (held >= 8) {
      out.push_back(static_cast<char>(pending & 0xffU));
      pending >>= 8U;
      held -= 8;
    }
  }
  if (held > 0) out.push_back(static_cast<char>(pending & 0xffU));
}

/// Reads eight bytes wherever a value starts: the caller keeps as many behind the last one.
template <class Number>
void unpack(const std::byte* bytes, std::size_t count, std::uint32_t bits, std::uint32_t unit,
            Number* out) {
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  std::size_t bit = 0;
  for (std::size_t i = 0; i < count; ++i, bit += bits) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + (bit >> 3U), sizeof word);
    out[i] = static_cast<Number>(static_cast<std::uint32_t>((word >> (bit & 7U)) & mask) * unit);
  }
}

/// Values of one field of a block, and how they are to be written.
struct FieldColumn {
  std::vector<std::uint32_t> values;
  std::uint8_t width = 0;

  void settle() {
    const bool whole = std::all_of(values.begin(), values.end(),
                                   [](std::uint32_t value) { return value % kFrequencyUnit == 0; });
    if (whole) {
      for (std::uint32_t& value : values) value /= kFrequencyUnit;
    }
    width = static_cast<std::uint8_t>(bits_for(values) | (whole ? kWholeWords : 0U));
  }
  void append_to(std::string& out) const { pack(values, width & kWidthMask, out); }
};

void encode_block(std::span<const Posting> postings, std::uint32_t first_possible,
                  std::string& out) {
  std::vector<std::uint32_t> gaps;
  FieldColumn body;
  FieldColumn title;
  FieldColumn headings;
  std::uint32_t next = first_possible;
  for (const Posting& posting : postings) {
    gaps.push_back(posting.document - next);
    next = posting.document + 1;
    body.values.push_back(std::min(posting.frequencies.body, kMaxFrequency));
    title.values.push_back(std::min(posting.frequencies.title, kMaxFrequency));
    headings.values.push_back(std::min(posting.frequencies.headings, kMaxFrequency));
  }
  const std::uint32_t gap_bits = bits_for(gaps);
  out.push_back(static_cast<char>(gap_bits));
  for (FieldColumn* column : {&body, &title, &headings}) {
    column->settle();
    out.push_back(static_cast<char>(column->width));
  }
  pack(gaps, gap_bits, out);
  for (const FieldColumn* column : {&body, &title, &headings}) column->append_to(out);
}

void append_u32(std::string& out, std::uint32_t value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  out.append(bytes, sizeof bytes);
}

}  // namespace

std::string encode_postings(std::span<const Posting> postings) {
  std::string directory;
  std::string blocks;
  std::uint32_t first_possible = 0;
  for (std::size_t start = 0; start < postings.size(); start += kDocumentsPerBlock) {
    const std::size_t count = std::min<std::size_t>(kDocumentsPerBlock, postings.size() - start);
    const std::span<const Posting> block = postings.subspan(start, count);
    encode_block(block, first_possible, blocks);
    first_possible = block.back().document + 1;
    append_u32(directory, block.back().document);
    append_u32(directory, static_cast<std::uint32_t>(blocks.size()));
  }
  return postings.size() <= kDocumentsPerBlock ? blocks : directory + blocks;
}

PostingList::PostingList(std::span<const std::byte> postings, const TermEntry& entry,
                         std::uint32_t documents)
    : section_(postings), documents_(documents), frequency_(entry.document_frequency) {
  const std::uint64_t usable =
      postings.size() < kPostingsSlack ? 0 : postings.size() - kPostingsSlack;
  if (entry.offset > usable || entry.size > usable - entry.offset || frequency_ > documents) return;
  const std::uint32_t count = (frequency_ + kDocumentsPerBlock - 1) / kDocumentsPerBlock;
  const std::size_t directory = count > 1 ? std::size_t{count} * sizeof(BlockEntry) : 0;
  if (directory > entry.size) return;
  list_begin_ = entry.offset;
  blocks_begin_ = list_begin_ + directory;
  list_end_ = list_begin_ + entry.size;
  blocks_ = count;
}

PostingList::BlockEntry PostingList::block_entry(std::uint32_t index) const {
  BlockEntry entry;
  std::memcpy(&entry, section_.data() + list_begin_ + index * sizeof entry, sizeof entry);
  return entry;
}

bool PostingList::decode(std::uint32_t index, PostingBlock& block) const {
  std::size_t begin = blocks_begin_;
  std::uint64_t next = 0;
  if (index > 0) {
    const BlockEntry before = block_entry(index - 1);
    begin += before.end;
    next = std::uint64_t{before.last_document} + 1;
  }
  if (begin > list_end_ || list_end_ - begin < kBlockHeader) return false;
  const std::byte* in = section_.data() + begin;
  std::array<std::uint32_t, kBlockHeader> header;
  for (std::size_t i = 0; i < kBlockHeader; ++i) header[i] = std::to_integer<std::uint32_t>(in[i]);
  in += kBlockHeader;

  block.count = std::min(kDocumentsPerBlock, frequency_ - index * kDocumentsPerBlock);
  std::size_t needed = 0;
  for (std::size_t i = 0; i < kBlockHeader; ++i) {
    const std::uint32_t bits = header[i] & kWidthMask;
    if (bits > (i == 0 ? 32 : kFrequencyBits)) return false;
    needed += packed_bytes(block.count, bits);
  }
  if (needed > list_end_ - begin - kBlockHeader) return false;

  unpack(in, block.count, header[0] & kWidthMask, 1, block.documents.data());
  in += packed_bytes(block.count, header[0] & kWidthMask);
  // Sums of gaps only grow, so that the last document bounds them all.
  for (std::uint32_t i = 0; i < block.count; ++i) {
    next += block.documents[i];
    block.documents[i] = static_cast<std::uint32_t>(next);
    ++next;
  }
  if (next > documents_) return false;

  std::int32_t* const columns[] = {block.body.data(), block.title.data(), block.headings.data()};
  for (std::size_t field = 0; field < 3; ++field) {
    const std::uint32_t bits = header[field + 1] & kWidthMask;
    const std::uint32_t unit = (header[field + 1] & kWholeWords) != 0 ? kFrequencyUnit : 1;
    if (bits > 0 || field == 0) unpack(in, block.count, bits, unit, columns[field]);
    in += packed_bytes(block.count, bits);
  }
  block.in_title = (header[2] & kWidthMask) > 0;
  block.in_headings = (header[3] & kWidthMask) > 0;
  return true;
}

bool PostingList::contains(std::uint32_t document) const {
  if (blocks_ == 0) return false;
  std::uint32_t low = 0;
  std::uint32_t high = blocks_ - 1;
  while (low < high) {
    const std::uint32_t middle = (low + high) / 2;
    if (block_entry(middle).last_document < document) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  PostingBlock block;
  if (!decode(low, block)) return false;
  const auto end = block.documents.begin() + block.count;
  return std::binary_search(block.documents.begin(), end, document);
}

}  // namespace beleg

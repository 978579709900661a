#include "index/posting_list.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "index/bit_packing.h"

namespace beleg {
namespace {

static_assert(kDocumentsPerBlock == bit_packing::kBlock);

/// The top bit of a width byte says that all values are whole words: stored divided by the unit.
constexpr std::uint32_t kWholeWords = 0x80;
constexpr std::uint32_t kWidthMask = 0x3f;
constexpr std::size_t kBlockHeader = 4;
/// Frequencies have at most so many bits: a million occurrences in one passage.
constexpr std::uint32_t kFrequencyBits = 24;
constexpr std::uint32_t kMaxFrequency = (1U << kFrequencyBits) - kFrequencyUnit;

/// Values of one field of a block, and how they are to be written.
struct FieldColumn {
  std::array<std::uint32_t, kDocumentsPerBlock> values;
  std::size_t count = 0;

  void push(std::uint32_t value) { values[count++] = std::min(value, kMaxFrequency); }
  [[nodiscard]] std::span<std::uint32_t> all() { return std::span(values).first(count); }
  std::uint8_t settle() {
    const std::span<std::uint32_t> column = all();
    const bool whole = std::all_of(column.begin(), column.end(),
                                   [](std::uint32_t value) { return value % kFrequencyUnit == 0; });
    if (whole) {
      for (std::uint32_t& value : column) value /= kFrequencyUnit;
    }
    width = bit_packing::bits_for(column);
    return static_cast<std::uint8_t>(width | (whole ? kWholeWords : 0U));
  }
  std::uint32_t width = 0;
};

void encode_block(std::span<const Posting> postings, std::uint32_t first_possible,
                  std::string& out) {
  std::array<std::uint32_t, kDocumentsPerBlock> gaps;
  std::array<FieldColumn, 3> columns;
  std::uint32_t next = first_possible;
  for (std::size_t i = 0; i < postings.size(); ++i) {
    gaps[i] = postings[i].document - next;
    next = postings[i].document + 1;
    columns[0].push(postings[i].frequencies.body);
    columns[1].push(postings[i].frequencies.title);
    columns[2].push(postings[i].frequencies.headings);
  }
  const auto all_gaps = std::span<const std::uint32_t>(gaps).first(postings.size());
  const std::uint32_t gap_bits = bit_packing::bits_for(all_gaps);
  out.push_back(static_cast<char>(gap_bits));
  for (FieldColumn& column : columns) out.push_back(static_cast<char>(column.settle()));
  bit_packing::pack(all_gaps, gap_bits, out);
  for (FieldColumn& column : columns) bit_packing::pack(column.all(), column.width, out);
}

std::uint16_t impact_frequency(const FieldFrequencies& frequencies, ImpactWeights weights) {
  const double units = std::ceil(double{weights.title} * frequencies.title +
                                 double{weights.headings} * frequencies.headings +
                                 double{static_cast<double>(frequencies.body)});
  // Written so that NaN (a senseless weight) is unbounded too.
  if (!(units < Impact::kUnbounded)) return Impact::kUnbounded;
  return static_cast<std::uint16_t>(std::max(units, 0.0));
}

/// The pairs of a block that no other pair dominates, merged until they are few enough: of two
/// neighbours, the larger frequency with the smaller length.
std::array<Impact, kImpacts> impacts_of(std::span<const Posting> postings,
                                        std::span<const std::uint8_t> length_classes,
                                        ImpactWeights weights) {
  std::array<std::uint16_t, 256> highest{};  // By length class.
  for (const Posting& posting : postings) {
    std::uint16_t& of_class = highest[length_classes[posting.document]];
    of_class = std::max(of_class, impact_frequency(posting.frequencies, weights));
  }
  std::vector<Impact> best;
  for (std::size_t i = 0; i < highest.size(); ++i) {
    if (highest[i] > (best.empty() ? 0 : best.back().frequency)) {
      best.push_back({highest[i], static_cast<std::uint8_t>(i)});
    }
  }
  if (best.empty()) best.push_back({});
  while (best.size() > kImpacts) {
    std::size_t cheapest = 0;
    int least = std::numeric_limits<int>::max();
    for (std::size_t i = 0; i + 1 < best.size(); ++i) {
      const int loss = (best[i + 1].frequency - best[i].frequency) *
                       (best[i + 1].length_class - best[i].length_class);
      if (loss < least) {
        least = loss;
        cheapest = i;
      }
    }
    best[cheapest].frequency = best[cheapest + 1].frequency;
    best.erase(best.begin() + static_cast<std::ptrdiff_t>(cheapest) + 1);
  }
  std::array<Impact, kImpacts> out;
  for (std::size_t i = 0; i < kImpacts; ++i) out[i] = best[std::min(i, best.size() - 1)];
  return out;
}

}  // namespace

EncodedPostings encode_postings(std::span<const Posting> postings,
                                std::span<const std::uint8_t> length_classes,
                                ImpactWeights weights) {
  EncodedPostings out;
  std::string blocks;
  const bool has_directory = postings.size() > kDocumentsPerBlock;
  std::uint32_t first_possible = 0;
  for (std::size_t start = 0; start < postings.size(); start += kDocumentsPerBlock) {
    const std::size_t count = std::min<std::size_t>(kDocumentsPerBlock, postings.size() - start);
    const std::span<const Posting> block = postings.subspan(start, count);
    encode_block(block, first_possible, blocks);
    first_possible = block.back().document + 1;
    for (const Posting& posting : block) out.positions += posting.positions;
    if (!has_directory) continue;
    PostingList::BlockEntry entry;
    entry.last_document = block.back().document;
    entry.end = static_cast<std::uint32_t>(blocks.size());
    entry.positions_end = static_cast<std::uint32_t>(out.positions.size());
    const auto impacts = impacts_of(block, length_classes, weights);
    for (std::size_t i = 0; i < kImpacts; ++i) {
      entry.frequencies[i] = impacts[i].frequency;
      entry.length_classes[i] = impacts[i].length_class;
    }
    out.list.append(reinterpret_cast<const char*>(&entry), sizeof entry);
  }
  out.list += blocks;
  return out;
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

/// Where the packed numbers of a block are.
struct PostingList::Layout {
  const std::byte* gaps = nullptr;
  std::uint32_t first = 0;  // The first document that the block may have.
  std::array<std::uint32_t, kBlockHeader> header{};
};

/// Checks that the block lies inside the list, and sets its count.
std::optional<PostingList::Layout> PostingList::open_block(std::uint32_t index,
                                                           PostingBlock& block) const {
  std::size_t begin = blocks_begin_;
  std::uint64_t first = 0;
  if (index > 0) {
    const BlockEntry before = block_entry(index - 1);
    begin += before.end;
    first = std::uint64_t{before.last_document} + 1;
  }
  if (begin > list_end_ || list_end_ - begin < kBlockHeader || first >= documents_) {
    return std::nullopt;
  }
  Layout layout;
  layout.first = static_cast<std::uint32_t>(first);
  layout.gaps = section_.data() + begin + kBlockHeader;
  block.count = std::min(kDocumentsPerBlock, frequency_ - index * kDocumentsPerBlock);
  std::size_t needed = 0;
  for (std::size_t i = 0; i < kBlockHeader; ++i) {
    layout.header[i] = std::to_integer<std::uint32_t>(section_[begin + i]);
    const std::uint32_t bits = layout.header[i] & kWidthMask;
    if (bits > (i == 0 ? 32 : kFrequencyBits)) return std::nullopt;
    needed += bit_packing::packed_bytes(block.count, bits);
  }
  if (needed > list_end_ - begin - kBlockHeader) return std::nullopt;
  return layout;
}

bool PostingList::decode_documents(const Layout& layout, PostingBlock& block) const {
  // Numbers only grow, so that the last document bounds them all.
  return bit_packing::unpack_ascending(layout.gaps, block.count, layout.header[0] & kWidthMask,
                                       layout.first, block.documents.data()) <= documents_;
}

void PostingList::decode_frequencies(const Layout& layout, PostingBlock& block) {
  const std::byte* in =
      layout.gaps + bit_packing::packed_bytes(block.count, layout.header[0] & kWidthMask);
  std::int32_t* const columns[] = {block.body.data(), block.title.data(), block.headings.data()};
  for (std::size_t field = 0; field < 3; ++field) {
    const std::uint32_t bits = layout.header[field + 1] & kWidthMask;
    if (bits > 0 || field == 0) {
      // At most 24 bits and one unit: the sign stays clear.
      auto* const out = reinterpret_cast<std::uint32_t*>(columns[field]);
      bit_packing::unpack(in, block.count, bits, out);
      if ((layout.header[field + 1] & kWholeWords) != 0) {
        for (std::uint32_t i = 0; i < block.count; ++i) out[i] *= kFrequencyUnit;
      }
    }
    in += bit_packing::packed_bytes(block.count, bits);
  }
  block.in_title = (layout.header[2] & kWidthMask) > 0;
  block.in_headings = (layout.header[3] & kWidthMask) > 0;
}

bool PostingList::decode_documents(std::uint32_t index, PostingBlock& block) const {
  const std::optional<Layout> layout = open_block(index, block);
  return layout && decode_documents(*layout, block);
}

bool PostingList::decode_frequencies(std::uint32_t index, PostingBlock& block) const {
  const std::optional<Layout> layout = open_block(index, block);
  if (layout) decode_frequencies(*layout, block);
  return layout.has_value();
}

bool PostingList::decode(std::uint32_t index, PostingBlock& block) const {
  const std::optional<Layout> layout = open_block(index, block);
  if (!layout || !decode_documents(*layout, block)) return false;
  decode_frequencies(*layout, block);
  return true;
}

FieldFrequencies PostingList::frequencies_at(std::uint32_t index, std::uint32_t posting,
                                             std::uint32_t count) const {
  PostingBlock header;  // Only its count is set.
  const std::optional<Layout> layout = open_block(index, header);
  FieldFrequencies frequencies;
  if (!layout || header.count != count || posting >= count) return frequencies;
  const std::byte* in =
      layout->gaps + bit_packing::packed_bytes(count, layout->header[0] & kWidthMask);
  std::uint32_t* const columns[] = {&frequencies.body, &frequencies.title, &frequencies.headings};
  for (std::size_t field = 0; field < 3; ++field) {
    const std::uint32_t bits = layout->header[field + 1] & kWidthMask;
    const std::uint32_t unit = (layout->header[field + 1] & kWholeWords) != 0 ? kFrequencyUnit : 1;
    if (bits > 0) *columns[field] = bit_packing::value_at(in, count, bits, posting) * unit;
    in += bit_packing::packed_bytes(count, bits);
  }
  return frequencies;
}

std::uint32_t PostingList::block_with(std::uint32_t document, std::uint32_t from) const {
  if (blocks_ <= 1) return std::min(from, blocks_);
  // Most steps are short.
  std::uint32_t low = from;
  std::uint32_t step = 1;
  while (low < blocks_ && block_entry(low).last_document < document) {
    from = low + 1;
    low += step;
    step *= 2;
  }
  std::uint32_t high = std::min(low, blocks_);
  low = from;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (block_entry(middle).last_document < document) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

std::uint32_t PostingList::last_document(std::uint32_t index) const {
  return blocks_ <= 1 ? documents_ - 1 : block_entry(index).last_document;
}

std::array<Impact, kImpacts> PostingList::impacts(std::uint32_t index) const {
  std::array<Impact, kImpacts> out;
  if (blocks_ <= 1) {
    out.fill({Impact::kUnbounded, 0});
    return out;
  }
  const BlockEntry entry = block_entry(index);
  for (std::size_t i = 0; i < kImpacts; ++i) {
    out[i] = {entry.frequencies[i], entry.length_classes[i]};
  }
  return out;
}

std::optional<PostingList::Place> PostingList::find(std::uint32_t document) const {
  const std::uint32_t index = block_with(document, 0);
  PostingBlock block;
  if (index >= blocks_ || !decode_documents(index, block)) return std::nullopt;
  const auto end = block.documents.begin() + block.count;
  const auto found = std::lower_bound(block.documents.begin(), end, document);
  if (found == end || *found != document) return std::nullopt;
  return Place{index, static_cast<std::uint32_t>(found - block.documents.begin()), block.count};
}

bool PostingList::contains(std::uint32_t document) const { return find(document).has_value(); }

std::optional<FieldFrequencies> PostingList::frequencies_of(std::uint32_t document) const {
  const std::optional<Place> place = find(document);
  if (!place) return std::nullopt;
  return frequencies_at(place->block, place->posting, place->count);
}

}  // namespace beleg

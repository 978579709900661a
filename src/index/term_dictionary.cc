#include "index/term_dictionary.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "index/varint.h"

namespace beleg {
namespace {

/// Reads the next term of a block over the one before. False when the bytes are damaged.
bool read_term(std::span<const std::byte> bytes, std::size_t& offset, std::string& term) {
  const auto shared = read_varint(bytes, offset);
  const auto rest = read_varint(bytes, offset);
  if (!shared || !rest || *shared > term.size() || *rest > bytes.size() - offset) return false;
  term.resize(static_cast<std::size_t>(*shared));
  term.append(reinterpret_cast<const char*>(bytes.data()) + offset,
              static_cast<std::size_t>(*rest));
  offset += static_cast<std::size_t>(*rest);
  return true;
}

}  // namespace

std::uint64_t term_prefix(std::string_view term) {
  std::uint64_t prefix = 0;
  std::memcpy(&prefix, term.data(), std::min(term.size(), sizeof prefix));
  if constexpr (std::endian::native == std::endian::little) prefix = __builtin_bswap64(prefix);
  return prefix;
}

Result<TermDictionary> TermDictionary::open(const SectionFile& file, std::uint32_t part,
                                            std::uint32_t terms) {
  TermDictionary opened;
  opened.bytes_ = TRY(file.bytes(kLexicalTerms, part));
  const std::uint64_t blocks = (std::uint64_t{terms} + kTermsPerBlock - 1) / kTermsPerBlock;
  opened.blocks_ = TRY(file.values<std::uint32_t>(kLexicalTermBlocks, part, blocks));
  opened.prefixes_ = TRY(file.values<std::uint64_t>(kLexicalTermPrefixes, part, blocks));
  opened.entries_ = TRY(file.values<TermEntry>(kLexicalTermEntries, part, terms));
  return opened;
}

std::optional<std::uint32_t> TermDictionary::find(std::string_view term) const {
  if (term.empty()) return std::nullopt;
  // The last block whose first term is not after `term`. Prefixes decide but for equal ones.
  const std::uint64_t prefix = term_prefix(term);
  const auto first_equal = std::lower_bound(prefixes_.begin(), prefixes_.end(), prefix);
  auto after = first_equal;
  std::string current;
  while (after != prefixes_.end() && *after == prefix) {
    std::size_t offset = blocks_[static_cast<std::size_t>(after - prefixes_.begin())];
    current.clear();
    if (offset > bytes_.size() || !read_term(bytes_, offset, current) || current > term) break;
    ++after;
  }
  if (after == prefixes_.begin()) return std::nullopt;
  const auto block = static_cast<std::size_t>(after - prefixes_.begin()) - 1;
  std::size_t offset = blocks_[block];
  if (offset > bytes_.size()) return std::nullopt;
  current.clear();
  const std::size_t end = std::min<std::size_t>((block + 1) * kTermsPerBlock, entries_.size());
  for (std::size_t i = block * kTermsPerBlock; i < end; ++i) {
    if (!read_term(bytes_, offset, current) || current > term) return std::nullopt;
    if (current == term) return static_cast<std::uint32_t>(i);
  }
  return std::nullopt;
}

bool TermDictionary::Cursor::next() {
  if (next_ >= dictionary_->size()) return false;
  if (next_ % kTermsPerBlock == 0) {
    offset_ = dictionary_->blocks_[next_ / kTermsPerBlock];
    if (offset_ > dictionary_->bytes_.size()) return false;
    term_.clear();
  }
  if (!read_term(dictionary_->bytes_, offset_, term_)) return false;
  number_ = next_++;
  return true;
}

void TermDictionaryBuilder::add(std::string_view term, const TermEntry& entry) {
  std::size_t shared = 0;
  if (entries_.size() % kTermsPerBlock == 0) {
    blocks_.push_back(static_cast<std::uint32_t>(bytes_.size()));
    prefixes_.push_back(term_prefix(term));
  } else {
    const std::size_t limit = std::min(previous_.size(), term.size());
    while (shared < limit && previous_[shared] == term[shared]) ++shared;
  }
  append_varint(bytes_, shared);
  append_varint(bytes_, term.size() - shared);
  bytes_ += term.substr(shared);
  previous_ = term;
  entries_.push_back(entry);
}

Result<void> TermDictionaryBuilder::add_sections(SectionFileWriter& file,
                                                 std::uint32_t part) const {
  if (bytes_.size() > std::numeric_limits<std::uint32_t>::max()) {
    return fail(ErrorCode::kLimit, "the terms of one language exceed 4 GB", "split the corpus");
  }
  file.add_text(kLexicalTerms, part, bytes_);
  file.add_values(kLexicalTermBlocks, part, blocks_);
  file.add_values(kLexicalTermPrefixes, part, prefixes_);
  file.add_values(kLexicalTermEntries, part, entries_);
  return {};
}

}  // namespace beleg

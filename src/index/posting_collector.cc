#include "index/posting_collector.h"

#include <algorithm>
#include <limits>
#include <span>

#include "base/hash.h"
#include "index/position_codec.h"
#include "index/term_dictionary.h"
#include "index/varint.h"

namespace beleg {
namespace {

constexpr std::size_t kFirstSlots = 1024;
// How far ahead memory is asked for. Terms of a document lie anywhere.
constexpr std::size_t kAhead = 8;
constexpr std::size_t kMaxVarint = 10;

std::uint16_t saturated_sum(std::uint16_t sum, std::uint32_t more) {
  return static_cast<std::uint16_t>(
      std::min<std::uint32_t>(sum + more, std::numeric_limits<std::uint16_t>::max()));
}

}  // namespace

std::string_view PostingCollector::text_of(std::uint32_t term) const {
  const std::size_t begin = term == 0 ? 0 : terms_[term - 1].text_end;
  return std::string_view(pool_).substr(begin, terms_[term].text_end - begin);
}

void PostingCollector::grow() {
  std::vector<Slot> larger(std::max(kFirstSlots, slots_.size() * 2));
  const std::size_t mask = larger.size() - 1;
  for (const Slot& slot : slots_) {
    if (slot.term == 0) continue;
    std::size_t at = slot.hash & mask;
    while (larger[at].term != 0) at = (at + 1) & mask;
    larger[at] = slot;
  }
  slots_ = std::move(larger);
}

std::uint32_t PostingCollector::number_of(std::string_view term) {
  if ((terms_.size() + 1) * 2 > slots_.size()) grow();
  const auto hash =
      static_cast<std::uint32_t>(checksum64(std::as_bytes(std::span(term.data(), term.size()))));
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  while (slots_[at].term != 0) {
    if (slots_[at].hash == hash && text_of(slots_[at].term - 1) == term) return slots_[at].term - 1;
    at = (at + 1) & mask;
  }
  const auto number = static_cast<std::uint32_t>(terms_.size());
  pool_ += term;
  terms_.push_back({.text_end = pool_.size()});
  slots_[at] = {hash, number + 1};
  return number;
}

void PostingCollector::begin_document() {
  finish_document();
  ++documents_;
}

void PostingCollector::add(std::uint32_t term, TextField field, std::uint32_t position,
                           std::uint32_t units) {
  occurrences_.push_back({term, position, units, field, 0});
}

void PostingCollector::group_by_term() {
  locals_.clear();
  const std::size_t count = occurrences_.size();
  for (std::size_t i = 0; i < std::min(kAhead, count); ++i) {
    __builtin_prefetch(&terms_[occurrences_[i].term]);
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (i + kAhead < count) __builtin_prefetch(&terms_[occurrences_[i + kAhead].term]);
    const Occurrence& one = occurrences_[i];
    Term& term = terms_[one.term];
    // Numbers of former documents are left in the terms: they are right where they lead back.
    if (term.local >= locals_.size() || locals_[term.local].term != one.term) {
      term.local = static_cast<std::uint32_t>(locals_.size());
      locals_.push_back({.term = one.term});
    }
    Local& local = locals_[term.local];
    switch (one.field) {
      case TextField::kBody:
        local.body += one.units;
        break;
      case TextField::kTitle:
        local.title = saturated_sum(local.title, one.units);
        break;
      case TextField::kHeadings:
        local.headings = saturated_sum(local.headings, one.units);
        break;
    }
    Chain& chain = local.chains[static_cast<std::size_t>(one.field)];
    const auto number = static_cast<std::uint32_t>(i + 1);
    if (chain.first == 0) {
      chain.first = number;
    } else {
      occurrences_[chain.last - 1].next = number;
    }
    chain.last = number;
  }
}

// Gap to the document before × 2 + (1 when title and headings follow), body, those two, and where
// positions are kept, the bytes of their runs and the runs.
void PostingCollector::pack(const Local& local) {
  Term& term = terms_[local.term];
  const std::uint32_t document = documents_ - 1;
  const std::uint64_t gap = document - term.next_document;
  term.next_document = document + 1;
  ++term.documents;
  const bool other_fields = local.title != 0 || local.headings != 0;
  const Chain& body = local.chains[0];
  if (!other_fields && keeps_positions_ && body.first == body.last) {
    // One occurrence in the body, as most have: at most 5 + 1 + 1 + 5 bytes.
    std::array<char, 4 * kMaxVarint> bytes{};
    char* end = write_varint(bytes.data(), gap << 1U);
    end = write_varint(end, local.body);
    char* const size = end++;
    end = write_varint(end, std::uint64_t{occurrences_[body.first - 1].position} << 1U);
    *size = static_cast<char>(end - size - 1);
    arena_.append_short(term.postings, bytes.data(), static_cast<std::size_t>(end - bytes.data()));
    return;
  }
  packed_.clear();
  append_varint(packed_, gap << 1U | static_cast<std::uint64_t>(other_fields));
  append_varint(packed_, local.body);
  if (other_fields) {
    append_varint(packed_, local.title);
    append_varint(packed_, local.headings);
  }
  if (keeps_positions_) {
    runs_.clear();
    for (const Chain& chain : local.chains) {
      if (chain.first != 0) pack_run(chain);
    }
    append_varint(packed_, runs_.size());
    packed_ += runs_;
  }
  arena_.append(term.postings, packed_);
}

void PostingCollector::pack_run(const Chain& chain) {
  run_.clear();
  for (std::uint32_t one = chain.first; one != 0; one = occurrences_[one - 1].next) {
    run_.push_back(occurrences_[one - 1].position);
  }
  position_codec::append_run(run_, runs_);
}

void PostingCollector::finish_document() {
  group_by_term();
  for (std::size_t i = 0; i < locals_.size(); ++i) {
    if (i + kAhead < locals_.size()) {
      __builtin_prefetch(terms_[locals_[i + kAhead].term].postings.next, 1);
    }
    pack(locals_[i]);
  }
  occurrences_.clear();
}

std::size_t PostingCollector::memory() const {
  return arena_.memory() + pool_.size() + terms_.size() * sizeof(Term) +
         slots_.size() * sizeof(Slot);
}

std::vector<std::uint32_t> PostingCollector::sorted_terms() const {
  struct Key {
    std::uint64_t prefix;  // Decides most comparisons without a look at the text.
    std::uint32_t term;
  };
  std::vector<Key> keys;
  keys.reserve(terms_.size());
  for (std::uint32_t term = 0; term < terms_.size(); ++term) {
    keys.push_back({term_prefix(text_of(term)), term});
  }
  std::sort(keys.begin(), keys.end(), [this](const Key& a, const Key& b) {
    return a.prefix != b.prefix ? a.prefix < b.prefix : text_of(a.term) < text_of(b.term);
  });
  std::vector<std::uint32_t> terms;
  terms.reserve(keys.size());
  for (const Key& key : keys) terms.push_back(key.term);
  return terms;
}

void PostingCollector::unpack(const Term& term, std::vector<Posting>& postings) {
  arena_.read(term.postings, packed_);
  const auto bytes = std::as_bytes(std::span(packed_));
  std::size_t offset = 0;
  const auto next = [&] {
    return static_cast<std::uint32_t>(read_varint(bytes, offset).value_or(0));
  };
  std::uint32_t document = 0;
  postings.clear();
  for (std::uint32_t i = 0; i < term.documents; ++i) {
    const std::uint64_t gap = read_varint(bytes, offset).value_or(0);
    Posting& posting = postings.emplace_back();
    document += static_cast<std::uint32_t>(gap >> 1U);
    posting.document = document++;
    posting.frequencies.body = next();
    if ((gap & 1U) != 0) {
      posting.frequencies.title = next();
      posting.frequencies.headings = next();
    }
    if (!keeps_positions_) continue;
    const std::size_t size = next();
    posting.positions = std::string_view(packed_).substr(offset, size);
    offset += size;
  }
}

Result<void> PostingCollector::write(LexicalPartWriter& writer) {
  finish_document();
  std::vector<Posting> postings;
  for (const std::uint32_t term : sorted_terms()) {
    // A number may have been asked for a term that was then not added.
    if (terms_[term].documents == 0) continue;
    unpack(terms_[term], postings);
    TRY(writer.add_term(text_of(term), postings));
  }
  *this = PostingCollector(keeps_positions_);
  return {};
}

}  // namespace beleg

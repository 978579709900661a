#include "index/posting_collector.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/hash.h"
#include "index/position_codec.h"
#include "index/term_dictionary.h"

namespace beleg {
namespace {

constexpr std::size_t kFirstSlots = 1024;

std::uint16_t saturated_sum(std::uint16_t sum, std::uint32_t more) {
  return static_cast<std::uint16_t>(
      std::min<std::uint32_t>(sum + more, std::numeric_limits<std::uint16_t>::max()));
}

}  // namespace

std::string_view PostingCollector::text_of(std::uint32_t term) const {
  const std::size_t begin = term == 0 ? 0 : term_ends_[term - 1];
  return std::string_view(pool_).substr(begin, term_ends_[term] - begin);
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
  if ((term_ends_.size() + 1) * 2 > slots_.size()) grow();
  const auto hash =
      static_cast<std::uint32_t>(checksum64(std::as_bytes(std::span(term.data(), term.size()))));
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  while (slots_[at].term != 0) {
    if (slots_[at].hash == hash && text_of(slots_[at].term - 1) == term) return slots_[at].term - 1;
    at = (at + 1) & mask;
  }
  const auto number = static_cast<std::uint32_t>(term_ends_.size());
  pool_ += term;
  term_ends_.push_back(pool_.size());
  latest_.push_back(0);
  slots_[at] = {hash, number + 1};
  return number;
}

void PostingCollector::begin_document() {
  finish_document();
  ++documents_;
}

void PostingCollector::add(std::uint32_t term, TextField field, std::uint32_t position,
                           std::uint32_t units) {
  std::size_t index = latest_[term];
  if (index <= document_start_) {  // Occurrences are counted from 1 here.
    occurrences_.push_back({.document = documents_ - 1});
    terms_.push_back(term);
    index = occurrences_.size();
    latest_[term] = static_cast<std::uint32_t>(index);
    if (keeps_positions_) chains_.resize(chains_.size() + 3);
  }
  Occurrence& occurrence = occurrences_[index - 1];
  switch (field) {
    case TextField::kBody:
      occurrence.body += units;
      break;
    case TextField::kTitle:
      occurrence.title = saturated_sum(occurrence.title, units);
      break;
    case TextField::kHeadings:
      occurrence.headings = saturated_sum(occurrence.headings, units);
      break;
  }
  if (!keeps_positions_) return;
  Chain& chain = chains_[(index - 1 - document_start_) * 3 + static_cast<std::size_t>(field)];
  places_.push_back({position, 0});
  const auto place = static_cast<std::uint32_t>(places_.size());
  if (chain.first == 0) {
    chain.first = place;
  } else {
    places_[chain.last - 1].next = place;
  }
  chain.last = place;
}

void PostingCollector::finish_document() {
  if (keeps_positions_) {
    for (std::size_t i = document_start_; i < occurrences_.size(); ++i) {
      occurrences_[i].positions = static_cast<std::uint32_t>(positions_.size());
      for (std::size_t field = 0; field < 3; ++field) {
        std::uint32_t place = chains_[(i - document_start_) * 3 + field].first;
        if (place == 0) continue;
        run_.clear();
        for (; place != 0; place = places_[place - 1].next) {
          run_.push_back(places_[place - 1].position);
        }
        position_codec::append_run(run_, positions_);
      }
    }
    places_.clear();
    chains_.clear();
  }
  document_start_ = occurrences_.size();
}

std::size_t PostingCollector::memory() const {
  // Sorting by term needs the occurrences once more.
  return occurrences_.size() * (2 * sizeof(Occurrence) + 3 * sizeof(std::uint32_t)) +
         positions_.size() + pool_.size() +
         term_ends_.size() * (sizeof(std::uint64_t) + sizeof(std::uint32_t)) +
         slots_.size() * sizeof(Slot);
}

std::vector<std::uint32_t> PostingCollector::sorted_terms() const {
  struct Key {
    std::uint64_t prefix;  // Decides most comparisons without a look at the text.
    std::uint32_t term;
  };
  std::vector<Key> keys;
  keys.reserve(term_ends_.size());
  for (std::uint32_t term = 0; term < term_ends_.size(); ++term) {
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

Result<void> PostingCollector::write(LexicalPartWriter& writer) {
  finish_document();
  // A counting sort by term, which keeps the order of the documents.
  std::vector<std::size_t> starts(term_ends_.size() + 1, 0);
  for (const std::uint32_t term : terms_) ++starts[term + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  struct Sorted {
    Occurrence occurrence;
    std::uint32_t positions_end;
  };
  std::vector<Sorted> sorted(occurrences_.size());
  {
    std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
    for (std::size_t i = 0; i < occurrences_.size(); ++i) {
      const std::uint32_t end = i + 1 < occurrences_.size()
                                    ? occurrences_[i + 1].positions
                                    : static_cast<std::uint32_t>(positions_.size());
      sorted[next[terms_[i]]++] = {occurrences_[i], keeps_positions_ ? end : 0};
    }
  }
  occurrences_ = {};
  terms_ = {};

  std::vector<Posting> postings;
  for (const std::uint32_t term : sorted_terms()) {
    // A number may have been asked for a term that was then not added.
    if (starts[term] == starts[term + 1]) continue;
    postings.clear();
    for (std::size_t i = starts[term]; i < starts[term + 1]; ++i) {
      const Occurrence& one = sorted[i].occurrence;
      postings.push_back({one.document,
                          {one.body, one.title, one.headings},
                          std::string_view(positions_)
                              .substr(one.positions, sorted[i].positions_end - one.positions)});
    }
    TRY(writer.add_term(text_of(term), postings));
  }
  *this = PostingCollector(keeps_positions_);
  return {};
}

}  // namespace beleg

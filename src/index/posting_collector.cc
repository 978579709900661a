#include "index/posting_collector.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/hash.h"
#include "index/position_codec.h"

namespace beleg {
namespace {

constexpr std::size_t kFirstSlots = 1024;

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

void PostingCollector::add(std::string_view term, TextField field, std::uint32_t position,
                           std::uint32_t units) {
  const std::uint32_t number = number_of(term);
  std::size_t index = latest_[number];
  if (index <= document_start_) {  // Occurrences are counted from 1 here.
    occurrences_.push_back({.term = number, .document = documents_ - 1});
    index = occurrences_.size();
    latest_[number] = static_cast<std::uint32_t>(index);
    if (keeps_positions_) chains_.resize(chains_.size() + 3);
  }
  FieldFrequencies& sums = occurrences_[index - 1].frequencies;
  switch (field) {
    case TextField::kBody:
      sums.body += units;
      break;
    case TextField::kTitle:
      sums.title += units;
      break;
    case TextField::kHeadings:
      sums.headings += units;
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
    std::vector<std::uint32_t> run;
    for (std::size_t i = document_start_; i < occurrences_.size(); ++i) {
      const std::size_t before = positions_.size();
      for (std::size_t field = 0; field < 3; ++field) {
        std::uint32_t place = chains_[(i - document_start_) * 3 + field].first;
        if (place == 0) continue;
        run.clear();
        for (; place != 0; place = places_[place - 1].next) {
          run.push_back(places_[place - 1].position);
        }
        position_codec::append_run(run, positions_);
      }
      occurrences_[i].positions_size = static_cast<std::uint32_t>(positions_.size() - before);
    }
    places_.clear();
    chains_.clear();
  }
  document_start_ = occurrences_.size();
}

std::size_t PostingCollector::memory() const {
  // Sorting by term needs the occurrences once more.
  return occurrences_.size() * (sizeof(Occurrence) + sizeof(Posting)) + positions_.size() +
         pool_.size() + term_ends_.size() * (sizeof(std::uint64_t) + sizeof(std::uint32_t)) +
         slots_.size() * sizeof(Slot);
}

Result<void> PostingCollector::write(LexicalPartWriter& writer) {
  finish_document();
  // A counting sort by term, which keeps the order of the documents.
  std::vector<std::size_t> starts(term_ends_.size() + 1, 0);
  for (const Occurrence& occurrence : occurrences_) ++starts[occurrence.term + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<Posting> postings(occurrences_.size());
  {
    std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
    std::size_t place = 0;
    for (const Occurrence& occurrence : occurrences_) {
      postings[next[occurrence.term]++] = {
          occurrence.document, occurrence.frequencies,
          std::string_view(positions_).substr(place, occurrence.positions_size)};
      place += occurrence.positions_size;
    }
  }
  occurrences_ = {};

  std::vector<std::uint32_t> order(term_ends_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(),
            [this](std::uint32_t a, std::uint32_t b) { return text_of(a) < text_of(b); });
  for (const std::uint32_t term : order) {
    TRY(writer.add_term(text_of(term), std::span<const Posting>(postings).subspan(
                                           starts[term], starts[term + 1] - starts[term])));
  }
  *this = PostingCollector(keeps_positions_);
  return {};
}

}  // namespace beleg

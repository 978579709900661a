#include "index/occurrence_cursor.h"

#include <algorithm>
#include <array>

#include "index/position_codec.h"

namespace beleg {
namespace {

/// In the order in which their runs are stored.
constexpr std::array<TextField, 3> kFields{TextField::kBody, TextField::kTitle,
                                           TextField::kHeadings};

}  // namespace

OccurrenceCursor::OccurrenceCursor(const LexicalPart& part, const TermEntry& entry)
    : postings_(part.postings(entry)), block_(std::make_unique<PostingBlock>()) {
  if (part.has_positions()) positions_ = part.positions(entry);
  load_block(0);
}

void OccurrenceCursor::load_block(std::uint32_t index) {
  index_ = index;
  at_ = 0;
  has_frequencies_ = false;
  if (index >= postings_.blocks() || !postings_.decode_documents(index, *block_)) {
    index_ = postings_.blocks();
    document_ = kEnd;
    return;
  }
  document_ = block_->documents[0];
}

void OccurrenceCursor::seek(std::uint32_t target) {
  if (document_ >= target) return;
  if (postings_.last_document(index_) < target) {
    load_block(postings_.block_with(target, index_ + 1));
    if (document_ >= target) return;
  }
  const auto begin = block_->documents.begin();
  const auto end = begin + block_->count;
  at_ = static_cast<std::uint32_t>(std::lower_bound(begin + at_, end, target) - begin);
  if (at_ < block_->count) {
    document_ = block_->documents[at_];
  } else {
    load_block(index_ + 1);
  }
}

bool OccurrenceCursor::load_frequencies() {
  if (has_frequencies_) return true;
  if (!postings_.decode_frequencies(index_, *block_)) return false;
  has_frequencies_ = true;
  placed_ = 0;
  place_ = postings_.positions_begin(index_);
  return true;
}

bool OccurrenceCursor::stands_in(TextField field, std::uint32_t posting) const {
  switch (field) {
    case TextField::kBody:
      return block_->body[posting] > 0;
    case TextField::kTitle:
      return block_->in_title && block_->title[posting] > 0;
    case TextField::kHeadings:
      return block_->in_headings && block_->headings[posting] > 0;
  }
  return false;
}

bool OccurrenceCursor::stands_in(TextField field) {
  return load_frequencies() && stands_in(field, at_);
}

bool OccurrenceCursor::find_place() {
  for (; placed_ < at_; ++placed_) {
    for (const TextField field : kFields) {
      if (stands_in(field, placed_) && !position_codec::skip_run(positions_, place_)) return false;
    }
  }
  return true;
}

void OccurrenceCursor::append_positions(TextField field, std::vector<std::uint32_t>& positions) {
  if (!stands_in(field) || !find_place()) return;
  std::size_t place = place_;
  for (const TextField before : kFields) {
    if (before == field) break;
    if (stands_in(before, at_) && !position_codec::skip_run(positions_, place)) return;
  }
  if (position_codec::read_run(positions_, place, run_)) {
    positions.insert(positions.end(), run_.begin(), run_.end());
  }
}

}  // namespace beleg

#include "index/lexical_cursor.h"

#include <algorithm>

namespace beleg {

void TermCursor::load_block(std::uint32_t index) {
  index_ = index;
  at_ = 0;
  has_scores_ = false;
  // A damaged list ends where it cannot be read; verify() reports it.
  if (index >= term_->postings.blocks() ||
      !term_->postings.decode_documents(index, state_->block)) {
    index_ = term_->postings.blocks();
    document_ = kEnd;
    return;
  }
  document_ = state_->block.documents[0];
}

void TermCursor::load_scores() {
  if (has_scores_) return;
  has_scores_ = true;
  if (!term_->postings.decode_frequencies(index_, state_->block)) {
    state_->scores.fill(0);
    return;
  }
  search_->saturation->score(state_->block, search_->length_classes, term_->factor, state_->scores);
}

void TermCursor::settle() {
  if (at_ < state_->block.count) {
    document_ = state_->block.documents[at_];
  } else {
    load_block(index_ + 1);
  }
}

void TermCursor::seek(std::uint32_t target) {
  if (!started_) {
    started_ = true;
    load_block(term_->postings.block_with(target, 0));
  } else if (document_ >= target) {
    return;
  } else if (term_->postings.last_document(index_) < target) {
    load_block(term_->postings.block_with(target, index_ + 1));
  }
  if (document_ >= target) return;
  const auto begin = state_->block.documents.begin();
  const auto end = begin + state_->block.count;
  at_ = static_cast<std::uint32_t>(std::lower_bound(begin + at_, end, target) - begin);
  settle();
}

FixedScore TermCursor::score() {
  if (document_ == kEnd) return 0;
  if (has_scores_) return state_->scores[at_];
  // One document of a block is wanted: unpacking and scoring the others would cost more than all
  // else.
  return search_->saturation->score_one(
      term_->postings.frequencies_at(index_, at_, state_->block.count),
      search_->length_classes[document_], term_->factor);
}

void TermCursor::add_scores(std::uint32_t first, std::uint32_t end, FixedScore* sums) {
  while (document_ < end) {
    load_scores();
    const PostingBlock& block = state_->block;
    std::uint32_t stop = block.count;
    if (block.documents[block.count - 1] >= end) {
      stop =
          static_cast<std::uint32_t>(std::lower_bound(block.documents.begin() + at_,
                                                      block.documents.begin() + block.count, end) -
                                     block.documents.begin());
    }
    for (std::uint32_t i = at_; i < stop; ++i) {
      sums[block.documents[i] - first] += state_->scores[i];
    }
    at_ = stop;
    settle();
  }
}

void TermCursor::make_bounds() {
  if (!bounds_.empty()) return;
  const std::uint32_t blocks = term_->postings.blocks();
  bounds_.reserve(blocks);
  for (std::uint32_t b = 0; b < blocks; ++b) {
    bounds_.push_back(search_->saturation->bound(term_->postings.impacts(b), term_->factor));
    bound_ = std::max(bound_, bounds_.back());
  }
}

FixedScore TermCursor::bound() {
  make_bounds();
  return bound_;
}

FixedScore TermCursor::bound_within(std::uint32_t first, std::uint32_t end) {
  make_bounds();
  FixedScore highest = 0;
  bound_block_ = term_->postings.block_with(first, bound_block_);
  std::uint32_t block = bound_block_;
  std::uint32_t before = first;
  while (block < bounds_.size() && before < end) {
    highest = std::max(highest, bounds_[block]);
    before = term_->postings.last_document(block) + 1;
    ++block;
  }
  return highest;
}

std::uint32_t TermCursor::bound_end(std::uint32_t document) {
  const std::uint32_t block = term_->postings.block_with(document, bound_block_);
  return block < term_->postings.blocks() ? term_->postings.last_document(block) : kEnd - 1;
}

GroupCursor::GroupCursor(const LexicalSearch& search, const SearchGroup& group) {
  for (const SearchTerm& term : group.wholes) wholes_.emplace_back(search, term);
  for (const SearchTerm& term : group.parts) parts_.emplace_back(search, term);
}

void GroupCursor::settle() {
  document_ = TermCursor::kEnd;
  for (const TermCursor& term : wholes_) document_ = std::min(document_, term.document());
  for (const TermCursor& term : parts_) document_ = std::min(document_, term.document());
}

void GroupCursor::seek(std::uint32_t target) {
  for (TermCursor& term : wholes_) term.seek(target);
  for (TermCursor& term : parts_) term.seek(target);
  settle();
}

FixedScore GroupCursor::score_at(std::uint32_t document) {
  FixedScore whole = 0;
  FixedScore parts = 0;
  for (TermCursor& term : wholes_) {
    term.seek(document);
    if (term.document() == document) whole = std::max(whole, term.score());
  }
  for (TermCursor& term : parts_) {
    term.seek(document);
    if (term.document() == document) parts += term.score();
  }
  return group_score(whole, parts);
}

FixedScore GroupCursor::bound() {
  FixedScore whole = 0;
  FixedScore parts = 0;
  for (TermCursor& term : wholes_) whole = std::max(whole, term.bound());
  for (TermCursor& term : parts_) parts += term.bound();
  return group_score(whole, parts);
}

FixedScore GroupCursor::bound_within(std::uint32_t first, std::uint32_t end) {
  FixedScore whole = 0;
  FixedScore parts = 0;
  for (TermCursor& term : wholes_) whole = std::max(whole, term.bound_within(first, end));
  for (TermCursor& term : parts_) parts += term.bound_within(first, end);
  return group_score(whole, parts);
}

std::uint32_t GroupCursor::bound_end(std::uint32_t document) {
  std::uint32_t end = TermCursor::kEnd - 1;
  for (TermCursor& term : wholes_) end = std::min(end, term.bound_end(document));
  for (TermCursor& term : parts_) end = std::min(end, term.bound_end(document));
  return end;
}

}  // namespace beleg

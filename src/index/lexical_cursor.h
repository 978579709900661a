#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "index/lexical_search.h"

namespace beleg {

/// Walks over one posting list in order of documents, a block at a time.
class TermCursor {
 public:
  static constexpr std::uint32_t kEnd = std::numeric_limits<std::uint32_t>::max();

  TermCursor(const LexicalSearch& search, const SearchTerm& term)
      : search_(&search), term_(&term), state_(std::make_unique<State>()) {}

  /// The document that it stands on; kEnd behind the last.
  [[nodiscard]] std::uint32_t document() const { return document_; }
  /// Moves to the first document ≥ `target`, which must not be before the current one.
  void seek(std::uint32_t target);
  /// The score of document().
  [[nodiscard]] FixedScore score();
  /// Adds the scores of all documents from document() to before `end` to sums[document − first],
  /// and moves to the first at or behind `end`.
  void add_scores(std::uint32_t first, std::uint32_t end, FixedScore* sums);
  /// Calls visit(document, score) likewise.
  template <class Visit>
  void for_each(std::uint32_t end, const Visit& visit) {
    while (document_ < end) {
      load_scores();
      while (at_ < state_->block.count && state_->block.documents[at_] < end) {
        visit(state_->block.documents[at_], state_->scores[at_]);
        ++at_;
      }
      settle();
    }
  }

  /// No document of the whole list scores higher.
  [[nodiscard]] FixedScore bound();
  /// No document in [first, end) scores higher; documents before document() may be left out.
  [[nodiscard]] FixedScore bound_within(std::uint32_t first, std::uint32_t end);
  /// The last document for which the bound of the block with `document` holds.
  [[nodiscard]] std::uint32_t bound_end(std::uint32_t document);

 private:
  struct State {
    PostingBlock block;
    std::array<FixedScore, kDocumentsPerBlock> scores;
  };

  void load_block(std::uint32_t index);
  void load_scores();
  /// Goes on to the next block when this one is used up.
  void settle();
  void make_bounds();

  const LexicalSearch* search_;
  const SearchTerm* term_;
  std::unique_ptr<State> state_;    // Large: cursors move, blocks stay.
  std::vector<FixedScore> bounds_;  // By block.
  FixedScore bound_ = 0;
  std::uint32_t index_ = kEnd;  // Of the block in state_; kEnd before the first.
  std::uint32_t bound_block_ = 0;
  std::uint32_t at_ = 0;
  std::uint32_t document_ = 0;
  bool has_scores_ = false;
  bool started_ = false;
};

/// Walks over the documents that have any term of a group.
class GroupCursor {
 public:
  GroupCursor(const LexicalSearch& search, const SearchGroup& group);

  [[nodiscard]] std::uint32_t document() const { return document_; }
  void seek(std::uint32_t target);
  /// The score of the group for `document`, which must not be before document(). Moves there.
  [[nodiscard]] FixedScore score_at(std::uint32_t document);
  [[nodiscard]] FixedScore bound();
  [[nodiscard]] FixedScore bound_within(std::uint32_t first, std::uint32_t end);
  [[nodiscard]] std::uint32_t bound_end(std::uint32_t document);

  [[nodiscard]] std::vector<TermCursor>& wholes() { return wholes_; }
  [[nodiscard]] std::vector<TermCursor>& parts() { return parts_; }
  /// After the terms were moved one by one.
  void settle();

 private:
  std::vector<TermCursor> wholes_;
  std::vector<TermCursor> parts_;
  std::uint32_t document_ = 0;
};

}  // namespace beleg

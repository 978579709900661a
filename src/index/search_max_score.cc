#include <algorithm>
#include <array>
#include <vector>

#include "index/bm25_kernels.h"
#include "index/lexical_cursor.h"
#include "index/lexical_search.h"

namespace beleg {
namespace {

/// Documents of a window: their sums fit into the first-level cache.
constexpr std::uint32_t kWindow = 4096;

/// Sums of a window, kept per thread; all zero between two uses.
struct Window {
  alignas(64) std::array<FixedScore, kWindow> total{};
  alignas(64) std::array<FixedScore, kWindow> wholes{};
  alignas(64) std::array<FixedScore, kWindow> parts{};
  std::vector<std::uint32_t> touched;
};

Window& thread_window() {
  thread_local Window window;
  return window;
}

struct Candidate {
  std::uint32_t document = 0;
  FixedScore score = 0;
};

/// MaxScore (Turtle and Flood 1995) over windows of documents, with the bounds of the blocks that
/// a window touches. The groups that together cannot lift a document over the threshold are only
/// looked up for documents that others brought in.
class MaxScoreSearch {
 public:
  MaxScoreSearch(const LexicalSearch& search, TopK& best) : search_(search), best_(best) {
    for (const SearchGroup& group : search.groups) {
      groups_.push_back({GroupCursor(search, group), group.is_single(), 0});
      groups_.back().cursor.seek(0);
    }
    for (Group& group : groups_) order_.push_back(&group);
  }

  void run() {
    const std::uint32_t documents = search_.part->documents();
    for (std::uint32_t first = 0; first < documents; first += kWindow) {
      search_window(first, std::min(documents, first + kWindow));
    }
  }

 private:
  struct Group {
    GroupCursor cursor;
    bool single;
    FixedScore bound;
  };

  void search_window(std::uint32_t first, std::uint32_t end) {
    for (Group* group : order_) group->bound = group->cursor.bound_within(first, end);
    std::sort(order_.begin(), order_.end(),
              [](const Group* a, const Group* b) { return a->bound < b->bound; });
    const FixedScore wanted = entry_score(search_, best_);
    std::size_t essential = 0;
    FixedScore others = 0;
    while (essential < order_.size() && others + order_[essential]->bound < wanted) {
      others += order_[essential]->bound;
      ++essential;
    }
    if (essential == order_.size()) return;
    Window& window = thread_window();
    for (std::size_t g = essential; g < order_.size(); ++g) {
      order_[g]->cursor.seek(first);
      add_group(*order_[g], first, end, window);
    }
    collect(first, end, others, window);
    finish_candidates(essential, others);
  }

  static void add_group(Group& group, std::uint32_t first, std::uint32_t end, Window& window) {
    if (group.single) {
      std::vector<TermCursor>& terms =
          group.cursor.wholes().empty() ? group.cursor.parts() : group.cursor.wholes();
      terms[0].add_scores(first, end, window.total.data());
      group.cursor.settle();
      return;
    }
    window.touched.clear();
    for (TermCursor& term : group.cursor.wholes()) {
      term.for_each(end, [&](std::uint32_t document, FixedScore score) {
        const std::uint32_t at = document - first;
        if (window.wholes[at] == 0) window.touched.push_back(at);
        window.wholes[at] = std::max(window.wholes[at], score);
      });
    }
    for (TermCursor& term : group.cursor.parts()) {
      term.for_each(end, [&](std::uint32_t document, FixedScore score) {
        const std::uint32_t at = document - first;
        if (window.wholes[at] == 0 && window.parts[at] == 0) window.touched.push_back(at);
        window.parts[at] += score;
      });
    }
    group.cursor.settle();
    for (const std::uint32_t at : window.touched) {
      window.total[at] += group_score(window.wholes[at], window.parts[at]);
      window.wholes[at] = 0;
      window.parts[at] = 0;
    }
  }

  /// Moves what may still enter from the sums into the candidates, and clears the sums. When there
  /// are no other groups, sums are whole: they go straight to the best.
  void collect(std::uint32_t first, std::uint32_t end, FixedScore others, Window& window) {
    candidates_.clear();
    const FindChunk find_chunk = best_find_chunk();
    FixedScore* const total = window.total.data();
    const std::size_t stop = (end - first + kSumChunk - 1) / kSumChunk * kSumChunk;
    std::size_t at = 0;
    while (true) {
      const FixedScore entry = entry_score(search_, best_);
      const FixedScore wanted = entry > others ? entry - others : 1;
      at = find_chunk(total, at, stop, wanted);
      if (at >= stop) return;
      for (std::size_t i = at; i < at + kSumChunk; ++i) {
        if (total[i] >= wanted) {
          const auto document = static_cast<std::uint32_t>(first + i);
          if (others == 0) {
            offer(search_, document, total[i], best_);
          } else {
            candidates_.push_back({document, total[i]});
          }
        }
        total[i] = 0;
      }
      at += kSumChunk;
    }
  }

  void finish_candidates(std::size_t essential, FixedScore others) {
    for (std::size_t g = essential; g-- > 0 && !candidates_.empty();) {
      Group& group = *order_[g];
      others -= group.bound;
      const FixedScore wanted = entry_score(search_, best_);
      std::size_t kept = 0;
      for (Candidate candidate : candidates_) {
        // `others` here is what the groups after this one may add.
        if (candidate.score + group.bound + others < wanted) continue;
        candidate.score += group.cursor.score_at(candidate.document);
        if (candidate.score + others >= wanted) candidates_[kept++] = candidate;
      }
      candidates_.resize(kept);
    }
    for (const Candidate& candidate : candidates_) {
      offer(search_, candidate.document, candidate.score, best_);
    }
  }

  const LexicalSearch& search_;
  TopK& best_;
  std::vector<Group> groups_;
  std::vector<Group*> order_;
  std::vector<Candidate> candidates_;
};

}  // namespace

void search_by_max_score(const LexicalSearch& search, TopK& best) {
  MaxScoreSearch(search, best).run();
}

}  // namespace beleg

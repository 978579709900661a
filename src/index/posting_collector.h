#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "index/lexical_format.h"
#include "index/lexical_part_writer.h"
#include "index/posting_stream.h"
#include "index/text_condition.h"

namespace beleg {

/// Terms and postings in memory while a segment is built. Documents come one after the other.
class PostingCollector {
 public:
  explicit PostingCollector(bool positions) : keeps_positions_(positions) {}

  /// Starts document 0, 1, 2, …
  void begin_document();
  /// The number of a term, which stays the same until write().
  std::uint32_t number_of(std::string_view term);
  /// An occurrence of a term in the current document, `units` in 1 / kFrequencyUnit. Positions
  /// within a field must not descend.
  void add(std::uint32_t term, TextField field, std::uint32_t position, std::uint32_t units);

  /// Bytes that it holds.
  [[nodiscard]] std::size_t memory() const;
  /// Hands all terms to the writer in ascending order, and is empty afterwards.
  Result<void> write(LexicalPartWriter& writer);

 private:
  /// A term and what it has in all documents so far, packed one after the other.
  struct Term {
    std::uint64_t text_end = 0;  ///< In pool_.
    StreamArena::Stream postings;
    std::uint32_t next_document = 0;  ///< The first one that may come next.
    std::uint32_t documents = 0;      ///< With it.
    std::uint32_t local = 0;          ///< Number in locals_, if it is there.
  };
  /// A word of the current document.
  struct Occurrence {
    std::uint32_t term = 0;
    std::uint32_t position = 0;
    std::uint32_t units = 0;
    TextField field = TextField::kBody;
    std::uint32_t next = 0;  ///< Number + 1 of the next one of its term and field; 0: none.
  };
  /// Occurrences of one term and field in the current document, numbers + 1; 0 without any.
  struct Chain {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
  };
  /// What the current document has of one term.
  struct Local {
    std::uint32_t term = 0;
    std::uint32_t body = 0;
    std::uint16_t title = 0;  ///< These two saturate.
    std::uint16_t headings = 0;
    std::array<Chain, 3> chains;
  };
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t term = 0;  ///< Number + 1; 0 is empty.
  };

  void grow();
  void finish_document();
  void group_by_term();
  void pack(const Local& local);
  void pack_run(const Chain& chain);
  void unpack(const Term& term, std::vector<Posting>& postings);
  [[nodiscard]] std::string_view text_of(std::uint32_t term) const;
  [[nodiscard]] std::vector<std::uint32_t> sorted_terms() const;

  bool keeps_positions_;
  std::uint32_t documents_ = 0;

  std::string pool_;  // The terms, one behind the other.
  std::vector<Term> terms_;
  std::vector<Slot> slots_;
  StreamArena arena_;

  std::vector<Occurrence> occurrences_;  // Of the current document.
  std::vector<Local> locals_;
  std::vector<std::uint32_t> run_;
  std::string packed_;  // Of one term.
  std::string runs_;
};

}  // namespace beleg

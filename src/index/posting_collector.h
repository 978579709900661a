#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "index/lexical_format.h"
#include "index/lexical_part_writer.h"
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
  /// What one document has of one term.
  struct Occurrence {
    std::uint32_t document = 0;
    std::uint32_t body = 0;
    std::uint16_t title = 0;  ///< These two saturate.
    std::uint16_t headings = 0;
    std::uint32_t positions = 0;  ///< Where they start; they end where the next ones start.
  };
  /// Positions of the current document, a chain for each (occurrence, field).
  struct Place {
    std::uint32_t position = 0;
    std::uint32_t next = 0;  ///< Number of the next place + 1; 0 ends the chain.
  };
  struct Chain {
    std::uint32_t first = 0;  ///< Number of the place + 1; 0 without any.
    std::uint32_t last = 0;
  };
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t term = 0;  ///< Number + 1; 0 is empty.
  };

  void grow();
  void finish_document();
  [[nodiscard]] std::string_view text_of(std::uint32_t term) const;
  [[nodiscard]] std::vector<std::uint32_t> sorted_terms() const;

  bool keeps_positions_;
  std::uint32_t documents_ = 0;

  std::string pool_;                      // The terms, one behind the other.
  std::vector<std::uint64_t> term_ends_;  // In pool_.
  std::vector<std::uint32_t> latest_;     // Per term: its latest occurrence + 1.
  std::vector<Slot> slots_;

  std::vector<Occurrence> occurrences_;
  std::vector<std::uint32_t> terms_;  // Of the occurrences.
  std::string positions_;
  std::size_t document_start_ = 0;  // First occurrence of the current document.
  std::vector<Place> places_;
  std::vector<Chain> chains_;  // Three for each occurrence of the current document.
  std::vector<std::uint32_t> run_;
};

}  // namespace beleg

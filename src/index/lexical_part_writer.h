#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "index/posting_list.h"
#include "index/rows.h"
#include "index/section_file.h"
#include "index/term_dictionary.h"

namespace beleg {

/// How a part is stored, besides what is in it.
struct LexicalPartForm {
  std::string language;
  ImpactWeights weights;
  bool positions = true;
};

/// Writes one part from its documents and its sorted terms. What it holds must live until the file
/// is written.
class LexicalPartWriter {
 public:
  /// `rows` ascending, with the words of each document's fields.
  LexicalPartWriter(LexicalPartForm form, std::vector<Row> rows, std::vector<FieldLengths> lengths);

  /// Terms in ascending order; postings ascending, not empty, of documents of this part.
  /// kLimit when a list would exceed 4 GB.
  Result<void> add_term(std::string_view term, std::span<const Posting> postings);
  Result<void> add_sections(SectionFileWriter& file, std::uint32_t part);

 private:
  LexicalPartForm form_;
  std::vector<LexicalMeta> meta_;
  std::vector<Row> rows_;
  std::vector<FieldLengths> lengths_;
  std::vector<std::uint8_t> length_classes_;
  TermDictionaryBuilder dictionary_;
  std::string postings_;
  std::string positions_;
};

}  // namespace beleg

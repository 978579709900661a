#include "index/lexical_part_writer.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "index/length_class.h"

namespace beleg {

LexicalPartWriter::LexicalPartWriter(LexicalPartForm form, std::vector<Row> rows,
                                     std::vector<FieldLengths> lengths)
    : form_(std::move(form)), rows_(std::move(rows)), lengths_(std::move(lengths)) {
  LexicalMeta meta;
  std::memcpy(meta.language, form_.language.data(),
              std::min(form_.language.size(), sizeof meta.language));
  meta.documents = static_cast<std::uint32_t>(rows_.size());
  meta.title_weight = form_.weights.title;
  meta.heading_weight = form_.weights.headings;
  meta.has_positions = form_.positions ? 1 : 0;
  length_classes_.reserve(lengths_.size());
  for (const FieldLengths& words : lengths_) {
    meta.body_words += words.body;
    meta.title_words += words.title;
    meta.heading_words += words.headings;
    length_classes_.push_back(
        length_class::of(weighted_length(words, meta.title_weight, meta.heading_weight)));
  }
  meta_.push_back(meta);
}

Result<void> LexicalPartWriter::add_term(std::string_view term, std::span<const Posting> postings) {
  const EncodedPostings encoded = encode_postings(postings, length_classes_, form_.weights);
  constexpr std::size_t kMax = std::numeric_limits<std::uint32_t>::max();
  if (encoded.list.size() > kMax || encoded.positions.size() > kMax) {
    return fail(ErrorCode::kLimit, "the postings of '" + std::string(term) + "' exceed 4 GB",
                "split the corpus");
  }
  dictionary_.add(term, {.offset = postings_.size(),
                         .size = static_cast<std::uint32_t>(encoded.list.size()),
                         .document_frequency = static_cast<std::uint32_t>(postings.size()),
                         .positions = positions_.size()});
  postings_ += encoded.list;
  positions_ += encoded.positions;
  return {};
}

Result<void> LexicalPartWriter::add_sections(SectionFileWriter& file, std::uint32_t part) {
  meta_[0].terms = dictionary_.size();
  postings_.append(kPostingsSlack, '\0');
  file.add_values(kLexicalMeta, part, meta_);
  file.add_values(kLexicalRows, part, rows_);
  file.add_values(kLexicalLengths, part, lengths_);
  file.add_values(kLexicalLengthClasses, part, length_classes_);
  TRY(dictionary_.add_sections(file, part));
  file.add_text(kLexicalPostings, part, postings_);
  file.add_text(kLexicalPositions, part, positions_);
  return {};
}

}  // namespace beleg

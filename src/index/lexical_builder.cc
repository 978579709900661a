#include "index/lexical_builder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "index/posting_list.h"

namespace beleg {
namespace {

void append_varint(std::string& out, std::size_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>((value & 0x7fU) | 0x80U));
    value >>= 7U;
  }
  out.push_back(static_cast<char>(value));
}

std::uint16_t saturated(std::uint32_t value) {
  return static_cast<std::uint16_t>(
      std::min<std::uint32_t>(value, std::numeric_limits<std::uint16_t>::max()));
}

void append_front_coded(const std::vector<const std::string*>& sorted,
                        LexicalPartBuilder::Image& image) {
  std::string_view previous;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const std::string_view term = *sorted[i];
    std::size_t shared = 0;
    if (i % kTermsPerBlock == 0) {
      image.term_blocks.push_back(static_cast<std::uint32_t>(image.terms.size()));
    } else {
      const std::size_t limit = std::min(previous.size(), term.size());
      while (shared < limit && previous[shared] == term[shared]) ++shared;
    }
    append_varint(image.terms, shared);
    append_varint(image.terms, term.size() - shared);
    image.terms += term.substr(shared);
    previous = term;
  }
}

}  // namespace

std::string_view lexical_part_of(std::string_view language) {
  if (language == "de") return "de";
  if (language == "en") return "en";
  return "und";
}

std::uint32_t LexicalPartBuilder::add_field(std::string_view text,
                                            std::uint32_t FieldFrequencies::* field) {
  std::uint32_t words = 0;
  std::uint32_t last_position = std::numeric_limits<std::uint32_t>::max();
  for (const AnalyzedTerm& term : analyzer_->analyze(text)) {
    // Parts share the position of their whole: a compound is one word long.
    if (term.position != last_position && !term.stop_word) ++words;
    last_position = term.position;
    const auto next = static_cast<std::uint32_t>(term_numbers_.size());
    Occurrence occurrence;
    occurrence.term = term_numbers_.emplace(term.term, next).first->second;
    occurrence.document = static_cast<std::uint32_t>(rows_.size());
    const float units = std::clamp(term.weight, 0.0F, 1.0F) * static_cast<float>(kFrequencyUnit);
    occurrence.frequencies.*field = std::max(1U, static_cast<std::uint32_t>(std::lround(units)));
    current_.push_back(occurrence);
  }
  return words;
}

void LexicalPartBuilder::add(Row row, const IndexedText& text) {
  current_.clear();
  FieldLengths lengths;
  lengths.title = saturated(add_field(text.title, &FieldFrequencies::title));
  lengths.headings = saturated(add_field(text.headings, &FieldFrequencies::headings));
  lengths.body = add_field(text.body, &FieldFrequencies::body);
  lengths_.push_back(lengths);
  rows_.push_back(row);

  std::sort(current_.begin(), current_.end(),
            [](const Occurrence& a, const Occurrence& b) { return a.term < b.term; });
  const std::size_t first = occurrences_.size();
  for (const Occurrence& occurrence : current_) {
    if (occurrences_.size() == first || occurrences_.back().term != occurrence.term) {
      occurrences_.push_back(occurrence);
      continue;
    }
    FieldFrequencies& sum = occurrences_.back().frequencies;
    sum.body += occurrence.frequencies.body;
    sum.title += occurrence.frequencies.title;
    sum.headings += occurrence.frequencies.headings;
  }
}

Result<LexicalPartBuilder::Image> LexicalPartBuilder::build() const {
  Image image;
  image.rows = rows_;
  image.lengths = lengths_;
  LexicalMeta meta;
  std::memcpy(meta.language, language_.data(), std::min(language_.size(), sizeof meta.language));
  meta.documents = static_cast<std::uint32_t>(rows_.size());
  meta.terms = static_cast<std::uint32_t>(term_numbers_.size());
  for (const FieldLengths& lengths : lengths_) {
    meta.body_words += lengths.body;
    meta.title_words += lengths.title;
    meta.heading_words += lengths.headings;
  }
  image.meta = {meta};

  // Postings by term number: a counting sort that keeps the order of the documents.
  std::vector<std::size_t> starts(term_numbers_.size() + 1, 0);
  for (const Occurrence& occurrence : occurrences_) ++starts[occurrence.term + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<Posting> postings(occurrences_.size());
  std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
  for (const Occurrence& occurrence : occurrences_) {
    postings[next[occurrence.term]++] = {occurrence.document, occurrence.frequencies};
  }

  std::vector<std::pair<const std::string*, std::uint32_t>> sorted;
  sorted.reserve(term_numbers_.size());
  for (const auto& [term, number] : term_numbers_) sorted.emplace_back(&term, number);
  std::sort(sorted.begin(), sorted.end(),
            [](const auto& a, const auto& b) { return *a.first < *b.first; });
  std::vector<const std::string*> names;
  names.reserve(sorted.size());
  for (const auto& [name, number] : sorted) {
    names.push_back(name);
    const std::size_t count = starts[number + 1] - starts[number];
    const std::string list =
        encode_postings(std::span<const Posting>(postings).subspan(starts[number], count));
    if (list.size() > std::numeric_limits<std::uint32_t>::max()) {
      return fail(ErrorCode::kLimit, "the postings of '" + *name + "' exceed 4 GB",
                  "split the corpus");
    }
    image.entries.push_back({image.postings.size(), static_cast<std::uint32_t>(list.size()),
                             static_cast<std::uint32_t>(count)});
    image.postings += list;
  }
  image.postings.append(kPostingsSlack, '\0');
  append_front_coded(names, image);
  if (image.terms.size() > std::numeric_limits<std::uint32_t>::max()) {
    return fail(ErrorCode::kLimit, "the dictionary of language " + language_ + " exceeds 4 GB",
                "split the corpus");
  }
  return image;
}

LexicalIndexBuilder::LexicalIndexBuilder()
    : english_("en", make_analyzer("en", nullptr)), others_("und", make_analyzer("und", nullptr)) {}

LexicalIndexBuilder::~LexicalIndexBuilder() = default;

void LexicalIndexBuilder::add(Row row, std::string_view language, const IndexedText& text) {
  const std::string_view part = lexical_part_of(language);
  if (part == "de") {
    compounds_.add_text(text.title);
    compounds_.add_text(text.headings);
    compounds_.add_text(text.body);
    german_.push_back(
        {row, std::string(text.title), std::string(text.headings), std::string(text.body)});
  } else {
    (part == "en" ? english_ : others_).add(row, text);
  }
}

Result<void> LexicalIndexBuilder::write(const std::filesystem::path& path, IndexIdentity identity) {
  const std::shared_ptr<const CompoundLexicon> compounds = compounds_.build();
  LexicalPartBuilder german("de", make_analyzer("de", compounds));
  for (WaitingText& text : german_) {
    german.add(text.row, {text.title, text.headings, text.body});
    text = {};  // From here on the postings hold what was in it.
  }
  german_.clear();

  const std::string lexicon = compounds->serialize();
  const std::array images{TRY(german.build()), TRY(english_.build()), TRY(others_.build())};
  SectionFileWriter file(kLexicalFile, identity);
  for (std::uint32_t part = 0; part < images.size(); ++part) {
    const LexicalPartBuilder::Image& image = images[part];
    file.add_values(kLexicalMeta, part, image.meta);
    file.add_values(kLexicalRows, part, image.rows);
    file.add_values(kLexicalLengths, part, image.lengths);
    file.add_text(kLexicalTerms, part, image.terms);
    file.add_values(kLexicalTermBlocks, part, image.term_blocks);
    file.add_values(kLexicalTermEntries, part, image.entries);
    file.add_text(kLexicalPostings, part, image.postings);
  }
  file.add_text(kLexicalCompounds, 0, lexicon);
  return file.write(path);
}

}  // namespace beleg

#include "index/lexical_builder.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace beleg {
namespace {

std::uint16_t saturated(std::uint32_t value) {
  return static_cast<std::uint16_t>(
      std::min<std::uint32_t>(value, std::numeric_limits<std::uint16_t>::max()));
}

}  // namespace

std::string_view lexical_part_of(std::string_view language) {
  if (language == "de") return "de";
  if (language == "en") return "en";
  return "und";
}

/// The rows of one language.
class LexicalSegmentBuilder::Part final : private TermSink {
 public:
  Part(std::string_view language, std::unique_ptr<Analyzer> analyzer, const LexicalForm& form)
      : TermSink(true),
        language_(language),
        analyzer_(std::move(analyzer)),
        form_(form),
        terms_(form.positions) {}

  void add(Row row, const IndexedText& text) {
    terms_.begin_document();
    FieldLengths lengths;
    lengths.title = saturated(add_field(text.title, TextField::kTitle));
    lengths.headings = saturated(add_field(text.headings, TextField::kHeadings));
    lengths.body = add_field(text.body, TextField::kBody);
    rows_.push_back(row);
    lengths_.push_back(lengths);
  }

  [[nodiscard]] std::size_t memory() const {
    return terms_.memory() + rows_.size() * (sizeof(Row) + sizeof(FieldLengths));
  }

  Result<LexicalPartWriter> finish() {
    LexicalPartWriter writer({language_, form_.weights, form_.positions}, std::move(rows_),
                             std::move(lengths_));
    TRY(terms_.write(writer));
    return writer;
  }

 private:
  /// Returns how many words the field has, stop words left out.
  std::uint32_t add_field(std::string_view text, TextField field) {
    field_ = field;
    words_ = 0;
    last_position_ = std::numeric_limits<std::uint32_t>::max();
    analyzer_->for_each_term(text, *this);
    return words_;
  }

  [[nodiscard]] std::uint32_t number_of(std::string_view term) override {
    return terms_.number_of(term);
  }

  void add(const TermView& term) override {
    // Parts share the position of their whole: a compound is one word long.
    if (term.position != last_position_ && !term.stop_word) ++words_;
    last_position_ = term.position;
    const double units = std::clamp(double{term.weight}, 0.0, 1.0) * kFrequencyUnit;
    terms_.add(term.number, field_, term.position,
               std::max(1U, static_cast<std::uint32_t>(std::lround(units))));
  }

  std::string language_;
  std::unique_ptr<Analyzer> analyzer_;
  const LexicalForm& form_;
  PostingCollector terms_;
  std::vector<Row> rows_;
  std::vector<FieldLengths> lengths_;
  TextField field_ = TextField::kBody;
  std::uint32_t words_ = 0;
  std::uint32_t last_position_ = 0;
};

LexicalSegmentBuilder::LexicalSegmentBuilder(const LexicalForm& form) : form_(form) {
  parts_.push_back(std::make_unique<Part>("de", make_analyzer("de", form.compounds), form_));
  parts_.push_back(std::make_unique<Part>("en", make_analyzer("en", nullptr), form_));
  parts_.push_back(std::make_unique<Part>("und", make_analyzer("und", nullptr), form_));
}

LexicalSegmentBuilder::~LexicalSegmentBuilder() = default;

void LexicalSegmentBuilder::add(Row row, std::string_view language, const IndexedText& text) {
  const std::string_view part = lexical_part_of(language);
  parts_[part == "de" ? 0 : part == "en" ? 1 : 2]->add(row, text);
}

std::size_t LexicalSegmentBuilder::memory() const {
  std::size_t total = 0;
  for (const auto& part : parts_) total += part->memory();
  return total;
}

Result<void> LexicalSegmentBuilder::write(const std::filesystem::path& path,
                                          IndexIdentity identity) {
  std::vector<LexicalPartWriter> writers;
  writers.reserve(parts_.size());
  for (const auto& part : parts_) writers.push_back(TRY(part->finish()));
  const std::string lexicon = form_.compounds ? form_.compounds->serialize() : std::string();
  SectionFileWriter file(kLexicalFile, identity);
  for (std::uint32_t part = 0; part < writers.size(); ++part) {
    TRY(writers[part].add_sections(file, part));
  }
  file.add_text(kLexicalCompounds, 0, lexicon);
  return file.write(path);
}

}  // namespace beleg

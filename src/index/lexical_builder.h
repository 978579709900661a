#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "index/index_snapshot.h"
#include "index/lexical_format.h"
#include "text/analyzer.h"

namespace beleg {

/// In which part of the lexical index rows of a language are: "de" and "en" have their own
/// analysis, all others share "und".
[[nodiscard]] std::string_view lexical_part_of(std::string_view language);

/// Inverts the texts of one part. Rows are added in ascending order.
class LexicalPartBuilder {
 public:
  /// What write() puts into the file; alive as long as the writer needs it.
  struct Image {
    std::vector<LexicalMeta> meta;
    std::vector<Row> rows;
    std::vector<FieldLengths> lengths;
    std::string terms;
    std::vector<std::uint32_t> term_blocks;
    std::vector<TermEntry> entries;
    std::string postings;
  };

  LexicalPartBuilder(std::string language, std::unique_ptr<Analyzer> analyzer)
      : language_(std::move(language)), analyzer_(std::move(analyzer)) {}
  void add(Row row, const IndexedText& text);
  [[nodiscard]] Result<Image> build() const;

 private:
  struct Occurrence {
    std::uint32_t term = 0;
    std::uint32_t document = 0;
    FieldFrequencies frequencies;
  };
  std::uint32_t add_field(std::string_view text, std::uint32_t FieldFrequencies::* field);

  std::string language_;
  std::unique_ptr<Analyzer> analyzer_;
  std::unordered_map<std::string, std::uint32_t> term_numbers_;
  std::vector<Row> rows_;
  std::vector<FieldLengths> lengths_;
  std::vector<Occurrence> occurrences_;  // By document, then term number.
  std::vector<Occurrence> current_;      // Of the document being added.
};

/// All parts. German rows wait for write(), since their compounds are split with a lexicon of the
/// whole corpus.
class LexicalIndexBuilder {
 public:
  LexicalIndexBuilder();
  ~LexicalIndexBuilder();
  void add(Row row, std::string_view language, const IndexedText& text);
  Result<void> write(const std::filesystem::path& path, IndexIdentity identity);

 private:
  struct WaitingText {
    Row row = 0;
    std::string title;
    std::string headings;
    std::string body;
  };

  std::vector<WaitingText> german_;
  CompoundLexiconBuilder compounds_;
  LexicalPartBuilder english_;
  LexicalPartBuilder others_;
};

}  // namespace beleg

#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "index/index_snapshot.h"
#include "index/lexical_part_writer.h"
#include "index/posting_collector.h"
#include "index/section_file.h"
#include "text/analyzer.h"

namespace beleg {

/// Languages with a part of their own; every other is in "und".
[[nodiscard]] std::string_view lexical_part_of(std::string_view language);

/// How a lexical segment is made.
struct LexicalForm {
  /// Splits German compounds; null: none are split. All segments of an index need the same.
  std::shared_ptr<const CompoundLexicon> compounds;
  ImpactWeights weights;  ///< The weights that most searches will use.
  bool positions = true;  ///< Needed by phrases.
};

/// Collects the texts of one segment and writes its lexical file. What it holds in memory are terms
/// and postings.
class LexicalSegmentBuilder {
 public:
  explicit LexicalSegmentBuilder(const LexicalForm& form);
  ~LexicalSegmentBuilder();
  LexicalSegmentBuilder(const LexicalSegmentBuilder&) = delete;
  LexicalSegmentBuilder& operator=(const LexicalSegmentBuilder&) = delete;

  /// Rows must ascend.
  void add(Row row, std::string_view language, const IndexedText& text);
  /// Bytes that it holds.
  [[nodiscard]] std::size_t memory() const;
  /// Writes and is done: nothing may be added afterwards.
  Result<void> write(const std::filesystem::path& path, IndexIdentity identity);

 private:
  class Part;
  LexicalForm form_;
  std::vector<std::unique_ptr<Part>> parts_;
};

}  // namespace beleg

#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "index/dense_index.h"
#include "index/lexical_builder.h"
#include "index/lexical_index.h"

namespace beleg {

/// The one place here that knows the classes of the single indexes: everything else goes through
/// what the product offers as a whole.
///
/// Texts are body text without title or headings, their languages known as an ingest knows them.
class LexicalFileBuild {
 public:
  explicit LexicalFileBuild(std::shared_ptr<const CompoundLexicon> compounds)
      : builder_(LexicalForm{.compounds = std::move(compounds)}) {}
  /// The next row. Rows are numbered from 0.
  void add(std::string_view text, std::string_view language);
  /// Writes and flushes the file.
  Result<void> write(const std::filesystem::path& path);

 private:
  LexicalSegmentBuilder builder_;
  std::size_t rows_ = 0;
};

/// A lexical file, searched with the product's defaults. Thread-safe.
class LexicalFileSearch {
 public:
  static Result<LexicalFileSearch> open(const std::filesystem::path& path);
  /// Detects the language of the question, analyses it, and searches.
  [[nodiscard]] std::vector<Row> search(std::string_view question, std::size_t k) const;

 private:
  std::unique_ptr<LexicalSegment> segment_;
  std::unique_ptr<LexicalIndex> index_;
};

/// Vectors of one length, L2-normalised.
class DenseBuild {
 public:
  explicit DenseBuild(std::uint32_t dims) : builder_(dims) {}
  void add(std::span<const float> vector);
  Result<void> write(const std::filesystem::path& path);

 private:
  DenseIndexBuilder builder_;
  std::size_t rows_ = 0;
};

class DenseSearch {
 public:
  static Result<DenseSearch> open(const std::filesystem::path& path);
  [[nodiscard]] std::vector<Row> search(std::span<const float> query, std::size_t k) const;

 private:
  explicit DenseSearch(DenseIndex index) : index_(std::move(index)) {}
  DenseIndex index_;
};

}  // namespace beleg

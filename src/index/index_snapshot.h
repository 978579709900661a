#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "index/rows.h"
#include "model/tokenizer.h"
#include "text/analyzer.h"

namespace beleg {

/// What a passage is found by.
struct IndexedText {
  std::string_view title;
  std::string_view headings;
  std::string_view body;
};

struct Bm25Settings {
  float k1 = 1.2F;              ///< ≥ 0
  float b = 0.75F;              ///< 0 … 1
  float title_weight = 1.0F;    ///< Term frequencies are added up with these (BM25F, Robertson and
  float heading_weight = 1.0F;  ///< Zaragoza 2009, simple form: one saturation after the sum).
};

/// One query term as the lexical search used it, for explain.
struct QueryTermReport {
  std::string language;  ///< Of the part of the index that was asked.
  std::string term;
  TermForm form = TermForm::kWord;
  std::uint32_t document_frequency = 0;  ///< 0: not in this part of the index.
  float idf = 0.0F;
  float weight = 0.0F;
};

/// The lexical list of one query.
struct LexicalResult {
  std::vector<RowHit> hits;            ///< Score descending, then row ascending.
  std::vector<QueryTermReport> terms;  ///< Stop words left out.
  std::vector<SearchPass> passes;      ///< Parts without any of the terms left out.
  /// Of the idf mass of the question's content words (absent ones count with the idf of a term seen
  /// once), the share that the best hit matched; 0 without hits. In [0,1].
  float matched_mass = 0.0F;
};

/// A term of a question that a row has.
struct LexicalMatch {
  QueryTermReport term;
  /// Numbers the words of the question from 0: a word and its parts are one.
  std::size_t word = 0;
  /// How often it stands in the fields. Parts of compounds and identifiers count less than one.
  float title = 0.0F;
  float headings = 0.0F;
  float body = 0.0F;
  std::uint32_t score = 0;         ///< By itself, in units.
  std::uint32_t contribution = 0;  ///< What it adds beside the other terms of its word, in units.
};

/// How a row came by its lexical score.
struct LexicalExplanation {
  std::string language;  ///< Of the part of the index that has the row.
  /// As search_lexical() gives it, to the bit: units / units_per_point as a float.
  float score = 0.0F;
  std::uint32_t units = 0;            ///< The sum of the contributions.
  std::uint32_t units_per_point = 1;  ///< A power of two; 65536 but for extreme settings.
  std::vector<LexicalMatch> matches;  ///< In the order of the question's words.
};

/// Vectors of a question, as the encoder made them.
struct QueryVectors {
  std::vector<float> dense;
  std::vector<TokenId> tokens;
  std::vector<float> token_vectors;  ///< tokens × dims, rows L2-normalised.
  std::vector<float> weights;        ///< Of the tokens; empty: those of whom is asked.
};

/// A language (ISO 639-1) and how many rows it has.
using LanguageRows = std::pair<std::string, std::size_t>;

/// The derived index of one generation, memory-mapped and immutable: a search never sees a writer.
/// Thread-safe. Every search fills k whenever k allowed rows match. `filter` may be null (all
/// rows).
class IndexSnapshot {
 public:
  /// Opens `<folder>` (a manifest and its segments) with `pack` as the home of token vectors.
  /// kCorrupt names the damaged file: the caller rebuilds from the truth.
  static Result<std::shared_ptr<const IndexSnapshot>> open(const std::filesystem::path& folder,
                                                           const std::filesystem::path& pack);
  virtual ~IndexSnapshot() = default;

  /// How many rows there are.
  [[nodiscard]] virtual std::size_t rows() const = 0;
  /// Rows are numbered below this; some numbers are not used. A filter has so many rows.
  [[nodiscard]] virtual std::size_t row_limit() const = 0;
  /// False for numbers that no passage of this generation has.
  [[nodiscard]] virtual bool is_row(Row row) const = 0;
  /// The median release date of the rows that have one; of an even number, the earlier of the
  /// middle two.
  [[nodiscard]] virtual std::optional<UnixSeconds> median_published() const = 0;
  /// What the index was built from: the XXH3-64 of the rows' passage ids, each as a little-endian
  /// int64, as the header of every file of the index has it. The number of rows takes part by the
  /// length. An index whose fingerprint is not CorpusStore::passage_fingerprint() of the generation
  /// belongs to another one and must be built again.
  [[nodiscard]] virtual std::uint64_t passage_fingerprint() const = 0;
  [[nodiscard]] virtual RowAttributes attributes(Row row) const = 0;
  [[nodiscard]] virtual PassageId passage_of(Row row) const = 0;
  /// The row of a passage; kNotFound when this generation does not have it.
  [[nodiscard]] virtual Result<Row> row_of(PassageId passage) const = 0;
  /// The rows that meet all conditions. A condition on texts costs about as much as a search for
  /// its rarest word; a phrase is not found where positions were not kept (see IndexForm).
  [[nodiscard]] virtual RowFilter make_filter(const FilterSpec& spec) const = 0;
  /// Languages of the rows with how many rows each has, most first.
  [[nodiscard]] virtual const std::vector<LanguageRows>& languages() const = 0;

  [[nodiscard]] virtual LexicalResult search_lexical(std::string_view question,
                                                     std::string_view question_language,
                                                     std::size_t k, const RowFilter* filter,
                                                     const Bm25Settings& settings) const = 0;
  /// What search_lexical() adds up for a row. Without matches for a number that is no row.
  [[nodiscard]] virtual LexicalExplanation explain_lexical(std::string_view question,
                                                           std::string_view question_language,
                                                           Row row,
                                                           const Bm25Settings& settings) const = 0;
  /// The terms of a text as the part of the index for `language` holds them.
  [[nodiscard]] virtual std::vector<AnalyzedTerm> analyze(std::string_view text,
                                                          std::string_view language) const = 0;
  /// Cosine of the dense vectors.
  [[nodiscard]] virtual std::vector<RowHit> search_dense(std::span<const float> query,
                                                         std::size_t k,
                                                         const RowFilter* filter) const = 0;
  /// The same for several queries at once, in their order, with the same results: each part of the
  /// rows is fetched once for all of them.
  [[nodiscard]] virtual std::vector<std::vector<RowHit>> search_dense_together(
      std::span<const std::span<const float>> queries, std::size_t k,
      const RowFilter* filter) const = 0;
  /// How search_dense() goes about it.
  [[nodiscard]] virtual std::vector<SearchPass> dense_passes(std::size_t k,
                                                             const RowFilter* filter) const = 0;
  /// The same score for given rows, in their order.
  [[nodiscard]] virtual std::vector<float> score_dense(std::span<const float> query,
                                                       std::span<const Row> rows) const = 0;
  /// Late interaction over all allowed rows: idf-weighted mean over the question's tokens of the
  /// best cosine among the passage's tokens (MaxSim; Khattab and Zaharia, SIGIR 2020). In [-1,1].
  [[nodiscard]] virtual std::vector<RowHit> search_late(const QueryVectors& query, std::size_t k,
                                                        const RowFilter* filter) const = 0;
  /// How search_late() goes about it.
  [[nodiscard]] virtual std::vector<SearchPass> late_passes(std::size_t k,
                                                            const RowFilter* filter) const = 0;
  /// The same score for given rows, in their order.
  [[nodiscard]] virtual std::vector<float> score_late(const QueryVectors& query,
                                                      std::span<const Row> rows) const = 0;
  /// The weights search_late gives to the question's tokens; they sum to 1.
  [[nodiscard]] virtual std::vector<float> token_weights(std::span<const TokenId> tokens) const = 0;
  /// For one row: the cosine of each question token with each of its tokens, tokens × row tokens,
  /// row-major (context tokens come first; see `context_tokens`).
  struct TokenSimilarities {
    std::uint32_t row_tokens = 0;
    std::uint32_t context_tokens = 0;
    std::vector<float> cosine;
  };
  [[nodiscard]] virtual TokenSimilarities token_similarities(const QueryVectors& query,
                                                             Row row) const = 0;

  /// Counts and checksums for `beleg audit`: rows, lexical entries, vectors, token entries.
  struct Counts {
    std::size_t rows = 0;
    std::size_t lexical = 0;
    std::size_t dense = 0;
    std::size_t tokens = 0;
    std::uint64_t bytes = 0;
  };
  [[nodiscard]] virtual Counts counts() const = 0;
  /// Re-computes every checksum; one line per damaged section.
  [[nodiscard]] virtual std::vector<std::string> verify() const = 0;
};

/// How an index is made.
struct IndexForm {
  std::uint32_t dims = 0;      ///< Of the vectors.
  std::filesystem::path pack;  ///< Where the embedding payloads are.
  /// Splits German compounds; null: none are split.
  std::shared_ptr<const CompoundLexicon> compounds;
  float title_weight = 1.0F;  ///< The weights that most searches will use: fastest with them.
  float heading_weight = 1.0F;
  bool positions = true;  ///< Needed by phrases.
  /// When the rows in memory take about so much, they are written as a segment. In bytes.
  std::size_t memory = std::size_t{256} << 20U;
};

/// Builds the derived index of one generation: from nothing, or from the segments of an index that
/// is there, so that the cost is that of what changed.
class IndexBuilder {
 public:
  /// The index will be the folder `target`; until write() it grows in a temporary folder beside it.
  static std::unique_ptr<IndexBuilder> create(IndexForm form, const std::filesystem::path& target);
  virtual ~IndexBuilder() = default;

  /// Takes over what fits from the index in `base`: of the passages in `live` (ascending), those
  /// before the returned one are there; it and all after must be added. Segments at the end that
  /// are small beside what is added are made anew, so that their number grows with the logarithm of
  /// the number of rows. 0 when nothing fits (absent, damaged, of another form): add all.
  virtual PassageId keep(const std::filesystem::path& base, std::span<const PassageId> live) = 0;
  /// Adds the next row, by ascending passage id. `payload` is the embedding payload of the passage
  /// (see embedding_payload.h) and `offset` its place in the pack.
  virtual Result<void> add(const RowAttributes& attributes, const IndexedText& text,
                           std::span<const std::byte> payload, std::uint64_t offset) = 0;
  /// Writes what is left and puts the index in place by one rename. Nothing else may follow.
  virtual Result<void> write() = 0;
};

}  // namespace beleg

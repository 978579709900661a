#include "index/index_snapshot.h"

#include "index/dense_index.h"
#include "index/index_files.h"
#include "index/lexical_index.h"
#include "index/row_table.h"
#include "index/token_index.h"

namespace beleg {
namespace {

class MappedSnapshot final : public IndexSnapshot {
 public:
  MappedSnapshot(RowTable table, std::unique_ptr<LexicalIndex> lexical, DenseIndex dense,
                 TokenIndex tokens)
      : table_(std::move(table)),
        lexical_(std::move(lexical)),
        dense_(std::move(dense)),
        tokens_(std::move(tokens)) {}

  [[nodiscard]] std::size_t rows() const override { return table_.rows(); }
  [[nodiscard]] std::uint64_t passage_fingerprint() const override {
    return table_.file().identity().build;
  }
  [[nodiscard]] RowAttributes attributes(Row row) const override { return table_.attributes(row); }
  [[nodiscard]] PassageId passage_of(Row row) const override { return table_.passage_of(row); }
  [[nodiscard]] Result<Row> row_of(PassageId passage) const override {
    return table_.row_of(passage);
  }
  [[nodiscard]] RowFilter make_filter(const FilterSpec& spec) const override {
    return table_.make_filter(spec);
  }
  [[nodiscard]] std::vector<std::pair<std::string, std::size_t>> languages() const override {
    return table_.languages();
  }

  [[nodiscard]] LexicalResult search_lexical(std::string_view question,
                                             std::string_view question_language, std::size_t k,
                                             const RowFilter* filter,
                                             const Bm25Settings& settings) const override {
    return lexical_->search(question, question_language, k, filter, settings);
  }
  [[nodiscard]] std::vector<AnalyzedTerm> analyze(std::string_view text,
                                                  std::string_view language) const override {
    return lexical_->analyze(text, language);
  }
  [[nodiscard]] std::vector<RowHit> search_dense(std::span<const float> query, std::size_t k,
                                                 const RowFilter* filter) const override {
    return dense_.search(query, k, filter);
  }
  [[nodiscard]] std::vector<float> score_dense(std::span<const float> query,
                                               std::span<const Row> rows) const override {
    return dense_.score(query, rows);
  }
  [[nodiscard]] std::vector<RowHit> search_late(const QueryVectors& query, std::size_t k,
                                                const RowFilter* filter) const override {
    return tokens_.search(query, k, filter);
  }
  [[nodiscard]] std::vector<float> score_late(const QueryVectors& query,
                                              std::span<const Row> rows) const override {
    return tokens_.score(query, rows);
  }
  [[nodiscard]] std::vector<float> token_weights(std::span<const TokenId> tokens) const override {
    return tokens_.weights(tokens);
  }
  [[nodiscard]] TokenSimilarities token_similarities(const QueryVectors& query,
                                                     Row row) const override {
    return tokens_.similarities(query, row);
  }

  [[nodiscard]] Counts counts() const override {
    Counts counts;
    counts.rows = table_.rows();
    for (const LexicalPart& part : lexical_->parts()) counts.lexical += part.documents();
    counts.dense = dense_.rows();
    counts.tokens = tokens_.rows();
    for (const SectionFile* file : files()) counts.bytes += file->size();
    return counts;
  }

  [[nodiscard]] std::vector<std::string> verify() const override {
    std::vector<std::string> findings;
    const auto append = [&findings](std::vector<std::string> lines) {
      for (std::string& line : lines) findings.push_back(std::move(line));
    };
    for (const SectionFile* file : files()) append(file->verify());
    append(lexical_->check());
    append(tokens_.verify_payloads());
    return findings;
  }

 private:
  [[nodiscard]] std::vector<const SectionFile*> files() const {
    return {&table_.file(), &lexical_->file(), &dense_.file(), &tokens_.file()};
  }

  RowTable table_;
  std::unique_ptr<LexicalIndex> lexical_;
  DenseIndex dense_;
  TokenIndex tokens_;
};

}  // namespace

Result<std::shared_ptr<const IndexSnapshot>> IndexSnapshot::open(
    const std::filesystem::path& folder, const std::filesystem::path& pack) {
  RowTable table = TRY(RowTable::open(folder / index_files::kRows));
  std::unique_ptr<LexicalIndex> lexical = TRY(LexicalIndex::open(folder / index_files::kLexical));
  DenseIndex dense = TRY(DenseIndex::open(folder / index_files::kDense));
  TokenIndex tokens = TRY(TokenIndex::open(folder / index_files::kTokens, pack));
  const IndexIdentity identity = table.file().identity();
  for (const SectionFile* file : {&lexical->file(), &dense.file(), &tokens.file()}) {
    if (file->identity() != identity) return file->damaged("it belongs to another index");
  }
  if (dense.dims() != tokens.dims()) {
    return dense.file().damaged("its vectors have other dimensions than the token vectors");
  }
  // Shared: readers keep an old generation alive while a new one is opened beside it.
  return std::make_shared<const MappedSnapshot>(std::move(table), std::move(lexical),
                                                std::move(dense), std::move(tokens));
}

}  // namespace beleg

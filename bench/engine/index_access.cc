#include "index_access.h"

#include "text/language.h"

namespace beleg {
namespace {

std::vector<Row> rows_of(const std::vector<RowHit>& hits) {
  std::vector<Row> rows;
  rows.reserve(hits.size());
  for (const RowHit& hit : hits) rows.push_back(hit.row);
  return rows;
}

/// What a question that does not tell its language is taken for: the language of most rows of the
/// measured corpora, as Engine::main_language() is.
constexpr std::string_view kMainLanguage = "en";

}  // namespace

void LexicalFileBuild::add(std::string_view text, std::string_view language) {
  builder_.add(static_cast<Row>(rows_++), language, {.body = text});
}

Result<void> LexicalFileBuild::write(const std::filesystem::path& path) {
  return builder_.write(path, {.rows = rows_, .build = 0});
}

Result<LexicalFileSearch> LexicalFileSearch::open(const std::filesystem::path& path) {
  LexicalFileSearch search;
  search.segment_ = std::make_unique<LexicalSegment>(TRY(LexicalSegment::open(path)));
  LexicalIndexSegment only;
  only.segment = search.segment_.get();
  search.index_ = std::make_unique<LexicalIndex>(std::vector{only});
  return search;
}

std::vector<Row> LexicalFileSearch::search(std::string_view question, std::size_t k) const {
  const LanguageGuess guess = detect_language(question);
  const std::string_view language = guess.code == "und" ? kMainLanguage : guess.code;
  return rows_of(index_->search(question, language, k, nullptr, Bm25Settings{}).hits);
}

void DenseBuild::add(std::span<const float> vector) {
  builder_.add(vector);
  ++rows_;
}

Result<void> DenseBuild::write(const std::filesystem::path& path) {
  return builder_.write(path, {.rows = rows_, .build = 0});
}

Result<DenseSearch> DenseSearch::open(const std::filesystem::path& path) {
  return DenseSearch(TRY(DenseIndex::open(path)));
}

std::vector<Row> DenseSearch::search(std::span<const float> query, std::size_t k) const {
  return rows_of(index_.search(query, k, nullptr));
}

}  // namespace beleg

#include <algorithm>
#include <cmath>

#include "answer/words.h"
#include "document/release_date.h"
#include "pipeline/steps.h"
#include "rank/sentence_alignment.h"
#include "text/sentences.h"
#include "text/utf8.h"

namespace beleg {
namespace {

/// How fast a sentence loses relevance when it covers less of the question than its passage does,
/// per unit of MaxSim. Chosen on the sentence-retrieval sets (`bench/quality sentences`).
constexpr double kCoverageDecay = 12.0;

/// A sentence with fewer words than this says nothing by itself: a label, the rest of a heading.
constexpr std::size_t kFewestWords = 3;

/// Adds the sentences of one packed window as candidates.
void add_sentences(CascadeState& state, std::size_t article_index, std::size_t window_index) {
  const ArticleEvidence& article = state.articles[article_index];
  const JudgedPassage& window = article.windows[window_index];
  const Passage& passage = article.passages[window_index].passage;
  const std::string_view text = std::string_view(article.version.content.text)
                                    .substr(passage.bytes.start, passage.bytes.size());
  const std::vector<ByteSpan> sentences =
      split_sentences(text, article.version.content.meta.language);
  std::vector<ByteSpan> token_bytes;
  for (const Token& token : state.engine.encoder().tokenizer().tokenize(text)) {
    token_bytes.push_back(token.span);
  }
  std::vector<std::vector<double>> relevance(sentences.size());
  for (std::size_t q = 0; q < state.queries.size(); ++q) {
    const QueryVectors& vectors = state.queries[q].vectors;
    const auto similarities = state.engine.index().token_similarities(vectors, window.row);
    const auto weights = state.engine.index().token_weights(vectors.tokens);
    const std::vector<double> late =
        score_sentences(similarities.cosine, weights, similarities.row_tokens,
                        similarities.context_tokens, token_bytes, sentences);
    for (std::size_t s = 0; s < sentences.size(); ++s) {
      const double missing = std::max(0.0, window.features[q].late - late[s]);
      relevance[s].push_back(window.relevance[q] * std::exp(-kCoverageDecay * missing));
    }
  }
  const CodePointIndex index(text);
  const auto date = release_date(article.version.content.meta);
  for (std::size_t s = 0; s < sentences.size(); ++s) {
    const Span inside = index.to_code_points(sentences[s]);
    const std::string_view sentence = text.substr(sentences[s].start, sentences[s].size());
    if (statement_words(sentence).size() < kFewestWords) continue;
    state.sentences.push_back(
        {.article = article_index,
         .row = window.row,
         .span = {passage.span.start + inside.start, passage.span.start + inside.end},
         .text = sentence,
         .published = date ? std::optional(date->time) : std::nullopt,
         .recency = article.relevance > 0 ? article.final_score / article.relevance : 0.0,
         .relevance = std::move(relevance[s])});
  }
}

/// White space inside a quoted sentence (line ends of the source) becomes one blank; nothing else
/// changes. The citation keeps the bytes as they are stored.
std::string flowing(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!space) {
      out.push_back(c);
    } else if (!out.empty() && out.back() != ' ') {
      out.push_back(' ');
    }
  }
  while (out.ends_with(' ')) out.pop_back();
  return out;
}

}  // namespace

Result<void> step_generate(CascadeState& state, StepRecord& record) {
  state.sentences.clear();
  state.statements.clear();
  for (std::size_t a = 0; a < state.articles.size(); ++a) {
    for (const std::size_t w : state.articles[a].packed) add_sentences(state, a, w);
  }
  // The selection sees only the queries that the answer must serve, in their order.
  std::vector<SentenceCandidate> candidates = state.sentences;
  std::vector<std::string> queries;
  for (const std::size_t q : state.answer_queries) queries.push_back(state.queries[q].text);
  for (SentenceCandidate& candidate : candidates) {
    std::vector<double> relevance;
    for (const std::size_t q : state.answer_queries) relevance.push_back(candidate.relevance[q]);
    candidate.relevance = std::move(relevance);
  }
  for (const SelectedStatement& chosen :
       select_statements(candidates, queries, state.settings().answer)) {
    const SentenceCandidate& sentence = candidates[chosen.candidate];
    Statement statement;
    statement.text = flowing(sentence.text);
    statement.query = state.answer_queries[chosen.query];
    statement.relevance = chosen.relevance;
    const ArticleEvidence& article = state.articles[sentence.article];
    const PassageId passage = state.engine.index().passage_of(sentence.row);
    std::uint32_t page = 0;
    for (const StoredPassage& stored : article.passages) {
      if (stored.id == passage) page = stored.passage.page;
    }
    statement.citations.push_back(
        TRY(mint_citation(article.version, passage, page, sentence.span)));
    state.statements.push_back(std::move(statement));
  }
  record.in = state.sentences.size();
  record.out = state.statements.size();
  record.detail["generator"] = "extractive";
  record.detail["min_relevance"] = state.settings().answer.min_relevance;
  double best = 0;
  for (const SentenceCandidate& c : candidates) {
    for (double r : c.relevance) best = std::max(best, r);
  }
  record.detail["best_relevance"] = rounded(best);
  return {};
}

}  // namespace beleg

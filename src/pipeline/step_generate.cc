#include <algorithm>
#include <cmath>

#include "answer/citation.h"
#include "answer/dependent_sentence.h"
#include "answer/words.h"
#include "document/release_date.h"
#include "index/lexical_builder.h"
#include "pipeline/steps.h"
#include "rank/sentence_alignment.h"
#include "rank/term_coverage.h"
#include "text/sentences.h"
#include "text/utf8.h"

namespace beleg {
namespace {

/// How fast a sentence loses relevance when it covers less of the question than its passage does,
/// per unit of MaxSim. Chosen on labelled question-sentence pairs.
constexpr double kCoverageDecay = 12.0;

/// A sentence with fewer words than this says nothing by itself: a label, the rest of a heading.
constexpr std::size_t kFewestWords = 3;

/// Tokens of the question's other parts; empty for the original question and for a single part.
std::vector<std::vector<TokenId>> other_parts(const CascadeState& state, std::size_t query) {
  std::vector<std::vector<TokenId>> others;
  for (std::size_t part = 1; query > 0 && part < state.queries.size(); ++part) {
    if (part != query) others.push_back(state.queries[part].vectors.tokens);
  }
  return others;
}

/// Relevance of a window to one query. For a part of a question it is the geometric mean with the
/// relevance of the whole article to the whole question: a part, torn from the question, also meets
/// articles that the question did not mean.
double window_relevance(const ArticleEvidence& article, const JudgedPassage& window,
                        std::size_t query) {
  if (query == 0) return window.relevance[0];
  double whole = 0.0;
  for (const JudgedPassage& other : article.windows) whole = std::max(whole, other.relevance[0]);
  return std::sqrt(window.relevance[query] * whole);
}

/// What has to be quoted for a sentence to be understood: itself, or the sentence before it too
/// when it begins with a word that stands for something there and no paragraph ends between them.
ByteSpan quotable(std::string_view text, std::span<const ByteSpan> sentences, std::size_t s) {
  const std::string_view sentence = text.substr(sentences[s].start, sentences[s].size());
  if (s == 0 || !leans_on_the_sentence_before(sentence)) return sentences[s];
  const std::string_view between =
      text.substr(sentences[s - 1].end, sentences[s].start - sentences[s - 1].end);
  if (std::count(between.begin(), between.end(), '\n') > 1) return sentences[s];
  return {sentences[s - 1].start, sentences[s].end};
}

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
  token_bytes.reserve(window.tokens.size());
  for (const Token& token : window.tokens) token_bytes.push_back(token.span);
  std::vector<std::vector<double>> relevance(sentences.size());
  for (std::size_t q = 0; q < state.queries.size(); ++q) {
    const QueryVectors& vectors = state.queries[q].vectors;
    const auto similarities = state.engine.index().token_similarities(vectors, window.row);
    const auto weights = focus_on_part(vectors.tokens, other_parts(state, q),
                                       state.engine.index().token_weights(vectors.tokens));
    const std::vector<double> late =
        score_sentences(similarities.cosine, weights, similarities.row_tokens,
                        similarities.context_tokens, token_bytes, sentences);
    const double whole = score_row(similarities.cosine, weights, similarities.row_tokens);
    const double window_worth = window_relevance(article, window, q);
    for (std::size_t s = 0; s < sentences.size(); ++s) {
      const double missing = std::max(0.0, whole - late[s]);
      relevance[s].push_back(window_worth * std::exp(-kCoverageDecay * missing));
    }
  }
  const std::string& language = article.version.content.meta.language;
  const std::string_view part = lexical_part_of(language);
  const std::vector<AnalyzedTerm> title_terms =
      state.engine.index().analyze(article.version.content.meta.title, language);
  const CodePointIndex index(text);
  const auto date = release_date(article.version.content.meta);
  for (std::size_t s = 0; s < sentences.size(); ++s) {
    if (statement_words(text.substr(sentences[s].start, sentences[s].size())).size() <
        kFewestWords) {
      continue;
    }
    const ByteSpan quoted = quotable(text, sentences, s);
    const Span inside = index.to_code_points(quoted);
    std::vector<AnalyzedTerm> terms =
        state.engine.index().analyze(text.substr(quoted.start, quoted.size()), language);
    terms.insert(terms.end(), title_terms.begin(), title_terms.end());
    std::vector<double> coverage;
    coverage.reserve(state.queries.size());
    for (const PlannedQuery& query : state.queries) {
      coverage.push_back(term_coverage(query.terms, lexical_part_of(query.language), part, terms));
    }
    state.sentences.push_back(
        {.article = article_index,
         .row = window.row,
         .span = {passage.span.start + inside.start, passage.span.start + inside.end},
         .text = text.substr(quoted.start, quoted.size()),
         .published = date ? std::optional(date->time) : std::nullopt,
         .foreign = article.version.content.meta.language != state.queries[0].language,
         .recency = article.relevance > 0 ? article.final_score / article.relevance : 0.0,
         .relevance = std::move(relevance[s]),
         .coverage = std::move(coverage)});
  }
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
  queries.reserve(state.answer_queries.size());
  for (const std::size_t q : state.answer_queries) queries.push_back(state.queries[q].text);
  const auto served = [&state](const std::vector<double>& all) {
    std::vector<double> some;
    some.reserve(state.answer_queries.size());
    for (const std::size_t q : state.answer_queries) some.push_back(all[q]);
    return some;
  };
  for (SentenceCandidate& candidate : candidates) {
    candidate.relevance = served(candidate.relevance);
    candidate.coverage = served(candidate.coverage);
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

#include "answer/extractive.h"

#include <gtest/gtest.h>

namespace beleg {
namespace {

SentenceCandidate sentence(std::size_t article, std::string_view text, UnixSeconds date,
                           std::vector<double> relevance) {
  std::vector<double> all_covered(relevance.size(), 1.0);
  return {.article = article,
          .row = static_cast<Row>(article),
          .span = {0, 1},
          .text = text,
          .published = date,
          .recency = 0.8,
          .relevance = std::move(relevance),
          .coverage = std::move(all_covered)};
}

TEST(StatementsWanted, FollowsTheKindOfQuestion) {
  EXPECT_EQ(statements_wanted("Wann wurde Lecanemab zugelassen?", 3), 1U);
  EXPECT_EQ(statements_wanted("Wie viele Menschen sind betroffen?", 3), 1U);
  EXPECT_EQ(statements_wanted("How many people live there?", 3), 1U);
  EXPECT_EQ(statements_wanted("An welchen Medikamenten wird geforscht?", 3), 3U);
  EXPECT_EQ(statements_wanted("Why did the price rise?", 3), 3U);
  EXPECT_EQ(statements_wanted("Was ist Amyloid?", 3), 2U);
}

TEST(SelectStatements, NewestFirstAmongThoseThatAnswer) {
  const std::vector<SentenceCandidate> candidates = {
      sentence(0, "Die Agentur lehnte Lecanemab zunächst ab.", 100, {0.9}),
      sentence(1, "Die Kommission hat Lecanemab inzwischen genehmigt.", 300, {0.85}),
      sentence(2, "Das Wetter bleibt freundlich.", 900, {0.1})};
  const std::vector<std::string> queries = {"Welche Entscheidung fiel über Lecanemab?"};
  const auto answer = select_statements(candidates, queries, {});
  ASSERT_EQ(answer.size(), 2U);
  EXPECT_EQ(answer[0].candidate, 1U);
  EXPECT_EQ(answer[1].candidate, 0U);
}

TEST(SelectStatements, OfEqualsTheNewestIsSaid) {
  // Worth 0.72, 0.64 and 0.56: the second is within 0.8 of the best one, the third is not.
  const std::vector<SentenceCandidate> candidates = {
      sentence(0, "Das Ticket kostet 49 Euro monatlich.", 100, {0.9}),
      sentence(1, "Ab Januar beträgt der Preis 58 Euro.", 300, {0.8}),
      sentence(2, "Für 63 Euro fahren Pendler künftig.", 900, {0.7})};
  const std::vector<std::string> queries = {"Wie viel kostet das Ticket?"};
  const auto answer = select_statements(candidates, queries, {});
  ASSERT_EQ(answer.size(), 1U);
  EXPECT_EQ(answer[0].candidate, 1U);
}

TEST(SelectStatements, ASentenceWithoutTheAskedNameIsWorthLess) {
  // The newer one is about another drug: 0.9 · (0.3 + 0.7 · 0.4) = 0.52 against 0.85.
  std::vector<SentenceCandidate> candidates = {
      sentence(0, "Die Kommission hat Donanemab zugelassen.", 300, {0.9}),
      sentence(1, "Lecanemab wurde im April genehmigt.", 100, {0.85})};
  candidates[0].coverage = {0.4};
  const std::vector<std::string> queries = {"Wann wurde Lecanemab zugelassen?"};
  const auto answer = select_statements(candidates, queries, {});
  ASSERT_EQ(answer.size(), 1U);
  EXPECT_EQ(answer[0].candidate, 1U);
}

TEST(SelectStatements, OfEqualsWithoutDatesTheQuestionsLanguageIsSaid) {
  std::vector<SentenceCandidate> candidates = {
      sentence(0, "The name is a contraction of Debra and Ian.", 0, {0.9}),
      sentence(1, "Der Name ist eine Kombination zweier Vornamen.", 0, {0.8})};
  for (SentenceCandidate& candidate : candidates) candidate.published.reset();
  candidates[0].foreign = true;
  const std::vector<std::string> queries = {"Wer gab dem Projekt den Namen?"};
  EXPECT_EQ(select_statements(candidates, queries, {})[0].candidate, 1U);
}

TEST(SelectStatements, AgeTakesWorthAway) {
  auto candidates = std::vector<SentenceCandidate>{
      sentence(0, "Das Ticket kostet 49 Euro monatlich.", 100, {0.9}),
      sentence(1, "Ab Januar beträgt der Preis 58 Euro.", 300, {0.5})};
  const std::vector<std::string> queries = {"Wie viel kostet das Ticket?"};
  EXPECT_EQ(select_statements(candidates, queries, {})[0].candidate, 0U);
  candidates[0].recency = 0.4;  // 0.36 against 0.40.
  EXPECT_EQ(select_statements(candidates, queries, {})[0].candidate, 1U);
}

TEST(SelectStatements, ASentenceIsSaidWhereItAnswersBest) {
  const std::vector<SentenceCandidate> candidates = {
      sentence(0, "Geforscht wird an Antikörpern.", 1, {0.9, 0.4}),
      sentence(1, "Zwei Mittel sind inzwischen zugelassen.", 1, {0.6, 0.5}),
      sentence(2, "Lecanemab fängt Protofibrillen ab.", 1, {0.1, 0.4})};
  const std::vector<std::string> queries = {"Welche Mittel gibt es?", "Wie wirken sie?"};
  const auto answer = select_statements(candidates, queries, {});
  ASSERT_EQ(answer.size(), 2U);
  EXPECT_EQ(answer[1].query, 1U);
  EXPECT_EQ(answer[1].candidate, 2U);
  // Where nothing answers a part best, what is left answers it.
  const auto rest = select_statements(std::span(candidates).first(2), queries, {});
  ASSERT_EQ(rest.size(), 2U);
  EXPECT_EQ(rest[1].candidate, 1U);
}

TEST(SelectStatements, SpansThatOverlapAreOnePlace) {
  std::vector<SentenceCandidate> candidates = {
      sentence(0, "Semaglutid wird geprüft. Es dämpft Entzündungen im Gehirn.", 1, {0.9}),
      sentence(0, "Semaglutid wird geprüft.", 1, {0.85})};
  candidates[0].span = {10, 68};
  candidates[1].span = {10, 34};
  const std::vector<std::string> queries = {"Welche Mittel gibt es?"};
  ExtractiveSettings settings;
  settings.max_overlap = 1.0;
  EXPECT_EQ(select_statements(candidates, queries, settings).size(), 1U);
}

TEST(SelectStatements, SaysNothingTwice) {
  const std::vector<SentenceCandidate> candidates = {
      sentence(0, "Der Antikörper Lecanemab bindet Protofibrillen.", 1, {0.9, 0.9}),
      sentence(1, "Lecanemab, der Antikörper, bindet Protofibrillen.", 2, {0.88, 0.88})};
  const std::vector<std::string> queries = {"Welche Mittel gibt es?", "Wie wirken sie?"};
  EXPECT_EQ(select_statements(candidates, queries, {}).size(), 1U);
}

TEST(SelectStatements, NothingRelevantGivesAnEmptyAnswer) {
  const std::vector<SentenceCandidate> candidates = {
      sentence(0, "Das Wetter bleibt gut.", 1, {0.2})};
  const std::vector<std::string> queries = {"Wer gewann die Wahl?"};
  EXPECT_TRUE(select_statements(candidates, queries, {}).empty());
}

TEST(SelectStatements, KeepsTheLimits) {
  std::vector<std::string> texts;
  for (int i = 0; i < 30; ++i)
    texts.push_back("Aussage nummer" + std::string(1, static_cast<char>('a' + i % 26)) +
                    std::to_string(i));
  std::vector<SentenceCandidate> candidates;
  for (std::size_t i = 0; i < texts.size(); ++i)
    candidates.push_back(sentence(i, texts[i], 1, {0.9, 0.9, 0.9}));
  const std::vector<std::string> queries = {"Welche a?", "Welche b?", "Welche c?"};
  ExtractiveSettings settings;
  settings.max_statements = 5;
  settings.statements_per_query = 2;
  settings.max_overlap = 1.0;
  EXPECT_EQ(select_statements(candidates, queries, settings).size(), 5U);
}

TEST(ContentOverlap, IsTheShareOfContentWords) {
  EXPECT_DOUBLE_EQ(content_overlap(content_words("Der Antikörper bindet Plaques"),
                                   content_words("bindet der Antikoerper")),
                   2.0 / 3);
  EXPECT_DOUBLE_EQ(content_overlap(content_words(""), content_words("abcd")), 0.0);
}

}  // namespace
}  // namespace beleg

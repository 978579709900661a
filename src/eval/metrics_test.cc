#include "eval/metrics.h"

#include <gtest/gtest.h>

#include <cmath>

namespace beleg {
namespace {

TEST(RetrievalMetrics, HandComputedExample) {
  // Relevant: a (2), b (1), z (1); the ranking finds a at 2 and b at 4.
  const std::map<std::string, int> judged = {{"a", 2}, {"b", 1}, {"z", 1}, {"n", 0}};
  const std::vector<RankedDocument> ordered = {{"n", 5}, {"a", 4}, {"x", 3}, {"b", 2}};
  const RetrievalMetrics m = evaluate_ranking(ordered, judged, 10);
  const double ideal = 2.0 + 1 / std::log2(3.0) + 1 / std::log2(4.0);
  EXPECT_DOUBLE_EQ(m.ndcg, (2 / std::log2(3.0) + 1 / std::log2(5.0)) / ideal);
  EXPECT_DOUBLE_EQ(m.recall, 2.0 / 3);
  EXPECT_DOUBLE_EQ(m.precision, 0.2);
  EXPECT_DOUBLE_EQ(m.reciprocal_rank, 0.5);
  EXPECT_DOUBLE_EQ(m.average_precision, (1.0 / 2 + 2.0 / 4) / 3);
  EXPECT_EQ(evaluate_ranking(ordered, judged, 1).hit, 0);
}

TEST(RetrievalMetrics, NdcgOfRanksIsThatOfTheRanking) {
  // Two of three relevant documents, at 1 and 3: (1 + 1/2) / (1 + 1/log2(3) + 1/2).
  const std::vector<std::size_t> ranks = {1, 3, 11};
  EXPECT_NEAR(binary_ndcg(ranks, 3, 10), 1.5 / (1.5 + 1.0 / std::log2(3.0)), 1e-12);
  EXPECT_EQ(binary_ndcg({}, 2, 10), 0.0);
  EXPECT_EQ(binary_ndcg({}, 0, 10), 0.0);
}

TEST(RetrievalMetrics, EqualScoresAreOrderedAsTrecEvalDoes) {
  const auto ordered = trec_order({{"d1", 1}, {"d3", 1}, {"d2", 1}, {"d0", 2}});
  EXPECT_EQ(ordered[0].id, "d0");
  EXPECT_EQ(ordered[1].id, "d3");
  EXPECT_EQ(ordered[3].id, "d1");
}

TEST(RunEvaluation, AQuestionAbsentFromTheRunCountsAsZeroAndIsCounted) {
  const beleg::Run run = parse_trec_run("q1 Q0 d1 1 9.5 t\n", "run.txt").value();
  const Qrels qrels =
      parse_qrels("query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td2\t1\nq3\td3\t0\n", "qrels.tsv")
          .value();
  const RunEvaluation evaluation = evaluate_run(run, qrels, 10);
  EXPECT_EQ(evaluation.questions, 2U);
  EXPECT_EQ(evaluation.absent, 1U);
  EXPECT_DOUBLE_EQ(evaluation.mean.ndcg, 0.5);
}

TEST(RunFiles, ErrorsNameTheFileAndTheLine) {
  EXPECT_TRUE(parse_trec_run("q1 Q0 d1 1 9 t\nbroken\n", "a/run.txt")
                  .error()
                  .message.starts_with("a/run.txt, line 2: "));
  EXPECT_TRUE(parse_qrels("q1 0 d1 x\n", "a/qrels.tsv")
                  .error()
                  .message.starts_with("a/qrels.tsv, line 1: "));
  EXPECT_EQ(parse_qrels("q1 0 d1 2\n", "qrels.tsv").value().at("q1").at("d1"), 2);
}

TEST(RunFiles, ADocumentListedTwiceForAQuestionIsRefused) {
  const auto twice =
      parse_trec_run("q1 Q0 d1 1 9 t\n\nq2 Q0 d1 1 9 t\nq1 Q0 d1 2 8 t\n", "run.txt");
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(twice.error().message,
            "run.txt, line 4: question 'q1' lists document 'd1' a second time, after line 1");
  EXPECT_FALSE(twice.error().remedy.empty());
  EXPECT_TRUE(parse_trec_run("q1 Q0 d1 1 9 t\nq2 Q0 d1 1 9 t\n", "run.txt"));
}

TEST(RunFiles, ScoresThatAreNotFiniteAreRefused) {
  for (const std::string score : {"nan", "-nan", "inf", "-inf", "infinity"}) {
    const auto run = parse_trec_run("q1 Q0 d1 1 9 t\nq1 Q0 d2 2 " + score + " t\n", "run.txt");
    ASSERT_FALSE(run) << score;
    EXPECT_EQ(run.error().message, "run.txt, line 2: the score '" + score +
                                       "' of document 'd2' for question 'q1' is not finite");
  }
  EXPECT_FALSE(parse_trec_run("q1 Q0 d1 1 1e999 t\n", "run.txt"));
}

TEST(Qrels, ADocumentJudgedTwiceForAQuestionIsRefusedWhateverTheGrade) {
  for (const std::string grade : {"1", "2"}) {
    const auto trec = parse_qrels("q1 0 d1 1\nq2 0 d1 1\nq1 0 d1 " + grade + "\n", "qrels.txt");
    ASSERT_FALSE(trec) << grade;
    EXPECT_EQ(trec.error().code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(trec.error().message,
              "qrels.txt, line 3: document 'd1' is judged a second time for question 'q1', "
              "after line 1");
    const auto beir =
        parse_qrels("query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td1\t" + grade + "\n", "qrels.tsv");
    ASSERT_FALSE(beir) << grade;
    EXPECT_TRUE(beir.error().message.starts_with("qrels.tsv, line 3: "));
  }
}

}  // namespace
}  // namespace beleg

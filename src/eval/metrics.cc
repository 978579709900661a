#include "eval/metrics.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace beleg {
namespace {

/// Splits a line at blanks and tabs.
std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  std::size_t i = 0;
  while (i < line.size()) {
    while (i < line.size() && (line[i] == ' ' || line[i] == '\t' || line[i] == '\r')) ++i;
    const std::size_t start = i;
    while (i < line.size() && line[i] != ' ' && line[i] != '\t' && line[i] != '\r') ++i;
    if (i > start) fields.push_back(line.substr(start, i - start));
  }
  return fields;
}

template <class Number>
bool parse_number(std::string_view text, Number& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc{} && end == text.data() + text.size();
}

template <class Visit>
Result<void> for_each_line(std::string_view text, const Visit& visit) {
  std::size_t number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = std::min(text.find('\n'), text.size());
    const auto fields = fields_of(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (fields.empty()) continue;
    TRY(visit(number, fields));
  }
  return {};
}

}  // namespace

std::vector<RankedDocument> trec_order(std::vector<RankedDocument> ranked) {
  std::sort(ranked.begin(), ranked.end(), [](const RankedDocument& a, const RankedDocument& b) {
    return a.score != b.score ? a.score > b.score : a.id > b.id;
  });
  return ranked;
}

RetrievalMetrics evaluate_ranking(const std::vector<RankedDocument>& ordered,
                                  const std::map<std::string, int>& judged, std::size_t k) {
  std::vector<int> ideal;
  for (const auto& [id, grade] : judged) {
    if (grade > 0) ideal.push_back(grade);
  }
  std::sort(ideal.rbegin(), ideal.rend());
  double ideal_gain = 0;
  for (std::size_t i = 0; i < std::min(k, ideal.size()); ++i) {
    ideal_gain += ideal[i] / std::log2(static_cast<double>(i + 2));
  }
  RetrievalMetrics metrics;
  double gain = 0;
  double found = 0;
  for (std::size_t i = 0; i < std::min(k, ordered.size()); ++i) {
    const auto entry = judged.find(ordered[i].id);
    if (entry == judged.end() || entry->second <= 0) continue;
    const auto rank = static_cast<double>(i + 1);
    found += 1;
    gain += entry->second / std::log2(rank + 1);
    metrics.average_precision += found / rank;
    if (metrics.reciprocal_rank == 0) metrics.reciprocal_rank = 1.0 / rank;
  }
  const auto relevant = static_cast<double>(ideal.size());
  if (relevant > 0) {
    metrics.ndcg = gain / ideal_gain;
    metrics.recall = found / relevant;
    metrics.average_precision /= relevant;
  }
  metrics.precision = found / static_cast<double>(k);
  metrics.hit = found > 0 ? 1.0 : 0.0;
  return metrics;
}

RunEvaluation evaluate_run(const Run& run, const Qrels& qrels, std::size_t k) {
  RunEvaluation evaluation;
  for (const auto& [question, judged] : qrels) {
    const bool answerable = std::any_of(judged.begin(), judged.end(),
                                        [](const auto& entry) { return entry.second > 0; });
    if (!answerable) continue;
    ++evaluation.questions;
    RetrievalMetrics metrics;
    if (const auto entry = run.find(question); entry != run.end()) {
      metrics = evaluate_ranking(trec_order(entry->second), judged, k);
    } else {
      ++evaluation.absent;
    }
    evaluation.per_question[question] = metrics;
    evaluation.mean.ndcg += metrics.ndcg;
    evaluation.mean.recall += metrics.recall;
    evaluation.mean.precision += metrics.precision;
    evaluation.mean.reciprocal_rank += metrics.reciprocal_rank;
    evaluation.mean.average_precision += metrics.average_precision;
    evaluation.mean.hit += metrics.hit;
  }
  if (evaluation.questions == 0) return evaluation;
  const auto n = static_cast<double>(evaluation.questions);
  for (double* value : {&evaluation.mean.ndcg, &evaluation.mean.recall, &evaluation.mean.precision,
                        &evaluation.mean.reciprocal_rank, &evaluation.mean.average_precision,
                        &evaluation.mean.hit}) {
    *value /= n;
  }
  return evaluation;
}

Result<Run> parse_trec_run(std::string_view text) {
  Run run;
  TRY(for_each_line(text, [&run](std::size_t number, const auto& fields) -> Result<void> {
    double score = 0;
    if (fields.size() != 6 || !parse_number(fields[4], score)) {
      return fail(ErrorCode::kInvalidArgument,
                  "run file, line " + std::to_string(number) +
                      ": not of the form 'qid Q0 docid rank score tag'",
                  "give a TREC run file");
    }
    run[std::string(fields[0])].push_back({std::string(fields[2]), score});
    return {};
  }));
  return run;
}

Result<Qrels> parse_qrels(std::string_view text) {
  Qrels qrels;
  TRY(for_each_line(text, [&qrels](std::size_t number, const auto& fields) -> Result<void> {
    if (number == 1 && fields[0] == "query-id") return {};
    int grade = 0;
    const bool is_trec = fields.size() == 4;
    if ((fields.size() != 3 && !is_trec) || !parse_number(fields.back(), grade)) {
      return fail(ErrorCode::kInvalidArgument,
                  "qrels file, line " + std::to_string(number) +
                      ": neither 'qid 0 docid grade' nor 'query-id corpus-id score'",
                  "give a TREC or BEIR qrels file");
    }
    qrels[std::string(fields[0])][std::string(fields[is_trec ? 2 : 1])] = grade;
    return {};
  }));
  return qrels;
}

}  // namespace beleg

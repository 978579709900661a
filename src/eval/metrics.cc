#include "eval/metrics.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_map>

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

std::string place_in(std::string_view file, std::size_t line) {
  return std::string(file) + ", line " + std::to_string(line);
}

/// Remembers on which line a document was first given for a question. Its keys are views of the
/// parsed text.
class FirstLines {
 public:
  /// The line that gave the pair first: `line` itself when the pair is new.
  std::size_t of(std::string_view question, std::string_view document, std::size_t line) {
    return lines_[question].try_emplace(document, line).first->second;
  }

 private:
  std::unordered_map<std::string_view, std::unordered_map<std::string_view, std::size_t>> lines_;
};

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

double binary_ndcg(std::span<const std::size_t> ranks, std::size_t relevant, std::size_t k) {
  const auto discount = [](std::size_t rank) {
    return 1.0 / std::log2(static_cast<double>(rank + 1));
  };
  double gain = 0;
  for (const std::size_t rank : ranks) gain += rank <= k ? discount(rank) : 0.0;
  double ideal = 0;
  for (std::size_t rank = 1; rank <= std::min(k, relevant); ++rank) ideal += discount(rank);
  return ideal > 0 ? gain / ideal : 0.0;
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

Result<Run> parse_trec_run(std::string_view text, std::string_view file) {
  Run run;
  FirstLines first_lines;
  TRY(for_each_line(text, [&](std::size_t number, const auto& fields) -> Result<void> {
    double score = 0;
    if (fields.size() != 6 || !parse_number(fields[4], score)) {
      return fail(ErrorCode::kInvalidArgument,
                  place_in(file, number) + ": not of the form 'qid Q0 docid rank score tag'",
                  "give a TREC run file");
    }
    if (!std::isfinite(score)) {
      return fail(ErrorCode::kInvalidArgument,
                  place_in(file, number) + ": the score '" + std::string(fields[4]) +
                      "' of document '" + std::string(fields[2]) + "' for question '" +
                      std::string(fields[0]) + "' is not finite",
                  "give every document a number as its score");
    }
    if (const std::size_t first = first_lines.of(fields[0], fields[2], number); first != number) {
      return fail(ErrorCode::kInvalidArgument,
                  place_in(file, number) + ": question '" + std::string(fields[0]) +
                      "' lists document '" + std::string(fields[2]) +
                      "' a second time, after line " + std::to_string(first),
                  "list each document once per question");
    }
    run[std::string(fields[0])].push_back({std::string(fields[2]), score});
    return {};
  }));
  return run;
}

Result<Qrels> parse_qrels(std::string_view text, std::string_view file) {
  Qrels qrels;
  FirstLines first_lines;
  TRY(for_each_line(text, [&](std::size_t number, const auto& fields) -> Result<void> {
    if (number == 1 && fields[0] == "query-id") return {};
    int grade = 0;
    const bool is_trec = fields.size() == 4;
    if ((fields.size() != 3 && !is_trec) || !parse_number(fields.back(), grade)) {
      return fail(
          ErrorCode::kInvalidArgument,
          place_in(file, number) + ": neither 'qid 0 docid grade' nor 'query-id corpus-id score'",
          "give a TREC or BEIR qrels file");
    }
    const std::string_view document = fields[is_trec ? 2 : 1];
    if (const std::size_t first = first_lines.of(fields[0], document, number); first != number) {
      return fail(ErrorCode::kInvalidArgument,
                  place_in(file, number) + ": document '" + std::string(document) +
                      "' is judged a second time for question '" + std::string(fields[0]) +
                      "', after line " + std::to_string(first),
                  "judge each document once per question");
    }
    qrels[std::string(fields[0])][std::string(document)] = grade;
    return {};
  }));
  return qrels;
}

}  // namespace beleg

#include "pipeline/fusion_calibration.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "eval/metrics.h"
#include "model/worker_pool.h"
#include "pipeline/search.h"

namespace beleg {
namespace {

constexpr std::size_t kCutoff = 10;
constexpr std::size_t kFolds = 5;
constexpr std::size_t kFewest = 2 * kFolds;
constexpr double kWorthwhile = 2e-4;
constexpr std::size_t kRounds = 4;

/// One parameter with the values that are tried.
struct Dial {
  double& (*of)(FusionParameters&);
  std::vector<double> values;
};

std::vector<Dial> dials() {
  return {
      {[](FusionParameters& p) -> double& { return p.weights.lexical; },
       {0.25, 0.5, 0.75, 1, 1.5, 2}},
      {[](FusionParameters& p) -> double& { return p.weights.dense; },
       {0, 0.25, 0.5, 0.75, 1, 1.5, 2}},
      {[](FusionParameters& p) -> double& { return p.weights.dense_alone; },
       {0.25, 0.5, 0.75, 1, 1.5, 2}},
      {[](FusionParameters& p) -> double& { return p.weights.foreign_floor; },
       {0, 0.05, 0.1, 0.15, 0.25, 0.5, 1}},
      {[](FusionParameters& p) -> double& { return p.weights.full_mass; },
       {0.1, 0.25, 0.5, 0.75, 1}},
      {[](FusionParameters& p) -> double& { return p.weights.agreement_floor; },
       {0, 0.25, 0.5, 0.75, 1}},
      {[](FusionParameters& p) -> double& { return p.fusion.k; }, {5, 10, 20, 40, 60, 100}},
  };
}

/// Measures orders of rows by the documents that they belong to.
class DocumentRanking {
 public:
  explicit DocumentRanking(const std::function<DocumentId(Row)>& document_of)
      : document_of_(document_of) {}

  template <class Rows>
  [[nodiscard]] double ndcg(const Rows& rows, const FusionExample& example) const {
    std::vector<DocumentId> seen;
    std::vector<std::size_t> ranks;
    for (const auto& entry : rows) {
      const DocumentId document = document_of_(entry.row);
      if (std::ranges::find(seen, document) != seen.end()) continue;
      seen.push_back(document);
      if (std::ranges::find(example.relevant, document) != example.relevant.end()) {
        ranks.push_back(seen.size());
      }
      if (seen.size() == kCutoff) break;
    }
    return binary_ndcg(ranks, example.relevant.size(), kCutoff);
  }

  [[nodiscard]] double fused(const FusionExample& example,
                             const FusionParameters& parameters) const {
    const ListWeights weights = weigh_lists(example.evidence, parameters.weights);
    std::vector<CandidateList> lists = example.lists;
    for (CandidateList& list : lists) list.weight = weight_of(weights, list.retriever);
    return ndcg(fuse_reciprocal_ranks(lists, parameters.fusion), example);
  }

  [[nodiscard]] double single(const FusionExample& example, std::string_view retriever) const {
    for (const CandidateList& list : example.lists) {
      if (list.retriever == retriever) return ndcg(list.hits, example);
    }
    return 0.0;
  }

 private:
  const std::function<DocumentId(Row)>& document_of_;
};

/// A fit over some of the examples.
class Fitting {
 public:
  Fitting(std::span<const FusionExample> examples, const DocumentRanking& ranking,
          std::vector<std::size_t> chosen)
      : examples_(examples), ranking_(ranking), chosen_(std::move(chosen)) {}

  [[nodiscard]] FusionParameters fit(FusionParameters best) const {
    double quality = mean(best);
    for (std::size_t round = 0; round < kRounds; ++round) {
      bool moved = false;
      for (const Dial& dial : dials()) moved = turn(dial, best, quality) || moved;
      if (!moved) break;
    }
    return best;
  }

 private:
  /// Sets the parameter to its best value; false when it stays.
  bool turn(const Dial& dial, FusionParameters& best, double& quality) const {
    FusionParameters winner = best;
    double most = quality + kWorthwhile;
    for (const double value : dial.values) {
      FusionParameters tried = best;
      dial.of(tried) = value;
      const double found = mean(tried);
      if (found < most) continue;
      most = found;
      winner = tried;
    }
    if (dial.of(winner) == dial.of(best)) return false;
    best = winner;
    quality = most;
    return true;
  }

  [[nodiscard]] double mean(const FusionParameters& parameters) const {
    double sum = 0;
    for (const std::size_t i : chosen_) sum += ranking_.fused(examples_[i], parameters);
    return chosen_.empty() ? 0.0 : sum / static_cast<double>(chosen_.size());
  }

  std::span<const FusionExample> examples_;
  const DocumentRanking& ranking_;
  std::vector<std::size_t> chosen_;
};

/// Questions about the same document never stand on both sides.
std::size_t fold_of(const FusionExample& example) {
  return static_cast<std::size_t>(example.relevant.front()) % kFolds;
}

/// What one question got from each list and each fusion.
struct QuestionQuality {
  double lexical = 0;
  double dense = 0;
  double late = 0;
  double before = 0;
  double fitted = 0;
  double held_out = 0;
};

FusionQuality summarise(std::span<const QuestionQuality> questions) {
  FusionQuality sum;
  const auto count = static_cast<double>(questions.size());
  const auto mean = [&](double QuestionQuality::* field) {
    return std::accumulate(questions.begin(), questions.end(), 0.0,
                           [&](double total, const auto& q) { return total + q.*field; }) /
           count;
  };
  sum.questions = questions.size();
  sum.lexical = mean(&QuestionQuality::lexical);
  sum.dense = mean(&QuestionQuality::dense);
  sum.late = mean(&QuestionQuality::late);
  sum.before = mean(&QuestionQuality::before);
  sum.fitted = mean(&QuestionQuality::fitted);
  sum.held_out = mean(&QuestionQuality::held_out);
  double QuestionQuality::* best = &QuestionQuality::lexical;
  for (double QuestionQuality::* field : {&QuestionQuality::dense, &QuestionQuality::late}) {
    if (mean(field) > mean(best)) best = field;
  }
  const double difference = sum.held_out - mean(best);
  double squares = 0;
  for (const QuestionQuality& q : questions) {
    squares += std::pow(q.held_out - q.*best - difference, 2);
  }
  constexpr double kQuantile = 1.96;
  sum.margin = questions.size() > 1 ? kQuantile * std::sqrt(squares / (count - 1) / count) : 1.0;
  return sum;
}

}  // namespace

Result<std::vector<FusionExample>> collect_fusion_examples(
    Engine& engine, const std::vector<LabelledRetrieval>& questions,
    const std::function<void(std::size_t done, std::size_t total)>& progress) {
  const LabelledDocuments documents = TRY(LabelledDocuments::of(engine));
  std::vector<FusionExample> examples;
  for (std::size_t q = 0; q < questions.size(); ++q) {
    FusionExample example;
    for (const DocumentHead& head : TRY(documents.relevant_to(questions[q]))) {
      example.relevant.push_back(head.document);
    }
    progress(q + 1, questions.size());
    if (example.relevant.empty()) continue;
    std::vector<QueryVectors> vectors = TRY(engine.encode_questions({questions[q].text}));
    SearchResult found = TRY(search(engine, questions[q].text, std::move(vectors.front()), {},
                                    SearchMode::kHybrid, SearchUnit::kDocument, kCutoff));
    example.language = found.query.language;
    example.evidence = found.query.evidence;
    example.lists = std::move(found.lists);
    examples.push_back(std::move(example));
  }
  return examples;
}

Result<FusionFit> fit_fusion(std::span<const FusionExample> examples,
                             const std::function<DocumentId(Row)>& document_of,
                             const FusionParameters& in_force) {
  if (examples.size() < kFewest) {
    return fail(ErrorCode::kInvalidArgument,
                "only " + std::to_string(examples.size()) + " questions have relevant documents",
                "give at least " + std::to_string(kFewest) + "; hundreds are better");
  }
  const DocumentRanking ranking(document_of);
  // The last fit is that of all questions.
  std::array<FusionParameters, kFolds + 1> fitted;
  run_in_parallel(fitted.size(), fitted.size(), [&](std::size_t fold) {
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < examples.size(); ++i) {
      if (fold == kFolds || fold_of(examples[i]) != fold) chosen.push_back(i);
    }
    fitted[fold] = Fitting(examples, ranking, std::move(chosen)).fit(in_force);
  });
  std::vector<QuestionQuality> all;
  std::map<std::string, std::vector<QuestionQuality>> by_language;
  for (const FusionExample& example : examples) {
    const QuestionQuality quality{.lexical = ranking.single(example, "lexical"),
                                  .dense = ranking.single(example, "dense"),
                                  .late = ranking.single(example, "late"),
                                  .before = ranking.fused(example, in_force),
                                  .fitted = ranking.fused(example, fitted[kFolds]),
                                  .held_out = ranking.fused(example, fitted[fold_of(example)])};
    all.push_back(quality);
    by_language[example.language].push_back(quality);
  }
  FusionFit fit{.parameters = fitted[kFolds], .all = summarise(all), .by_language = {}};
  for (const auto& [language, some] : by_language) {
    fit.by_language.emplace_back(language, summarise(some));
  }
  std::ranges::stable_sort(fit.by_language, std::ranges::greater(),
                           [](const auto& entry) { return entry.second.questions; });
  return fit;
}

}  // namespace beleg

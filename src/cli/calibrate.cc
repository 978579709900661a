#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/progress.h"
#include "cli/session.h"
#include "model/calibration.h"
#include "pipeline/fusion_calibration.h"
#include "pipeline/relevance_calibration.h"
#include "route/plan_training.h"

namespace beleg {
namespace {

constexpr std::size_t kFolds = 5;

/// Fewer labelled questions than this give a relevance that means little.
constexpr std::size_t kFewQuestions = 50;
constexpr std::uint64_t kMaxLabelBytes = 1ULL << 28U;

struct Options {
  std::string what;
  std::string questions;
  std::uint64_t candidates = 25;
  bool dry_run = false;
};

void print_report(const Session& session, const RelevanceModel& model,
                  const CalibrationReport& report) {
  std::array<char, 200> line{};
  std::snprintf(line.data(), line.size(),
                "fitted on %zu pairs of %zu questions; out of fold: AUC %.4f, Brier score %.4f, "
                "expected calibration error %.4f",
                model.pairs, model.questions, report.roc_auc, report.brier_score,
                report.expected_calibration_error);
  session.print(line.data());
  session.print("relevance   predicted  observed  pairs");
  for (const ReliabilityBin& bin : report.curve) {
    std::snprintf(line.data(), line.size(), "%.1f - %.1f      %.3f      %.3f   %6zu", bin.low,
                  bin.high, bin.mean_predicted, bin.observed, bin.count);
    session.print(line.data());
  }
}

nlohmann::json report_json(const CalibrationReport& report) {
  nlohmann::json curve = nlohmann::json::array();
  for (const ReliabilityBin& bin : report.curve) {
    curve.push_back({{"low", bin.low},
                     {"high", bin.high},
                     {"predicted", bin.mean_predicted},
                     {"observed", bin.observed},
                     {"pairs", bin.count}});
  }
  return {{"auc", report.roc_auc},
          {"brier_score", report.brier_score},
          {"expected_calibration_error", report.expected_calibration_error},
          {"curve", curve}};
}

Result<int> calibrate_relevance(const Options& options, const Session& session) {
  const auto questions = TRY(read_labelled_retrieval(options.questions));
  const auto engine = TRY(session.open_engine());
  Progress progress("calibrate", true);
  const auto pairs = TRY(
      label_pairs(*engine, questions, options.candidates,
                  [&](std::size_t done, std::size_t total) { progress.update(done, total, ""); }));
  progress.clear();
  const RelevanceModel model = TRY(fit_relevance_model(pairs));
  const std::vector<double> predicted = TRY(cross_validated_relevance(pairs, kFolds));
  std::vector<LabelledScore> scores;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    // The report takes raw scores of a logistic; the log odds of a probability are just that.
    const double p = std::clamp(predicted[i], 1e-12, 1.0 - 1e-12);
    scores.push_back({.score = std::log(p / (1.0 - p)), .relevant = pairs[i].relevant});
  }
  const CalibrationReport report = evaluate_calibration(Calibration{}, scores);
  nlohmann::json stored = nlohmann::json::parse(relevance_model_to_json(model));
  stored["report"] = report_json(report);
  if (!options.dry_run) {
    TRY(write_file_atomically(relevance_model_path(session.home(), engine->settings().encoder),
                              stored.dump(2)));
  }
  if (session.json()) {
    session.print(stored.dump(2));
  } else {
    print_report(session, model, report);
    session.print(options.dry_run ? "not stored (--dry-run)" : "stored beside the model");
    if (model.questions < kFewQuestions) {
      session.print("warning: only " + std::to_string(model.questions) +
                    " questions: the numbers mean little below " + std::to_string(kFewQuestions));
    }
  }
  return kExitOk;
}

Result<std::vector<LabelledQuestion>> read_plan_labels(const std::string& path) {
  const std::string bytes = TRY(read_file(path, kMaxLabelBytes));
  std::vector<LabelledQuestion> questions;
  std::size_t number = 0;
  std::size_t start = 0;
  while (start < bytes.size()) {
    const std::size_t end = std::min(bytes.find('\n', start), bytes.size());
    const std::string_view line = std::string_view(bytes).substr(start, end - start);
    start = end + 1;
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const auto json = nlohmann::json::parse(line, nullptr, false);
    try {
      questions.push_back({.text = json.at("text").get<std::string>(),
                           .language = json.at("language").get<std::string>(),
                           .decompose = json.at("decompose").get<bool>()});
    } catch (const nlohmann::json::exception&) {
      return fail(ErrorCode::kInvalidArgument,
                  printable_path(path) + ", line " + std::to_string(number) +
                      ": needs 'text', 'language' and 'decompose'",
                  "give one JSON object per line");
    }
  }
  return questions;
}

Result<int> calibrate_plan(const Options& options, const Session& session) {
  const auto questions = TRY(read_plan_labels(options.questions));
  const Settings settings = TRY(session.settings());
  const PlanFit fit = TRY(fit_plan_model(questions, settings.plan.threshold));
  if (session.json()) {
    session.print(nlohmann::json{{"precision", fit.held_out.precision()},
                                 {"recall", fit.held_out.recall()},
                                 {"threshold", fit.threshold},
                                 {"best_threshold", fit.best_threshold},
                                 {"model", fit.model.to_text()}}
                      .dump(2));
    return kExitOk;
  }
  std::array<char, 200> line{};
  std::snprintf(
      line.data(), line.size(),
      "held-out folds: precision %.3f, recall %.3f at threshold %.2f; best threshold %.2f",
      fit.held_out.precision(), fit.held_out.recall(), fit.threshold, fit.best_threshold);
  session.print(line.data());
  session.print(fit.model.to_text());
  return kExitOk;
}

nlohmann::json quality_json(const FusionQuality& quality) {
  return {{"questions", quality.questions}, {"lexical", quality.lexical},
          {"dense", quality.dense},         {"late", quality.late},
          {"before", quality.before},       {"fitted", quality.fitted},
          {"held_out", quality.held_out},   {"margin", quality.margin}};
}

void print_quality(const Session& session, const std::string& name, const FusionQuality& quality) {
  std::array<char, 200> line{};
  std::snprintf(line.data(), line.size(),
                "%-9s %9zu   %.4f  %.4f  %.4f   %.4f  %.4f    %.4f ± %.4f", name.c_str(),
                quality.questions, quality.lexical, quality.dense, quality.late, quality.before,
                quality.fitted, quality.held_out, quality.margin);
  session.print(line.data());
}

/// The fitted parameters as lines of the settings file.
std::vector<std::pair<std::string, double>> fusion_settings(const FusionParameters& parameters) {
  const ListWeightSettings& weights = parameters.weights;
  return {{"k", parameters.fusion.k},       {"lexical_weight", weights.lexical},
          {"dense_weight", weights.dense},  {"dense_alone_weight", weights.dense_alone},
          {"late_weight", weights.late},    {"foreign_floor", weights.foreign_floor},
          {"full_mass", weights.full_mass}, {"agreement_floor", weights.agreement_floor}};
}

std::vector<DocumentId> documents_of_rows(const IndexSnapshot& index) {
  std::vector<DocumentId> documents(index.row_limit());
  for (std::size_t row = 0; row < documents.size(); ++row) {
    if (index.is_row(static_cast<Row>(row))) {
      documents[row] = index.attributes(static_cast<Row>(row)).document;
    }
  }
  return documents;
}

Result<int> calibrate_fusion(const Options& options, const Session& session) {
  const auto questions = TRY(read_labelled_retrieval(options.questions));
  const auto engine = TRY(session.open_engine());
  Progress progress("calibrate", true);
  const auto examples =
      TRY(collect_fusion_examples(*engine, questions, [&](std::size_t done, std::size_t total) {
        progress.update(done, total, "");
      }));
  progress.clear();
  const Settings& settings = engine->settings();
  const std::vector<DocumentId> documents = documents_of_rows(engine->index());
  const FusionFit fit = TRY(fit_fusion(examples, [&](Row row) { return documents[row]; },
                                       {.weights = settings.weights, .fusion = settings.fusion}));
  if (session.json()) {
    nlohmann::json json = {{"all", quality_json(fit.all)},
                           {"by_language", nlohmann::json::object()}};
    for (const auto& [name, value] : fusion_settings(fit.parameters)) json["fuse"][name] = value;
    for (const auto& [language, quality] : fit.by_language) {
      json["by_language"][language] = quality_json(quality);
    }
    session.print(json.dump(2));
    return kExitOk;
  }
  session.print(
      "nDCG@10 over documents; the last column was fitted on other questions (± 95 % against the "
      "best list)");
  session.print("language  questions   lexical   dense    late   before  fitted  held out");
  print_quality(session, "all", fit.all);
  for (const auto& [language, quality] : fit.by_language) print_quality(session, language, quality);
  session.print("\nfor the settings file:\n[fuse]");
  for (const auto& [name, value] : fusion_settings(fit.parameters)) {
    std::array<char, 80> line{};
    std::snprintf(line.data(), line.size(), "%s = %g", name.c_str(), value);
    session.print(line.data());
  }
  if (fit.all.questions < kFewQuestions) {
    session.print("warning: only " + std::to_string(fit.all.questions) +
                  " questions: the numbers mean little below " + std::to_string(kFewQuestions));
  }
  return kExitOk;
}

int run(const Options& options, Session& session) {
  Result<int> code = kExitOk;
  if (options.questions.empty()) {
    code = fail(ErrorCode::kInvalidArgument, "--questions FILE is needed",
                "give labelled questions as JSONL");
  } else if (options.what == "relevance") {
    code = calibrate_relevance(options, session);
  } else if (options.what == "fusion") {
    code = calibrate_fusion(options, session);
  } else if (options.what == "plan") {
    code = calibrate_plan(options, session);
  } else {
    code = fail(ErrorCode::kInvalidArgument, "cannot calibrate '" + options.what + "'",
                "give relevance, fusion or plan");
  }
  return code ? *code : session.complain(code.error());
}

}  // namespace

CommandRunner define_calibrate(Arguments& arguments) {
  auto options = std::make_shared<Options>();
  arguments.positional("what", options->what, "relevance; fusion or plan (report only)", true);
  arguments.option("--questions", options->questions, "Labelled questions, JSONL");
  arguments.option("--candidates", options->candidates, "Passages judged per question");
  arguments.flag("--dry-run", options->dry_run, "Report without storing");
  return [options](Session& session) { return run(*options, session); };
}

}  // namespace beleg

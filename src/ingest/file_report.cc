#include "ingest/file_report.h"

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

namespace beleg {
namespace {

constexpr std::array<std::pair<FileOutcome, std::string_view>, 6> kNames{{
    {FileOutcome::kAdded, "added"},
    {FileOutcome::kChanged, "changed"},
    {FileOutcome::kUnchanged, "unchanged"},
    {FileOutcome::kRemoved, "removed"},
    {FileOutcome::kFailed, "failed"},
    {FileOutcome::kPartial, "partial"},
}};

FileOutcome outcome_of(std::string_view name) {
  for (const auto& [outcome, known] : kNames) {
    if (known == name) return outcome;
  }
  return FileOutcome::kFailed;
}

nlohmann::json failure_json(const DeadLetter& failure) {
  return {{"record", failure.record},
          {"id", failure.external_id},
          {"code", failure.code},
          {"reason", failure.reason},
          {"remedy", failure.remedy}};
}

DeadLetter failure_of(const nlohmann::json& json) {
  DeadLetter failure;
  failure.record = json.at("record").get<std::uint64_t>();
  failure.external_id = json.at("id").get<std::string>();
  failure.code = json.at("code").get<std::string>();
  failure.reason = json.at("reason").get<std::string>();
  failure.remedy = json.at("remedy").get<std::string>();
  return failure;
}

FileProgress progress_of(const nlohmann::json& json) {
  FileProgress progress;
  progress.report.outcome = outcome_of(json.at("outcome").get<std::string>());
  progress.report.reason = json.at("reason").get<std::string>();
  progress.report.documents = json.at("documents").get<std::size_t>();
  progress.report.passages = json.at("passages").get<std::size_t>();
  progress.report.encoding = json.at("encoding").get<std::string>();
  progress.report.warnings = json.at("listed_warnings").get<std::vector<std::string>>();
  for (const nlohmann::json& failure : json.at("failures")) {
    progress.failures.push_back(failure_of(failure));
  }
  progress.failed_records = json.at("failed_records").get<std::size_t>();
  progress.added = json.at("added").get<std::size_t>();
  progress.changed = json.at("changed").get<std::size_t>();
  progress.unchanged = json.at("unchanged").get<std::size_t>();
  progress.warnings = json.at("warnings").get<std::size_t>();
  progress.replacements = json.at("replacements").get<std::uint64_t>();
  progress.conflict = json.at("conflict").get<bool>();
  progress.incomplete = json.at("incomplete").get<bool>();
  return progress;
}

}  // namespace

std::string_view file_outcome_name(FileOutcome outcome) {
  for (const auto& [known, name] : kNames) {
    if (known == outcome) return name;
  }
  return "failed";
}

void FileProgress::note_failure(std::uint64_t record, std::string_view external_id,
                                const Error& error) {
  ++failed_records;
  incomplete = true;
  if (failures.size() >= kListedFailures) return;
  DeadLetter& failure = failures.emplace_back();
  failure.record = record;
  failure.external_id = external_id;
  failure.code = error_code_name(error.code);
  failure.reason = error.message;
  failure.remedy = error.remedy;
}

void FileProgress::note_warnings(const std::vector<std::string>& lines) {
  warnings += lines.size();
  for (const std::string& line : lines) {
    if (report.warnings.size() < kListedWarnings) report.warnings.push_back(line);
  }
}

void FileProgress::conclude() {
  const std::string first =
      failures.empty()
          ? std::string()
          : Error{.message = failures.front().reason, .remedy = failures.front().remedy}.to_line();
  if (report.documents == 0) {
    report.outcome = FileOutcome::kFailed;
    report.reason = first.empty() ? "no document in it" : first;
  } else if (incomplete) {
    report.outcome = FileOutcome::kPartial;
    report.reason =
        std::to_string(failed_records) + " records could not be read; the first: " + first;
  } else if (replacements > 0) {
    report.outcome = FileOutcome::kPartial;
    report.reason = std::to_string(replacements) + " bytes are no text in " + report.encoding +
                    " and were replaced by U+FFFD";
  } else if (changed > 0) {
    report.outcome = FileOutcome::kChanged;
  } else if (added > 0) {
    report.outcome = FileOutcome::kAdded;
  }
  if (warnings > report.warnings.size()) {
    report.warnings.push_back("and " + std::to_string(warnings - report.warnings.size()) +
                              " more warnings");
  }
}

std::string progress_to_json(const FileProgress& progress) {
  nlohmann::json failures = nlohmann::json::array();
  for (const DeadLetter& failure : progress.failures) failures.push_back(failure_json(failure));
  const nlohmann::json json = {{"outcome", file_outcome_name(progress.report.outcome)},
                               {"reason", progress.report.reason},
                               {"documents", progress.report.documents},
                               {"passages", progress.report.passages},
                               {"encoding", progress.report.encoding},
                               {"listed_warnings", progress.report.warnings},
                               {"failures", std::move(failures)},
                               {"failed_records", progress.failed_records},
                               {"added", progress.added},
                               {"changed", progress.changed},
                               {"unchanged", progress.unchanged},
                               {"warnings", progress.warnings},
                               {"replacements", progress.replacements},
                               {"conflict", progress.conflict},
                               {"incomplete", progress.incomplete}};
  // Reasons may quote bytes that are no UTF-8: show U+FFFD, never throw.
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Result<FileProgress> progress_from_json(std::string_view json) {
  const auto parsed = nlohmann::json::parse(json, nullptr, false);
  try {
    return progress_of(parsed);
  } catch (const nlohmann::json::exception&) {
    return fail(ErrorCode::kCorrupt, "the record of a file of the unfinished ingest is damaged",
                "begin anew with `beleg ingest --restart`");
  }
}

}  // namespace beleg

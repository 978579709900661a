#include <sys/statvfs.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/session.h"
#include "ingest/corpus_audit.h"
#include "ingest/ingest.h"
#include "model/manifest.h"
#include "pipeline/engine.h"
#include "store/ingest_job.h"

namespace beleg {
namespace {

/// Below this much free disk an ingest may fail half-way (safely, but it will).
constexpr std::uint64_t kLowDiskBytes = 1ULL << 30U;

struct Finding {
  std::string subject;
  bool ok = false;
  bool matters = true;  ///< False: worth knowing, but nothing is wrong.
  std::string text;
  std::string remedy;
};

Finding check_processor() {
  Finding finding{.subject = "processor", .ok = true};
  finding.text = std::to_string(std::thread::hardware_concurrency()) + " cores";
#if defined(__x86_64__)
  finding.ok = __builtin_cpu_supports("avx2") != 0;
  if (__builtin_cpu_supports("avx512f") != 0) {
    finding.text += ", AVX-512";
  } else if (finding.ok) {
    finding.text += ", AVX2";
  } else {
    finding.matters = false;
    finding.text += ", no AVX2: slow";
    finding.remedy = "works, but a processor of the last ten years is many times faster";
  }
#endif
  return finding;
}

Finding check_memory() {
  Finding finding{.subject = "memory", .ok = true};
  std::ifstream info("/proc/meminfo");
  std::string field;
  std::uint64_t kib = 0;
  std::string unit;
  while (info >> field >> kib >> unit) {
    if (field == "MemAvailable:") break;
  }
  const std::uint64_t mib = kib / 1024;
  finding.text = std::to_string(mib) + " MiB available";
  if (mib < 700) {
    finding.ok = false;
    finding.remedy = "free some memory: models and index need about 600 MiB";
  }
  return finding;
}

Finding check_disk(const std::filesystem::path& home) {
  Finding finding{.subject = "disk", .ok = true};
  std::filesystem::path place = std::filesystem::absolute(home);
  std::error_code code;
  while (!std::filesystem::exists(place, code) && place.has_relative_path()) {
    place = place.parent_path();
  }
  struct statvfs info{};
  if (::statvfs(place.c_str(), &info) != 0) {
    finding.ok = false;
    finding.text = "cannot inspect " + printable_path(place);
    finding.remedy = "check the path given with --home";
    return finding;
  }
  const std::uint64_t free = static_cast<std::uint64_t>(info.f_bavail) * info.f_frsize;
  finding.text = std::to_string(free >> 20U) + " MiB free at " + printable_path(home);
  if (free < kLowDiskBytes) {
    finding.ok = false;
    finding.remedy = "free some disk space, or give another --home";
  }
  return finding;
}

Finding check_settings(const Session& session) {
  Finding finding{.subject = "settings"};
  const auto settings = session.settings();
  finding.ok = settings.has_value();
  if (!settings) {
    finding.text = settings.error().message;
    finding.remedy = settings.error().remedy;
    return finding;
  }
  std::error_code code;
  finding.text = std::filesystem::exists(session.config_path(), code)
                     ? printable_path(session.config_path()) + " is valid"
                     : "defaults (no settings file)";
  return finding;
}

Finding check_model(const Session& session, const std::string& name) {
  Finding finding{.subject = "model " + name};
  const ModelStore store(session.home() / "models");
  const auto model = store.find(name, true);
  if (!model) {
    finding.text = model.error().message;
    finding.remedy = model.error().remedy;
    return finding;
  }
  finding.ok = model->state == ModelState::kReady;
  finding.text = std::string(model_state_name(model->state)) +
                 (finding.ok ? ", every byte as it should be" : ": " + model->detail);
  if (!finding.ok) finding.remedy = "run `beleg models fetch " + name + "`";
  return finding;
}

/// A fitted relevance model is read by every question: a damaged one fails them all.
Finding check_relevance(const Session& session, const std::string& encoder) {
  Finding finding{.subject = "relevance"};
  const auto model = load_relevance_model(relevance_model_path(session.home(), encoder));
  finding.ok = model.has_value();
  finding.text = model ? "fitted on " + std::to_string(model->questions) + " questions"
                       : model.error().message;
  if (!model) finding.remedy = "run `beleg calibrate relevance` again, or delete the file";
  return finding;
}

Finding check_corpus(const Session& session) {
  Finding finding{.subject = "corpus " + session.corpus()};
  const auto audit = [&]() -> Result<CorpusAudit> {
    const auto store = TRY(session.open_store());
    return audit_corpus(*store);
  }();
  if (!audit) {
    finding.matters = audit.error().code != ErrorCode::kNotFound;
    finding.text = audit.error().message;
    finding.remedy = audit.error().code == ErrorCode::kNotFound ? "run `beleg ingest PATH`"
                                                                : audit.error().remedy;
    return finding;
  }
  finding.ok = audit->findings.empty();
  finding.text = std::to_string(audit->truth.documents) + " documents, " +
                 std::to_string(audit->truth.passages) + " passages" +
                 (finding.ok ? ", all well" : "; " + audit->findings.front());
  if (!finding.ok) finding.remedy = "run `beleg audit` for all findings";
  return finding;
}

/// Nothing when no ingest is unfinished, or one runs: the same command then ends or resumes it.
std::optional<Finding> check_ingest(const Session& session) {
  const auto unfinished = [&]() -> Result<std::optional<IngestJob>> {
    const auto store = TRY(session.open_store());
    return store->jobs().unfinished();
  }();
  const std::optional<IngestJob> job = unfinished ? *unfinished : std::nullopt;
  if (!job) return std::nullopt;
  Finding finding{.subject = "ingest", .matters = false};
  finding.text = "unfinished, last checkpoint " + format_utc(job->updated_at) + ": " +
                 progress_phrase(job->files_done, job->files_total);
  finding.remedy =
      "unless it runs now, run the same `beleg ingest` again, which resumes it, or discard it with "
      "`beleg ingest --restart`";
  return finding;
}

int run(Session& session) {
  std::vector<Finding> findings = {check_processor(), check_memory(), check_disk(session.home()),
                                   check_settings(session)};
  const auto settings = session.settings();
  const Settings in_force = settings ? *settings : Settings{};
  findings.push_back(check_model(session, in_force.encoder));
  findings.push_back(check_relevance(session, in_force.encoder));
  if (!in_force.rerank.cross_encoder.empty()) {
    findings.push_back(check_model(session, in_force.rerank.cross_encoder));
  }
  findings.push_back(check_corpus(session));
  if (auto unfinished = check_ingest(session)) findings.push_back(*std::move(unfinished));
  bool all_well = true;
  nlohmann::json all = nlohmann::json::array();
  for (const Finding& finding : findings) {
    if (!finding.ok && finding.matters) all_well = false;
    if (session.json()) {
      all.push_back({{"subject", finding.subject},
                     {"ok", finding.ok},
                     {"text", finding.text},
                     {"remedy", finding.remedy}});
      continue;
    }
    session.print(std::string(finding.ok ? "ok    " : (finding.matters ? "FAIL  " : "note  ")) +
                  finding.subject + ": " + printable_text(finding.text) +
                  (finding.remedy.empty() ? "" : " -> " + printable_text(finding.remedy)));
  }
  if (session.json()) session.print(nlohmann::json{{"ok", all_well}, {"checks", all}}.dump(2));
  return all_well ? kExitOk : kExitFailed;
}

}  // namespace

CommandRunner define_doctor(Arguments&) { return run; }

}  // namespace beleg

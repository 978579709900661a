#include "ingest/ingest.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/progress.h"
#include "cli/session.h"

namespace beleg {
namespace {

struct Options {
  std::vector<std::string> paths;
  bool quiet = false;
};

std::string json_line(const nlohmann::json& json) {
  // Paths and reasons may hold bytes that are no UTF-8: show U+FFFD, never throw.
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Times are not known better than this.
double in_tenths(double ms) { return std::round(ms * 10) / 10; }

void print_file(const Session& session, const FileReport& file) {
  if (session.json()) {
    nlohmann::json line = {{"path", printable_path(file.path)},
                           {"outcome", file_outcome_name(file.outcome)},
                           {"reason", file.reason},
                           {"documents", file.documents},
                           {"passages", file.passages},
                           {"encoding", file.encoding}};
    if (!file.warnings.empty()) line["warnings"] = file.warnings;
    session.print(json_line(line));
    return;
  }
  const bool bad = file.outcome == FileOutcome::kFailed || file.outcome == FileOutcome::kPartial;
  if (bad) {
    session.print(std::string(file_outcome_name(file.outcome)) + ": " + printable_path(file.path) +
                  ": " + printable_text(file.reason));
  }
  for (const std::string& warning : file.warnings) {
    session.print("warning: " + printable_path(file.path) + ": " + printable_text(warning));
  }
}

void print_summary(const Session& session, const IngestSummary& s) {
  const auto generation =
      s.generation ? static_cast<std::int64_t>(s.generation->number) : std::int64_t{0};
  if (session.json()) {
    session.print(json_line(
        {{"summary",
          {{"generation", s.generation ? nlohmann::json(generation) : nlohmann::json(nullptr)},
           {"files", s.files},
           {"added", s.added},
           {"changed", s.changed},
           {"unchanged", s.unchanged},
           {"removed", s.removed},
           {"failed", s.failed_files},
           {"partial", s.partial_files},
           {"ignored", s.ignored_files},
           {"passages", s.passages},
           {"encoded", s.encoded},
           {"reused", s.reused},
           {"warnings", s.warnings},
           {"ms", in_tenths(s.wall_ms)},
           {"cpu_ms", in_tenths(s.cpu_ms)}}}}));
    return;
  }
  std::array<char, 400> line{};
  std::snprintf(
      line.data(), line.size(),
      "%zu files: %zu documents added, %zu changed, %zu unchanged, %zu removed; "
      "%zu files failed, %zu partial, %zu ignored; %zu passages (%zu encoded, %zu reused) "
      "in %.1f s (%.1f CPU s)",
      s.files, s.added, s.changed, s.unchanged, s.removed, s.failed_files, s.partial_files,
      s.ignored_files, s.passages, s.encoded, s.reused, s.wall_ms / 1000, s.cpu_ms / 1000);
  session.print(line.data());
  session.print(s.generation ? "generation " + std::to_string(generation) + " of corpus '" +
                                   session.corpus() + "'"
                             : "nothing changed: no new generation");
}

Result<IngestSummary> ingest(const Options& options, const Session& session) {
  const Settings settings = TRY(session.settings());
  std::vector<std::filesystem::path> paths;
  for (const std::string& path : options.paths) {
    std::error_code code;
    if (!std::filesystem::exists(std::filesystem::symlink_status(path, code))) {
      return fail(ErrorCode::kNotFound, printable_path(path) + " does not exist", "check the path");
    }
    paths.emplace_back(path);
  }
  const auto encoder = TRY(open_encoder(session.home(), settings));
  const std::filesystem::path folder = TRY(corpus_folder(session.home(), session.corpus()));
  const auto store = TRY(CorpusStore::open_or_create(folder));
  Progress progress("ingest", !options.quiet);
  IngestObserver observer;
  observer.on_file = [&](const FileReport& file) {
    if (!session.json()) progress.clear();
    print_file(session, file);
  };
  observer.on_progress = [&](const IngestProgress& p) {
    progress.update(p.files_done, p.files_total, std::to_string(p.passages) + " passages");
  };
  return ingest_paths(*store, paths, *encoder, settings, observer);
}

int run(const Options& options, Session& session) {
  const auto summary = ingest(options, session);
  if (!summary) return session.complain(summary.error());
  print_summary(session, *summary);
  const bool bad = summary->failed_files + summary->partial_files > 0;
  const bool any = summary->added + summary->changed + summary->unchanged + summary->removed > 0;
  if (!any) {
    session.note("beleg: no document was read (give Markdown, HTML, text or JSONL files)");
    return kExitFailed;
  }
  return bad ? kExitPartial : kExitOk;
}

}  // namespace

CommandRunner define_ingest(Arguments& arguments) {
  auto options = std::make_shared<Options>();
  arguments.positionals("paths", options->paths, "Files and folders", true);
  arguments.flag("--quiet", options->quiet, "No progress");
  return [options](Session& session) { return run(*options, session); };
}

}  // namespace beleg

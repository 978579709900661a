#include "ingest/ingest.h"

#include <array>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/progress.h"
#include "cli/session.h"
#include "store/ingest_job.h"

namespace beleg {
namespace {

struct Options {
  std::vector<std::string> paths;
  bool quiet = false;
  bool restart = false;
  bool retry_failed = false;
};

volatile std::sig_atomic_t stop_signal = 0;

/// The first Ctrl-C or SIGTERM ends the ingest at its next document; a second one ends the process.
void catch_stop_signals() {
  struct sigaction action{};
  action.sa_handler = [](int signal) { stop_signal = signal; };
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
}

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
    if (file.resumed) line["resumed"] = true;
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

nlohmann::json summary_json(const IngestSummary& s) {
  nlohmann::json json = {{"generation", nullptr},      {"resumed", nullptr},
                         {"files", s.files},           {"added", s.added},
                         {"changed", s.changed},       {"unchanged", s.unchanged},
                         {"removed", s.removed},       {"failed", s.failed_files},
                         {"partial", s.partial_files}, {"ignored", s.ignored_files},
                         {"passages", s.passages},     {"encoded", s.encoded},
                         {"reused", s.reused},         {"warnings", s.warnings},
                         {"ms", in_tenths(s.wall_ms)}, {"cpu_ms", in_tenths(s.cpu_ms)}};
  if (s.generation) json["generation"] = static_cast<std::int64_t>(s.generation->number);
  if (s.resumed) {
    json["resumed"] = {{"interrupted_at", format_utc(s.resumed->interrupted_at)},
                       {"files_done", s.resumed->files_done},
                       {"files_total", s.resumed->files_total},
                       {"read_again", s.resumed->read_again}};
  }
  return json;
}

void print_summary(const Session& session, const IngestSummary& s) {
  if (session.json()) {
    session.print(json_line({{"summary", summary_json(s)}}));
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
  session.print(s.generation ? "generation " +
                                   std::to_string(static_cast<std::int64_t>(s.generation->number)) +
                                   " of corpus '" + session.corpus() + "'"
                             : "nothing changed: no new generation");
}

/// `--restart` without paths: nothing is read.
Result<int> discard(const Session& session) {
  const auto store = TRY(session.open_store());
  const IngestJob job = TRY(store->jobs().discard());
  const std::string done = progress_phrase(job.files_done, job.files_total);
  if (session.json()) {
    session.print(json_line({{"discarded",
                              {{"interrupted_at", format_utc(job.updated_at)},
                               {"files_done", job.files_done},
                               {"files_total", job.files_total}}}}));
  } else {
    session.print("discarded the ingest interrupted at " + format_utc(job.updated_at) + ": " +
                  done);
  }
  return kExitOk;
}

Result<IngestRequest> request_of(const Options& options) {
  IngestRequest request;
  request.restart = options.restart;
  if (options.retry_failed) request.mode = IngestMode::kRetryFailed;
  if (options.retry_failed != options.paths.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                options.retry_failed ? "--retry-failed reads the inputs of the list of failures"
                                     : "no paths were given",
                options.retry_failed ? "give no paths with it"
                                     : "give files and folders, or --retry-failed");
  }
  for (const std::string& path : options.paths) {
    std::error_code code;
    if (!std::filesystem::exists(std::filesystem::symlink_status(path, code))) {
      return fail(ErrorCode::kNotFound, printable_path(path) + " does not exist", "check the path");
    }
    request.paths.emplace_back(path);
  }
  return request;
}

Result<IngestSummary> ingest(const Options& options, const Session& session) {
  const Settings settings = TRY(session.settings());
  const IngestRequest request = TRY(request_of(options));
  const auto encoder = TRY(open_encoder(session.home(), settings));
  const std::filesystem::path folder = TRY(corpus_folder(session.home(), session.corpus()));
  // A mistyped name must not become a corpus.
  const auto store =
      TRY(options.retry_failed ? session.open_store() : CorpusStore::open_or_create(folder));
  Progress progress("ingest", !options.quiet);
  IngestObserver observer;
  observer.on_file = [&](const FileReport& file) {
    if (!session.json()) progress.clear();
    print_file(session, file);
  };
  observer.on_progress = [&](const IngestProgress& p) {
    progress.update(p.files_done, p.files_total, std::to_string(p.passages) + " passages");
  };
  observer.on_note = [&](const std::string& line) {
    if (!session.json()) session.print(line);
  };
  observer.stop_requested = [] { return stop_signal != 0; };
  catch_stop_signals();
  return ingest_paths(*store, request, *encoder, settings, observer);
}

int complain_of_interruption(const Session& session, const IngestSummary& summary) {
  session.note("beleg: the ingest was interrupted: " +
               progress_phrase(summary.files_done, summary.files_total) +
               " (run the same command again to resume it, or `beleg ingest --restart` to discard "
               "it)");
  return kExitFailed;
}

int run(const Options& options, Session& session) {
  if (options.restart && options.paths.empty() && !options.retry_failed) {
    const auto code = discard(session);
    return code ? *code : session.complain(code.error());
  }
  const auto summary = ingest(options, session);
  if (!summary) return session.complain(summary.error());
  if (summary->interrupted) return complain_of_interruption(session, *summary);
  print_summary(session, *summary);
  const bool bad = summary->failed_files + summary->partial_files > 0;
  const bool any = summary->added + summary->changed + summary->unchanged + summary->removed > 0;
  if (!any && options.retry_failed && !bad) return kExitOk;  // No input was on the list.
  if (!any) {
    session.note("beleg: no document was read (give Markdown, HTML, text or JSONL files)");
    return kExitFailed;
  }
  return bad ? kExitPartial : kExitOk;
}

}  // namespace

CommandRunner define_ingest(Arguments& arguments) {
  auto options = std::make_shared<Options>();
  arguments.positionals("paths", options->paths, "Files and folders", false);
  arguments.flag("--quiet", options->quiet, "No progress");
  arguments.flag(
      "--restart", options->restart,
      "Discard an interrupted ingest instead of resuming it; without paths nothing else");
  arguments.flag("--retry-failed", options->retry_failed,
                 "Read again what `beleg corpus failures` lists, and nothing else");
  return [options](Session& session) { return run(*options, session); };
}

}  // namespace beleg

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/file.h"
#include "cli/commands.h"
#include "cli/session.h"
#include "ingest/corpus_backup.h"

namespace beleg {
namespace {

struct BackupOptions {
  std::string target;
};

struct RestoreOptions {
  std::string file;
  bool force = false;
};

/// In a folder the backup gets a name that sorts by time: newsroom-20251231T235959Z.beleg.
std::filesystem::path backup_path(const Session& session, const std::string& target) {
  std::error_code status;
  if (!std::filesystem::is_directory(target, status)) return target;
  std::string time = format_utc(SystemClock().now());
  std::erase_if(time, [](char c) { return c == '-' || c == ':'; });
  return std::filesystem::path(target) / (session.corpus() + "-" + time + ".beleg");
}

std::string summary_line(const BackupManifest& manifest) {
  return "generation " + std::to_string(static_cast<std::int64_t>(manifest.generation)) + ", " +
         std::to_string(manifest.documents) + " documents, " + std::to_string(manifest.passages) +
         " passages";
}

nlohmann::json to_json(const BackupManifest& manifest) {
  return {{"generation", static_cast<std::int64_t>(manifest.generation)},
          {"documents", manifest.documents},
          {"passages", manifest.passages},
          {"missing_embeddings", manifest.missing_embeddings}};
}

void note_missing(const Session& session, const BackupManifest& manifest) {
  if (manifest.missing_embeddings == 0) return;
  session.note("beleg: " + std::to_string(manifest.missing_embeddings) +
               " embeddings were lost or damaged in the corpus (after a restore `beleg ingest` "
               "makes them again)");
}

bool is_whole(const RestoredCorpus& restored) {
  return restored.answer_findings.empty() && restored.manifest.missing_embeddings == 0;
}

Result<int> back_up(const BackupOptions& options, const Session& session) {
  const std::filesystem::path folder = TRY(corpus_folder(session.home(), session.corpus()));
  TRY(session.open_store());  // Says so when there is none.
  const std::filesystem::path path = backup_path(session, options.target);
  const WrittenBackup written = TRY(back_up_corpus(folder, session.corpus(), path));
  const BackupManifest& manifest = written.manifest;
  std::error_code status;
  const auto bytes = std::filesystem::file_size(path, status);
  if (session.json()) {
    nlohmann::json json = to_json(manifest);
    json["file"] = printable_path(path);
    json["bytes"] = bytes;
    json["findings"] = written.findings;
    session.print(json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  } else {
    session.print("wrote " + printable_path(path) + " (" + megabytes_text(bytes) +
                  "): " + summary_line(manifest));
    for (const std::string& finding : written.findings) {
      session.print("finding: " + printable_text(finding));
    }
  }
  note_missing(session, manifest);
  if (!written.findings.empty()) {
    session.note(
        "beleg: the corpus is damaged, and so is this backup: it cannot be restored (run "
        "`beleg audit`, mend the corpus or restore an older backup)");
  }
  return written.findings.empty() && manifest.missing_embeddings == 0 ? kExitOk : kExitPartial;
}

Result<int> restore(const RestoreOptions& options, const Session& session) {
  const std::filesystem::path folder = TRY(corpus_folder(session.home(), session.corpus()));
  const RestoredCorpus restored = TRY(restore_corpus(options.file, folder, options.force));
  const BackupManifest& manifest = restored.manifest;
  if (session.json()) {
    nlohmann::json json = to_json(manifest);
    json["corpus"] = session.corpus();
    json["audited"] = true;
    json["findings"] = restored.answer_findings;
    session.print(json.dump(2));
  } else {
    session.print("restored corpus '" + session.corpus() + "': " + summary_line(manifest) +
                  (is_whole(restored) ? "; audited, all well" : "; audited, not all well"));
    for (const std::string& finding : restored.answer_findings) {
      session.print("finding: " + printable_text(finding));
    }
  }
  note_missing(session, manifest);
  return is_whole(restored) ? kExitOk : kExitPartial;
}

int finish(const Result<int>& code, const Session& session) {
  return code ? *code : session.complain(code.error());
}

}  // namespace

CommandRunner define_backup(Arguments& arguments) {
  auto options = std::make_shared<BackupOptions>();
  arguments.positional(
      "target", options->target,
      "File to write, or a folder in which a file named by corpus and time is made", true);
  return [options](Session& session) { return finish(back_up(*options, session), session); };
}

CommandRunner define_restore(Arguments& arguments) {
  auto options = std::make_shared<RestoreOptions>();
  arguments.positional("file", options->file, "A file that `beleg backup` wrote", true);
  arguments.flag("--force", options->force, "Replace the corpus if there is one");
  return [options](Session& session) { return finish(restore(*options, session), session); };
}

}  // namespace beleg

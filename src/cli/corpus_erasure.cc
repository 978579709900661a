#include <nlohmann/json.hpp>

#include "cli/corpus_actions.h"
#include "ingest/corpus_purge.h"
#include "ingest/document_removal.h"

namespace beleg {
namespace {

using Json = nlohmann::json;

std::string counted(std::int64_t count, const std::string& thing) {
  return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

std::string what_goes(const PurgeReport& report) {
  const PurgeScope& scope = report.scope;
  return counted(scope.documents, "document") + ", " + counted(scope.versions, "version") + ", " +
         counted(static_cast<std::int64_t>(report.embeddings), "embedding") + ", " +
         counted(scope.receipts, "receipt") + ", " + counted(scope.traces, "trace") + ", " +
         counted(scope.failures, "failure") + ", " +
         counted(static_cast<std::int64_t>(report.indexes), "old index or left-over file");
}

Json to_json(const PurgeReport& report, bool done) {
  const PurgeScope& scope = report.scope;
  return {{"purged", done},
          {"generation", static_cast<std::int64_t>(scope.generation)},
          {"documents", scope.documents},
          {"versions", scope.versions},
          {"embeddings", report.embeddings},
          {"receipts", scope.receipts},
          {"traces", scope.traces},
          {"failures", scope.failures},
          {"left_overs", report.indexes},
          {"resumed", scope.resumes},
          {"looked_for", report.remnants},
          {"checked_files", report.checked_files},
          {"checked_bytes", report.checked_bytes}};
}

void print_done(const Session& session, const PurgeReport& report) {
  session.print("purged " + what_goes(report));
  if (report.scope.resumes) {
    session.print(
        "an earlier purge was cut short; it is finished now, but what it had erased "
        "before could not be looked for any more");
  }
  if (report.remnants == 0) {
    session.print("nothing was looked for in the files");
    return;
  }
  session.print("checked " + counted(static_cast<std::int64_t>(report.checked_files), "file") +
                ", " + megabytes_text(report.checked_bytes) + ", for " +
                std::to_string(report.remnants) + " pieces: no byte of them is left");
}

}  // namespace

Result<int> remove_from_corpus(const Session& session, const std::vector<std::string>& ids,
                               const std::string& source) {
  if (ids.empty()) {
    return fail(ErrorCode::kInvalidArgument, "no document is named",
                "give `beleg corpus remove ID...`; `beleg corpus documents` lists the ids");
  }
  const auto store = TRY(session.open_store());
  const RemovalSummary summary = TRY(remove_documents(
      *store, ids, source.empty() ? std::nullopt : std::optional<std::string>(source)));
  const auto generation = static_cast<std::int64_t>(summary.generation.number);
  if (session.json()) {
    Json removed = Json::array();
    for (const DocumentHead& head : summary.removed) {
      removed.push_back({{"document", head.external_id}, {"source", head.source}});
    }
    session.print(Json{{"generation", generation}, {"removed", std::move(removed)}}.dump(
        2, ' ', false, Json::error_handler_t::replace));
    return kExitOk;
  }
  for (const DocumentHead& head : summary.removed) {
    session.print("removed: " + printable_text(head.external_id));
  }
  session.print("generation " + std::to_string(generation) + " of corpus '" + session.corpus() +
                "'; earlier generations keep the texts until `beleg corpus purge`");
  return kExitOk;
}

Result<int> purge(const Session& session, bool dry_run, bool agreed) {
  if (!dry_run && !agreed) {
    return fail(ErrorCode::kInvalidArgument, "a purge cannot be undone; nothing was erased",
                "give --dry-run to see what would go, or --yes to do it");
  }
  const std::filesystem::path folder = TRY(corpus_folder(session.home(), session.corpus()));
  TRY(session.open_store());  // Says so when there is none.
  const PurgeReport report = TRY(dry_run ? plan_purge(folder) : purge_corpus(folder));
  if (session.json()) {
    session.print(to_json(report, !dry_run).dump(2));
  } else if (dry_run) {
    session.print("would purge " + what_goes(report));
  } else {
    print_done(session, report);
  }
  return kExitOk;
}

}  // namespace beleg

#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/session.h"
#include "ingest/corpus_audit.h"

namespace beleg {
namespace {

int run(Session& session) {
  const auto audit = [&]() -> Result<CorpusAudit> {
    const auto store = TRY(session.open_store());
    return audit_corpus(*store);
  }();
  if (!audit) return session.complain(audit.error());
  std::vector<std::string> findings = audit->findings;
  findings.insert(findings.end(), audit->answer_findings.begin(), audit->answer_findings.end());
  if (session.json()) {
    session.print(nlohmann::json{
        {"ok", findings.empty()},
        {"generation", static_cast<std::int64_t>(audit->generation)},
        {"documents", audit->truth.documents},
        {"versions", audit->truth.versions},
        {"passages", audit->truth.passages},
        {"orphans", audit->truth.orphans},
        {"index_rows", audit->index.rows},
        {"lexical_entries", audit->index.lexical},
        {"vectors", audit->index.dense},
        {"token_entries", audit->index.tokens},
        {"embeddings", audit->embeddings},
        {"index_bytes", audit->index.bytes},
        {"findings",
         findings}}.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  } else {
    session.print("generation " + std::to_string(static_cast<std::int64_t>(audit->generation)) +
                  ": " + std::to_string(audit->truth.documents) + " documents, " +
                  std::to_string(audit->truth.passages) +
                  " passages = " + std::to_string(audit->index.lexical) +
                  " lexical entries = " + std::to_string(audit->index.dense) +
                  " vectors = " + std::to_string(audit->index.tokens) + " token entries; " +
                  std::to_string(audit->truth.orphans) + " orphans");
    for (const std::string& finding : findings) {
      session.print("finding: " + printable_text(finding));
    }
    session.print(findings.empty() ? "all well" : "NOT all well");
  }
  return findings.empty() ? kExitOk : kExitFailed;
}

}  // namespace

CommandRunner define_audit(Arguments&) { return run; }

}  // namespace beleg

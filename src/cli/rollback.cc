#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/session.h"
#include "ingest/ingest.h"
#include "store/ingest_job.h"

namespace beleg {
namespace {

struct RolledBack {
  GenerationInfo generation;
  std::optional<IngestJob> discarded;  ///< It was built upon what was undone.
};

Result<RolledBack> roll_back(const Session& session) {
  const auto store = TRY(session.open_store());
  const auto unfinished = TRY(store->jobs().unfinished());
  return RolledBack{TRY(store->rollback()), unfinished};
}

int run(Session& session) {
  const auto rolled_back = roll_back(session);
  if (!rolled_back) return session.complain(rolled_back.error());
  const auto number = static_cast<std::int64_t>(rolled_back->generation.number);
  const auto& discarded = rolled_back->discarded;
  if (session.json()) {
    nlohmann::json line = {{"generation", number}};
    if (discarded) line["discarded_ingest"] = format_utc(discarded->updated_at);
    session.print(line.dump());
  } else {
    if (discarded) {
      session.print("discarded the ingest interrupted at " + format_utc(discarded->updated_at) +
                    ": " + progress_phrase(discarded->files_done, discarded->files_total));
    }
    session.print("corpus '" + session.corpus() + "' is back at generation " +
                  std::to_string(number));
  }
  return kExitOk;
}

}  // namespace

CommandRunner define_rollback(Arguments&) { return run; }

}  // namespace beleg

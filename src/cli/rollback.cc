#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/session.h"
#include "ingest/index_build.h"
#include "ingest/ingest.h"
#include "store/ingest_job.h"

namespace beleg {
namespace {

struct Options {
  std::string target;
};

struct RolledBack {
  GenerationInfo generation;
  std::optional<IngestJob> discarded;  ///< It was built upon what was undone.
};

Result<RolledBack> roll_back(const Options& options, const Session& session) {
  const auto store = TRY(session.open_store());
  const GenerationInfo current = TRY(store->current());
  std::optional<Generation> target;
  if (!options.target.empty()) target = TRY(find_generation(*store, options.target)).number;
  // Before, so that no question finds it missing. Where it cannot be built (lost vectors), the
  // rollback is good all the same, and the next question says what to do.
  static_cast<void>(ensure_index(*store, target.value_or(current.parent)));
  const auto unfinished = TRY(store->jobs().unfinished());
  return RolledBack{TRY(store->rollback(target)), unfinished};
}

int run(const Options& options, Session& session) {
  const auto rolled_back = roll_back(options, session);
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

CommandRunner define_rollback(Arguments& arguments) {
  auto options = std::make_shared<Options>();
  arguments.option("--to", options->target, "Undo all generations after this one (number or tag)");
  return [options](Session& session) { return run(*options, session); };
}

}  // namespace beleg

#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/session.h"
#include "ingest/index_build.h"

namespace beleg {
namespace {

struct Options {
  std::string target;
};

Result<GenerationInfo> roll_back(const Options& options, const Session& session) {
  const auto store = TRY(session.open_store());
  const GenerationInfo current = TRY(store->current());
  std::optional<Generation> target;
  if (!options.target.empty()) target = TRY(find_generation(*store, options.target)).number;
  // Before, so that no question finds it missing. Where it cannot be built (lost vectors), the
  // rollback is good all the same, and the next question says what to do.
  static_cast<void>(ensure_index(*store, target.value_or(current.parent)));
  return store->rollback(target);
}

int run(const Options& options, Session& session) {
  const auto generation = roll_back(options, session);
  if (!generation) return session.complain(generation.error());
  const auto number = static_cast<std::int64_t>(generation->number);
  if (session.json()) {
    session.print(nlohmann::json{{"generation", number}}.dump());
  } else {
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

#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/session.h"

namespace beleg {
namespace {

Result<GenerationInfo> roll_back(const Session& session) {
  const auto store = TRY(session.open_store());
  return store->rollback();
}

int run(Session& session) {
  const auto generation = roll_back(session);
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

CommandRunner define_rollback(Arguments&) { return run; }

}  // namespace beleg

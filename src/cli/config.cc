#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/session.h"
#include "pipeline/steps.h"

namespace beleg {
namespace {

struct Options {
  std::string action = "show";
};

void list(const Session& session, const Settings& settings) {
  nlohmann::json all = nlohmann::json::array();
  for (const SettingSpec& spec : setting_specs()) {
    if (session.json()) {
      all.push_back({{"key", spec.key},
                     {"value", setting_value(settings, spec)},
                     {"meaning", spec.meaning},
                     {"step", spec.step}});
    } else {
      session.print(std::string(spec.key) + " = " + setting_value(settings, spec) + "\n    " +
                    std::string(spec.meaning));
    }
  }
  if (session.json()) session.print(all.dump(2));
}

int run(const Options& options, Session& session) {
  if (options.action == "steps") {
    session.print(steps_reference());
    return kExitOk;
  }
  const auto settings = session.settings();
  if (!settings) return session.complain(settings.error());
  if (options.action == "show") {
    session.print(canonical_settings(*settings) + "# sha256 " + settings_hash(*settings).hex());
  } else if (options.action == "list") {
    list(session, *settings);
  } else {
    return session.complain({ErrorCode::kInvalidArgument, "unknown action '" + options.action + "'",
                             "give show, list or steps"});
  }
  return kExitOk;
}

}  // namespace

CommandRunner define_config(Arguments& arguments) {
  auto options = std::make_shared<Options>();
  arguments.positional("action", options->action,
                       "show: values in force; list: with their meaning; steps: the reference page",
                       false);
  return [options](Session& session) { return run(*options, session); };
}

}  // namespace beleg

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/session.h"
#include "model/manifest.h"

namespace beleg {
namespace {

struct Options {
  std::string action;
  std::string name;
  std::string from;
  std::string role = "cross-encoder";
  std::string sha256;
};

nlohmann::json model_json(const InstalledModel& model) {
  nlohmann::json files = nlohmann::json::array();
  for (const ModelFile& file : model.manifest.files) {
    files.push_back({{"name", file.name}, {"sha256", file.sha256}, {"bytes", file.bytes}});
  }
  return {{"name", model.manifest.name},
          {"role", model.manifest.role},
          {"registry", model.manifest.registry},
          {"package", model.manifest.package},
          {"version", model.manifest.version},
          {"licence", model.manifest.licence},
          {"note", model.manifest.note},
          {"default", model.manifest.is_default},
          {"state", model_state_name(model.state)},
          {"detail", model.detail},
          {"folder", printable_path(model.folder)},
          {"files", files}};
}

void print_model(const Session& session, const InstalledModel& model) {
  const ModelManifest& m = model.manifest;
  session.print(m.name + "  [" + std::string(model_state_name(model.state)) + "]  " + m.role +
                (m.is_default ? ", default" : ""));
  session.print("    " + m.note);
  session.print("    from " + m.registry + " " + m.package +
                (m.version.empty() ? "" : " " + m.version) + "; licence " + m.licence);
  for (const ModelFile& file : m.files) session.print("    " + file.sha256 + "  " + file.name);
  if (!model.detail.empty()) session.print("    " + printable_text(model.detail));
}

Result<int> list(const Options& options, const Session& session, bool verify) {
  const ModelStore store(session.home() / "models");
  nlohmann::json all = nlohmann::json::array();
  bool all_ready = true;
  std::size_t found = 0;
  for (const InstalledModel& model : TRY(store.list(verify))) {
    if (!options.name.empty() && model.manifest.name != options.name) continue;
    ++found;
    // What was never fetched is no fault; what is there must be whole, and so must the default.
    const bool needed =
        model.manifest.is_default || !options.name.empty() || model.state != ModelState::kAbsent;
    if (needed && model.state != ModelState::kReady) all_ready = false;
    if (session.json()) {
      all.push_back(model_json(model));
    } else {
      print_model(session, model);
    }
  }
  if (!options.name.empty() && found == 0) {
    // The store's message lists the names that there are.
    TRY(store.find(options.name, false));
  }
  if (session.json()) session.print(all.dump(2));
  return verify && !all_ready ? kExitFailed : kExitOk;
}

Result<int> fetch(const Options& options, const Session& session) {
  const ModelStore store(session.home() / "models");
  const auto progress = [&session](std::string_view line) { session.note(line); };
  std::string name = options.name;
  if (name.empty()) {
    for (const ModelManifest& model : built_in_models()) {
      if (model.is_default) name = model.name;
    }
  }
  const InstalledModel model = TRY(store.fetch(name, progress));
  if (session.json()) {
    session.print(model_json(model).dump(2));
  } else {
    print_model(session, model);
  }
  return kExitOk;
}

Result<int> add(const Options& options, const Session& session) {
  if (options.name.empty() || options.from.empty()) {
    return fail(ErrorCode::kInvalidArgument, "a name and --from are needed",
                "beleg models add NAME --from FOLDER|URL --role cross-encoder [--sha256 HEX]");
  }
  const ModelStore store(session.home() / "models");
  const auto progress = [&session](std::string_view line) { session.note(line); };
  const InstalledModel model =
      TRY(store.add(options.from, options.name, options.role, options.sha256, progress));
  if (session.json()) {
    session.print(model_json(model).dump(2));
  } else {
    print_model(session, model);
  }
  return kExitOk;
}

int run(const Options& options, Session& session) {
  Result<int> code = kExitOk;
  if (options.action == "list") {
    code = list(options, session, false);
  } else if (options.action == "check") {
    code = list(options, session, true);
  } else if (options.action == "fetch") {
    code = fetch(options, session);
  } else if (options.action == "add") {
    code = add(options, session);
  } else {
    code = fail(ErrorCode::kInvalidArgument, "unknown action '" + options.action + "'",
                "give list, check, fetch or add");
  }
  return code ? *code : session.complain(code.error());
}

}  // namespace

CommandRunner define_models(Arguments& arguments) {
  auto options = std::make_shared<Options>();
  arguments.positional("action", options->action,
                       "list; check: hash every byte; fetch: from its registry; add: your own",
                       true);
  arguments.positional("name", options->name, "Name of a model (fetch: default is the encoder)",
                       false);
  arguments.option("--from", options->from, "add: a folder, or an https:// or file:// address");
  arguments.option("--role", options->role, "add: cross-encoder, encoder or language-model");
  arguments.option("--sha256", options->sha256, "add: expected hash, required for an address");
  return [options](Session& session) { return run(*options, session); };
}

}  // namespace beleg

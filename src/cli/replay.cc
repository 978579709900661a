#include <algorithm>

#include "cli/commands.h"
#include "cli/session.h"
#include "pipeline/cascade.h"
#include "pipeline/filter_json.h"
#include "store/answer_format.h"

namespace beleg {
namespace {

struct Options {
  std::string id = "last";
  std::vector<std::string> changes;
};

Result<Settings> recorded_settings(const Json& trace, const std::vector<std::string>& changes) {
  std::string toml;
  for (const auto& [key, value] : trace.at("settings").items()) {
    toml += key + " = " + value.get<std::string>() + "\n";
  }
  Settings settings = TRY(parse_settings(toml, "settings of the trace"));
  for (const std::string& change : changes) {
    const std::size_t equals = change.find('=');
    if (equals == std::string::npos) {
      return fail(ErrorCode::kInvalidArgument, "--with " + change + ": no '=' in it",
                  "write --with key=value");
    }
    TRY(set_setting(settings, change.substr(0, equals), change.substr(equals + 1)));
  }
  return settings;
}

/// Why the recorded answer need not come out again.
std::vector<std::string> obstacles(const Json& before, const Json& after) {
  std::vector<std::string> reasons;
  const auto compare = [&](const char* field, const std::string& what) {
    if (before.value(field, Json()) != after.value(field, Json())) {
      reasons.push_back(what + ": " + before.value(field, Json()).dump() + " then, " +
                        after.value(field, Json()).dump() + " now");
    }
  };
  compare("generation", "generation");
  compare("config_sha256", "settings");
  compare("models", "models");
  compare("relevance_model", "relevance model");
  compare("degraded", "degradations");
  return reasons;
}

std::vector<std::string> answer_lines(const Json& receipt) {
  std::vector<std::string> lines;
  for (const Json& statement : receipt.at("statements")) {
    lines.push_back(statement.at("text").get<std::string>());
  }
  return lines;
}

void print_difference(const Session& session, const Json& before, const Json& after) {
  for (std::size_t i = 0; i < before["steps"].size() && i < after["steps"].size(); ++i) {
    const Json& a = before["steps"][i];
    const Json& b = after["steps"][i];
    if (a["name"] == b["name"] && (a["in"] != b["in"] || a["out"] != b["out"])) {
      session.print("  " + a["name"].get<std::string>() + ": " + a["in"].dump() + " -> " +
                    a["out"].dump() + " then, " + b["in"].dump() + " -> " + b["out"].dump() +
                    " now");
    }
  }
  const auto old_lines = answer_lines(before);
  const auto new_lines = answer_lines(after);
  for (const std::string& line : old_lines) {
    if (std::find(new_lines.begin(), new_lines.end(), line) == new_lines.end()) {
      session.print("  - " + printable_text(line));
    }
  }
  for (const std::string& line : new_lines) {
    if (std::find(old_lines.begin(), old_lines.end(), line) == old_lines.end()) {
      session.print("  + " + printable_text(line));
    }
  }
}

Result<int> replay(const Options& options, const Session& session) {
  std::string recorded;
  {
    const auto store = TRY(session.open_store());
    recorded = TRY(store->trace(options.id));
  }
  const auto parsed = parse_answer_record(recorded);
  if (!parsed || !parsed->contains("receipt") || !parsed->contains("settings")) {
    return fail(ErrorCode::kCorrupt, "the trace does not have what a replay needs", "ask again");
  }
  const Json& trace = *parsed;
  const Json& recorded_receipt = trace.at("receipt");
  const auto claimed = recorded_receipt.at("receipt_sha256").get<std::string>();
  if (receipt_hash(recorded_receipt) != claimed) {
    return fail(ErrorCode::kCorrupt,
                "the receipt in the trace does not have the hash it claims: it was altered",
                "run `beleg audit`; ask again for a whole one");
  }
  const Settings settings = TRY(recorded_settings(trace, options.changes));
  const auto engine =
      TRY(Engine::open({.home = session.home(), .corpus = session.corpus(), .settings = settings}));
  const AskRequest request{.question = trace.at("question").get<std::string>(),
                           .filter = TRY(filter_from_json(trace.at("filter"))),
                           .now = trace.at("now").get<std::int64_t>()};
  const AskOutcome outcome = TRY(ask(*engine, request));
  const Json& before = trace["receipt"];
  const bool same = before["receipt_sha256"] == outcome.receipt["receipt_sha256"];
  const std::vector<std::string> reasons = obstacles(before, outcome.receipt);
  if (session.json()) {
    session.print(Json{{"same", same},
                       {"not_reproducible_because", reasons},
                       {"before", before},
                       {"after", outcome.receipt}}
                      .dump(2));
  } else {
    session.print(same ? "same receipt: " + before["receipt_sha256"].get<std::string>()
                       : "the receipt differs");
    for (const std::string& reason : reasons)
      session.print("  not reproducible because of " + reason);
    if (!same) print_difference(session, before, outcome.receipt);
  }
  // A change that was asked for, or is explained, is no failure; an unexplained difference is.
  return same || !reasons.empty() ? kExitOk : kExitFailed;
}

int run(const Options& options, Session& session) {
  try {
    const auto code = replay(options, session);
    return code ? *code : session.complain(code.error());
  } catch (const nlohmann::json::exception&) {
    return session.complain(
        {ErrorCode::kCorrupt, "the trace does not have the form of a trace", "ask again"});
  }
}

}  // namespace

CommandRunner define_replay(Arguments& arguments) {
  auto options = std::make_shared<Options>();
  arguments.positional("id", options->id, "Id of a trace, its beginning, or last", false);
  arguments.options("--with", options->changes, "Change one recorded setting: --with key=value");
  return [options](Session& session) { return run(*options, session); };
}

}  // namespace beleg

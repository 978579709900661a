#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "cli/commands.h"
#include "cli/session.h"

namespace beleg {
namespace {

struct Options {
  std::string action;
};

Result<int> list(const Session& session) {
  nlohmann::json all = nlohmann::json::array();
  for (const std::string& name : TRY(list_corpora(session.home()))) {
    const std::filesystem::path folder = TRY(corpus_folder(session.home(), name));
    const auto store = TRY(CorpusStore::open(folder));
    const GenerationInfo generation = TRY(store->current());
    const StoreCounts counts = TRY(store->counts(generation.number));
    all.push_back({{"name", name},
                   {"generation", static_cast<std::int64_t>(generation.number)},
                   {"documents", counts.documents},
                   {"passages", counts.passages}});
  }
  if (session.json()) {
    session.print(all.dump(2));
    return kExitOk;
  }
  for (const nlohmann::json& corpus : all) {
    session.print(corpus["name"].get<std::string>() + ": generation " +
                  corpus["generation"].dump() + ", " + corpus["documents"].dump() + " documents, " +
                  corpus["passages"].dump() + " passages");
  }
  if (all.empty()) session.print("no corpus yet: `beleg ingest PATH` makes one");
  return kExitOk;
}

Result<int> log(const Session& session) {
  const auto store = TRY(session.open_store());
  nlohmann::json all = nlohmann::json::array();
  for (const GenerationInfo& generation : TRY(store->log())) {
    all.push_back({{"generation", static_cast<std::int64_t>(generation.number)},
                   {"parent", static_cast<std::int64_t>(generation.parent)},
                   {"created_at", format_utc(generation.created_at)},
                   {"stats", nlohmann::json::parse(generation.stats_json, nullptr, false)}});
  }
  if (session.json()) {
    session.print(all.dump(2));
    return kExitOk;
  }
  for (const nlohmann::json& g : all) {
    std::string line =
        "generation " + g["generation"].dump() + "  " + g["created_at"].get<std::string>();
    const nlohmann::json& stats = g["stats"];
    for (const char* field : {"added", "changed", "removed", "failed", "passages"}) {
      if (stats.is_object() && stats.contains(field)) {
        line += std::string("  ") + field + " " + stats[field].dump();
      }
    }
    session.print(line);
  }
  return kExitOk;
}

/// What templates and scripts name: ids, and the content hash that a review refers to.
Result<int> documents(const Session& session) {
  const auto store = TRY(session.open_store());
  const GenerationInfo generation = TRY(store->current());
  const auto heads = TRY(store->heads(generation.number));
  for (const DocumentHead& head : heads) {
    if (session.json()) {
      session.print(nlohmann::json{{"document", head.external_id},
                                   {"source", head.source},
                                   {"origin", head.origin},
                                   {"sha256", head.content_hash.hex()}}
                        .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    } else {
      session.print(printable_text(head.external_id) + "  " + head.content_hash.hex());
    }
  }
  return kExitOk;
}

Result<int> failures(const Session& session) {
  const auto store = TRY(session.open_store());
  const auto failed = TRY(store->failures());
  for (const FailedInput& input : failed) {
    if (session.json()) {
      session.print(nlohmann::json{{"path", input.origin}, {"reason", input.reason}}.dump(
          -1, ' ', false, nlohmann::json::error_handler_t::replace));
    } else {
      session.print(printable_text(input.origin) + ": " + printable_text(input.reason));
    }
  }
  if (failed.empty() && !session.json()) session.print("the last ingest had no failures");
  return kExitOk;
}

int run(const Options& options, Session& session) {
  Result<int> code = kExitOk;
  if (options.action == "list") {
    code = list(session);
  } else if (options.action == "log") {
    code = log(session);
  } else if (options.action == "documents") {
    code = documents(session);
  } else if (options.action == "failures") {
    code = failures(session);
  } else {
    code = fail(ErrorCode::kInvalidArgument, "unknown action '" + options.action + "'",
                "give list, log, documents or failures");
  }
  return code ? *code : session.complain(code.error());
}

}  // namespace

CommandRunner define_corpus(Arguments& arguments) {
  auto options = std::make_shared<Options>();
  arguments.positional("action", options->action,
                       "list: all corpora; log: generations of one; documents: ids and content "
                       "hashes; failures: of its last ingest",
                       true);
  return [options](Session& session) { return run(*options, session); };
}

}  // namespace beleg

#include <charconv>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/file.h"
#include "cli/commands.h"
#include "cli/corpus_actions.h"
#include "cli/session.h"

namespace beleg {
namespace {

struct Options {
  std::string action;
  std::vector<std::string> names;  ///< Generations, tags or documents, as the action says.
  std::string source;
  std::string dismissed;
  bool remove_tag = false;
  bool dry_run = false;
  bool agreed = false;
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

nlohmann::json letter_json(const DeadLetter& letter) {
  return {{"id", letter.id},
          {"path", printable_path(letter.path)},
          {"record", letter.record},
          {"document", letter.external_id},
          {"source", letter.source},
          {"code", letter.code},
          {"reason", letter.reason},
          {"remedy", letter.remedy},
          {"attempts", letter.attempts},
          {"first_at", format_utc(letter.first_at)},
          {"last_at", format_utc(letter.last_at)},
          {"more", letter.more}};
}

void print_letter(const Session& session, const DeadLetter& letter) {
  const std::string reason = Error{.message = letter.reason, .remedy = letter.remedy}.to_line();
  session.print("#" + std::to_string(letter.id) + "  " + printable_path(letter.path) + ": " +
                printable_text(reason) + "  [" + letter.code + ", attempts " +
                std::to_string(letter.attempts) + ", " + format_utc(letter.first_at) + " to " +
                format_utc(letter.last_at) + "]");
  if (letter.more > 0) {
    session.print("    and " + std::to_string(letter.more) + " more records of this file");
  }
}

/// Drops letters from the list: all, or those named by their numbers.
Result<int> dismiss(const Session& session, CorpusStore& store, const std::string& which) {
  std::vector<std::int64_t> ids;
  if (which == "all") {
    for (const DeadLetter& letter : TRY(store.dead_letters())) ids.push_back(letter.id);
  } else {
    std::int64_t id = 0;
    const auto [end, error] = std::from_chars(which.data(), which.data() + which.size(), id);
    if (error != std::errc() || end != which.data() + which.size()) {
      return fail(ErrorCode::kInvalidArgument,
                  "--dismiss: '" + which + "' is no number of a failure",
                  "give a number of the list, or all");
    }
    ids.push_back(id);
  }
  const std::uint64_t dismissed = TRY(store.dismiss_dead_letters(ids));
  if (dismissed == 0 && which != "all") {
    return fail(ErrorCode::kNotFound, "the list of failures has no number " + which,
                "run `beleg corpus failures`");
  }
  if (session.json()) {
    session.print(nlohmann::json{{"dismissed", dismissed}}.dump());
  } else {
    session.print(std::to_string(dismissed) + " failures dismissed");
  }
  return kExitOk;
}

Result<int> failures(const Session& session, const std::string& dismissed) {
  const auto store = TRY(session.open_store());
  if (!dismissed.empty()) return dismiss(session, *store, dismissed);
  const auto letters = TRY(store->dead_letters());
  for (const DeadLetter& letter : letters) {
    if (session.json()) {
      session.print(
          letter_json(letter).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    } else {
      print_letter(session, letter);
    }
  }
  if (letters.empty() && !session.json()) session.print("no input has failed");
  return kExitOk;
}

int run(const Options& options, Session& session) {
  Result<int> code = kExitOk;
  if (options.action == "list") {
    code = list(session);
  } else if (options.action == "log") {
    code = show_log(session);
  } else if (options.action == "diff") {
    code = show_difference(session, options.names);
  } else if (options.action == "tag") {
    code = change_tags(session, options.names, options.remove_tag);
  } else if (options.action == "remove") {
    code = remove_from_corpus(session, options.names, options.source);
  } else if (options.action == "purge") {
    code = purge(session, options.dry_run, options.agreed);
  } else if (options.action == "documents") {
    code = documents(session);
  } else if (options.action == "failures") {
    code = failures(session, options.dismissed);
  } else {
    code = fail(ErrorCode::kInvalidArgument, "unknown action '" + options.action + "'",
                "give list, log, diff, tag, remove, purge, documents or failures");
  }
  return code ? *code : session.complain(code.error());
}

}  // namespace

CommandRunner define_corpus(Arguments& arguments) {
  auto options = std::make_shared<Options>();
  arguments.positional("action", options->action,
                       "list: all corpora; log: generations of one; diff A [B]: what changed "
                       "between two; tag [NAME [GENERATION]]: name one; remove ID...: a new "
                       "generation without documents; purge: erase for good what the current "
                       "generation does not show; documents: ids and content hashes; failures: "
                       "inputs that could not be read",
                       true);
  arguments.positionals("names", options->names, "Generations, tags or ids of documents", false);
  arguments.flag("--delete", options->remove_tag, "tag: delete it");
  arguments.option("--source", options->source, "remove: the source the ids are of");
  arguments.flag("--dry-run", options->dry_run, "purge: say what would go, and stop");
  arguments.flag("--yes", options->agreed, "purge: do it; it cannot be undone");
  arguments.option("--dismiss", options->dismissed, "failures: drop one by its number, or all");
  return [options](Session& session) { return run(*options, session); };
}

}  // namespace beleg

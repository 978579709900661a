#include "pipeline/trace.h"

#include <array>
#include <cstdio>

#include "cli/commands.h"
#include "cli/session.h"
#include "store/answer_format.h"

namespace beleg {
namespace {

struct Options {
  std::string id = "last";
};

std::string pad(std::string text, std::size_t width) {
  if (text.size() < width) text += std::string(width - text.size(), ' ');
  return text;
}

/// The most telling parts of a step's detail, on one line.
std::string remarks(const Json& detail) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  for (const auto& [key, value] : detail.items()) {
    if (value.is_primitive()) {
      add(key + " " + (value.is_string() ? value.get<std::string>() : value.dump()));
    }
  }
  return printable_text(text);
}

/// ", exhaustive" or ", de exhaustive, en max_score".
std::string strategies_text(const Json& list) {
  std::string text;
  if (!list.contains("strategies")) return text;
  for (const Json& pass : list["strategies"]) {
    text += ", ";
    if (pass.contains("language")) text += pass["language"].get<std::string>() + " ";
    text += pass["strategy"].get<std::string>();
  }
  return text;
}

void print_lists(const Session& session, const Json& detail) {
  for (const Json& list : detail["lists"]) {
    std::string line = "      query " + list["query"].dump() + " " +
                       pad(list["retriever"].get<std::string>(), 8) + " " +
                       pad(list["hits"].dump() + " hits", 10) + " weight " + list["weight"].dump();
    line += strategies_text(list);
    if (list.contains("matched_mass")) line += ", matched idf mass " + list["matched_mass"].dump();
    session.print(line);
  }
}

void print_items(const Session& session, const Json& detail) {
  if (detail.contains("queries")) {
    for (const Json& query : detail["queries"]) {
      session.print("      " + printable_text(query["rule"].get<std::string>()) + ": " +
                    printable_text(query["text"].get<std::string>()));
    }
  }
  if (detail.contains("lists") && detail["lists"].is_array()) print_lists(session, detail);
  if (detail.contains("passages") && detail["passages"].is_array()) {
    for (const Json& passage : detail["passages"]) {
      session.print("      passage " + pad(passage["passage"].dump(), 7) + " relevance " +
                    pad(passage["relevance"].dump(), 9) + " fused " +
                    pad(passage["fused"].dump(), 9) + " " +
                    printable_text(passage["story"].get<std::string>()));
    }
  }
  if (detail.contains("articles") && detail["articles"].is_array()) {
    for (const Json& article : detail["articles"]) {
      std::string line = "      " + printable_text(article["document"].get<std::string>());
      for (const auto& [key, value] : article.items()) {
        if (key != "document") {
          line += ", " + key + " " + (value.is_string() ? value.get<std::string>() : value.dump());
        }
      }
      session.print(line);
    }
  }
}

int run(const Options& options, Session& session) {
  const auto json = [&]() -> Result<std::string> {
    const auto store = TRY(session.open_store());
    return store->trace(options.id);
  }();
  if (!json) return session.complain(json.error());
  const auto parsed = parse_answer_record(*json);
  if (!parsed) {
    return session.complain(
        {ErrorCode::kCorrupt, "the trace is not valid JSON", "run `beleg audit`"});
  }
  const Json& trace = *parsed;
  if (session.json()) {
    session.print(trace.dump(2));
    return kExitOk;
  }
  session.print("Trace " + trace["id"].get<std::string>() + ": " +
                printable_text(trace["question"].get<std::string>()));
  for (const Json& step : trace["steps"]) {
    std::array<char, 160> head{};
    std::snprintf(head.data(), head.size(), "  %-16s %6zu -> %-6zu %9.2f ms %9.2f CPU ms",
                  step["name"].get<std::string>().c_str(), step["in"].get<std::size_t>(),
                  step["out"].get<std::size_t>(), step["ms"].get<double>(),
                  step["cpu_ms"].get<double>());
    session.print(head.data());
    const std::string text = remarks(step["detail"]);
    if (!text.empty()) session.print("      " + text);
    print_items(session, step["detail"]);
  }
  session.print("Receipt " + trace["receipt"]["receipt_sha256"].get<std::string>());
  return kExitOk;
}

}  // namespace

CommandRunner define_trace(Arguments& arguments) {
  auto options = std::make_shared<Options>();
  arguments.positional("id", options->id, "Id of a trace, its beginning, or last", false);
  return [options](Session& session) { return run(*options, session); };
}

}  // namespace beleg

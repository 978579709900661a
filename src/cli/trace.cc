#include "pipeline/trace.h"

#include <array>
#include <cstdio>
#include <string>
#include <vector>

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
  for (const Json& pass : list.at("strategies")) {
    text += ", ";
    if (pass.contains("language")) text += pass.at("language").get<std::string>() + " ";
    text += pass.at("strategy").get<std::string>();
  }
  return text;
}

void add_lists(std::vector<std::string>& lines, const Json& detail) {
  for (const Json& list : detail.at("lists")) {
    std::string line = "      query " + list.at("query").dump() + " " +
                       pad(list.at("retriever").get<std::string>(), 8) + " " +
                       pad(list.at("hits").dump() + " hits", 10) + " weight " +
                       list.at("weight").dump();
    line += strategies_text(list);
    if (list.contains("matched_mass"))
      line += ", matched idf mass " + list.at("matched_mass").dump();
    lines.push_back(line);
  }
}

void add_items(std::vector<std::string>& lines, const Json& detail) {
  if (detail.contains("queries")) {
    for (const Json& query : detail.at("queries")) {
      lines.push_back("      " + printable_text(query.at("rule").get<std::string>()) + ": " +
                      printable_text(query.at("text").get<std::string>()));
    }
  }
  if (detail.contains("lists") && detail.at("lists").is_array()) add_lists(lines, detail);
  if (detail.contains("passages") && detail.at("passages").is_array()) {
    for (const Json& passage : detail.at("passages")) {
      lines.push_back("      passage " + pad(passage.at("passage").dump(), 7) + " relevance " +
                      pad(passage.at("relevance").dump(), 9) + " fused " +
                      pad(passage.at("fused").dump(), 9) + " " +
                      printable_text(passage.at("story").get<std::string>()));
    }
  }
  if (detail.contains("articles") && detail.at("articles").is_array()) {
    for (const Json& article : detail.at("articles")) {
      std::string line = "      " + printable_text(article.at("document").get<std::string>());
      for (const auto& [key, value] : article.items()) {
        if (key != "document") {
          line += ", " + key + " " + (value.is_string() ? value.get<std::string>() : value.dump());
        }
      }
      lines.push_back(line);
    }
  }
}

void add_step(std::vector<std::string>& lines, const Json& step) {
  std::array<char, 160> head{};
  std::snprintf(head.data(), head.size(), "  %-16s %6zu -> %-6zu %9.2f ms %9.2f CPU ms",
                printable_text(step.at("name").get<std::string>()).c_str(),
                step.at("in").get<std::size_t>(), step.at("out").get<std::size_t>(),
                step.at("ms").get<double>(), step.at("cpu_ms").get<double>());
  lines.emplace_back(head.data());
  const Json detail = step.value("detail", Json::object());
  const std::string text = remarks(detail);
  if (!text.empty()) lines.push_back("      " + text);
  add_items(lines, detail);
}

Result<int> show(const Options& options, const Session& session) {
  const auto store = TRY(session.open_store());
  const std::string json = TRY(store->trace(options.id));
  const auto parsed = parse_answer_record(json);
  if (!parsed) {
    return fail(ErrorCode::kCorrupt, "the trace is not valid JSON", "run `beleg audit`");
  }
  const Json& trace = *parsed;
  if (session.json()) {
    session.print(trace.dump(2));
    return kExitOk;
  }
  std::vector<std::string> lines;
  lines.push_back("Trace " + printable_text(trace.at("id").get<std::string>()) + ": " +
                  printable_text(trace.at("question").get<std::string>()));
  for (const Json& step : trace.at("steps")) add_step(lines, step);
  lines.push_back("Receipt " + trace.at("receipt").at("receipt_sha256").get<std::string>());
  for (const std::string& line : lines) session.print(line);
  return kExitOk;
}

int run(const Options& options, Session& session) {
  try {
    const auto code = show(options, session);
    return code ? *code : session.complain(code.error());
  } catch (const nlohmann::json::exception&) {
    return session.complain({ErrorCode::kCorrupt, "the trace does not have the form of a trace",
                             "run `beleg audit`, which names what is damaged"});
  }
}

}  // namespace

CommandRunner define_trace(Arguments& arguments) {
  auto options = std::make_shared<Options>();
  arguments.positional("id", options->id, "Id of a trace, its beginning, or last", false);
  return [options](Session& session) { return run(*options, session); };
}

}  // namespace beleg

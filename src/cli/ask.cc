#include <array>
#include <cstdio>
#include <map>

#include "cli/commands.h"
#include "cli/filters.h"
#include "cli/session.h"
#include "document/date.h"
#include "pipeline/cascade.h"

namespace beleg {
namespace {

struct Options {
  std::string question;
  FilterOptions filter;
  std::string generation;
  std::string now;
  bool no_decompose = false;
  bool explain_plan = false;
};

std::string text_of(const Json& json, const char* field) {
  return json.contains(field) && json[field].is_string() ? json[field].get<std::string>() : "";
}

/// Numbers the cited documents in the order in which they are first cited.
class EvidenceNumbers {
 public:
  std::size_t number_of(const Json& citation) {
    const auto [entry, is_new] =
        numbers_.try_emplace(citation["version"].get<std::int64_t>(), numbers_.size() + 1);
    if (is_new) order_.push_back(citation);
    return entry->second;
  }
  [[nodiscard]] const std::vector<Json>& in_order() const { return order_; }

 private:
  std::map<std::int64_t, std::size_t> numbers_;
  std::vector<Json> order_;
};

void print_statements(const Session& session, const Json& receipt, EvidenceNumbers& numbers) {
  const Json& queries = receipt["plan"]["queries"];
  std::size_t current = 0;
  for (const Json& statement : receipt["statements"]) {
    const auto query = statement["query"].get<std::size_t>();
    if (query != current && query > 0) {
      session.print((current == 0 ? "" : "\n") + printable_text(queries[query].get<std::string>()));
      current = query;
    }
    std::string line = "  " + printable_text(statement["text"].get<std::string>());
    for (const Json& citation : statement["citations"]) {
      line += " [" + std::to_string(numbers.number_of(citation)) + "]";
    }
    session.print(line);
  }
}

void print_evidence(const Session& session, const Json& receipt, const EvidenceNumbers& numbers) {
  session.print("\nEvidence");
  std::size_t number = 0;
  for (const Json& document : numbers.in_order()) {
    ++number;
    std::string head = "  [" + std::to_string(number) + "] ";
    const std::string title = text_of(document, "title");
    head += printable_text(title.empty() ? text_of(document, "document") : title);
    const std::string date = text_of(document, "date");
    head += date.empty() ? ", without date" : ", " + date.substr(0, 10);
    session.print(head);
    std::string where = "      " + printable_text(text_of(document, "document"));
    const std::string url = text_of(document, "url");
    where += ", " + printable_text(url.empty() ? text_of(document, "origin") : url);
    session.print(where);
    for (const Json& statement : receipt["statements"]) {
      for (const Json& citation : statement["citations"]) {
        if (citation["version"] != document["version"]) continue;
        std::string quote = "      ";
        if (citation["page"].get<std::uint32_t>() > 0) {
          quote += "page " + std::to_string(citation["page"].get<std::uint32_t>()) + ", ";
        }
        quote += "characters " + std::to_string(citation["start"].get<std::uint32_t>()) + "–" +
                 std::to_string(citation["end"].get<std::uint32_t>()) + ": “" +
                 printable_text(citation["quote"].get<std::string>()) + "”";
        session.print(quote);
      }
    }
  }
}

/// One line on what was searched, dropped and why, and the time.
std::string account(const Engine& engine, const AskOutcome& outcome) {
  std::size_t judged = 0;
  std::size_t fused = 0;
  std::size_t kept = 0;
  std::size_t articles = 0;
  std::size_t below = 0;
  for (const Json& step : outcome.receipt["steps"]) {
    const std::string name = step["name"].get<std::string>();
    const auto in = step["in"].get<std::size_t>();
    const auto out = step["out"].get<std::size_t>();
    if (name == "fuse") fused = out;
    if (name == "rerank passages") judged = in;
    if (name == "filter") {
      kept = out;
      below = in - out;
    }
    if (name == "rerank articles") {
      articles = out;
      below += in - out;
    }
  }
  const Json& cost = outcome.receipt["cost"];
  std::array<char, 400> line{};
  std::snprintf(line.data(), line.size(),
                "Searched %zu passages with %zu %s: %zu candidates, %zu judged, %zu kept, %zu "
                "articles read, %zu dropped as not relevant; generation %lld; %.2f s (%.2f CPU s)",
                engine.index().rows(), outcome.receipt["plan"]["queries"].size(),
                outcome.receipt["plan"]["queries"].size() == 1 ? "query" : "queries", fused, judged,
                kept, articles, below, static_cast<long long>(engine.generation().number),
                cost["ms"].get<double>() / 1000, cost["cpu_ms"].get<double>() / 1000);
  return line.data();
}

void print_for_people(const Session& session, const Engine& engine, const AskOutcome& outcome) {
  const Json& receipt = outcome.receipt;
  if (outcome.abstained) {
    session.print("No answer: " + text_of(receipt["abstained"], "reason") + ".");
  } else {
    EvidenceNumbers numbers;
    print_statements(session, receipt, numbers);
    print_evidence(session, receipt, numbers);
  }
  session.print("\n" + account(engine, outcome));
  for (const Json& entry : receipt["degraded"]) {
    session.print("Degraded: " + text_of(entry, "step") + ": " +
                  printable_text(text_of(entry, "reason")));
  }
  session.print("Receipt " + text_of(receipt, "receipt_sha256").substr(0, 16) + ", trace " +
                text_of(receipt, "trace"));
}

Result<int> answer(const Options& options, const Session& session) {
  AskRequest request{.question = options.question,
                     .filter = TRY(parse_filters(options.filter)),
                     .now = SystemClock().now()};
  if (!options.now.empty()) {
    const auto now = parse_date(options.now);
    if (!now) {
      return fail(ErrorCode::kInvalidArgument, "--now " + options.now + ": no date",
                  "write a date as 2025-03-31");
    }
    request.now = now->time;
  }
  const auto engine = TRY(session.open_engine(options.generation));
  Settings settings = engine->settings();
  if (options.no_decompose) settings.plan.decompose = false;
  engine->set_settings(settings);
  if (options.explain_plan) {
    const QueryPlan plan = plan_question(options.question, engine->main_language(), settings.plan);
    Json features = Json::object();
    for (const auto& [name, value] : plan.features) features[name] = rounded(value);
    Json queries = Json::array({{{"text", options.question}, {"rule", "original"}}});
    for (const SubQuestion& sub : plan.sub_questions) {
      queries.push_back({{"text", sub.text}, {"rule", sub.rule}});
    }
    session.print(Json{
        {"decomposed", plan.decomposed},
        {"complexity", rounded(plan.complexity)},
        {"threshold", plan.threshold},
        {"reason", plan.reason},
        {"features", features},
        {"queries",
         queries}}.dump(2, ' ', false, Json::error_handler_t::replace));
    return kExitOk;
  }
  const AskOutcome outcome = TRY(ask(*engine, request));
  if (session.json()) {
    session.print(outcome.receipt.dump(2));
  } else {
    print_for_people(session, *engine, outcome);
  }
  return outcome.degraded ? kExitPartial : kExitOk;
}

int run(const Options& options, Session& session) {
  const auto code = answer(options, session);
  return code ? *code : session.complain(code.error());
}

}  // namespace

CommandRunner define_ask(Arguments& arguments) {
  auto options = std::make_shared<Options>();
  arguments.positional("question", options->question, "The question, in German or English", true);
  define_filter_options(arguments, options->filter);
  arguments.option("--generation", options->generation,
                   "Number or tag of an earlier generation: it answers as it did then");
  arguments.option("--now", options->now, "The day that counts as today, for recency");
  arguments.flag("--no-decompose", options->no_decompose, "Do not split the question");
  arguments.flag("--explain-plan", options->explain_plan,
                 "Show how the question is split, and stop");
  return [options](Session& session) { return run(*options, session); };
}

}  // namespace beleg

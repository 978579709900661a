#include <cmath>

#include "base/hash.h"
#include "document/date.h"
#include "pipeline/cascade.h"
#include "pipeline/filter_json.h"
#include "pipeline/steps.h"

namespace beleg {
namespace {

constexpr UnixSeconds kDay = 86400;

std::string day_of(UnixSeconds time) { return format_utc(time).substr(0, 10); }

Json statement_json(const Statement& statement) {
  Json citations = Json::array();
  for (const Citation& citation : statement.citations) {
    citations.push_back(citation_to_json(citation));
  }
  Json json = {{"text", statement.text},
               {"supported", statement.supported},
               {"support", rounded(statement.support)},
               {"relevance", rounded(statement.relevance)},
               {"query", statement.query},
               {"citations", std::move(citations)}};
  if (!statement.objections.empty()) json["objections"] = statement.objections;
  return json;
}

Json plan_json(const CascadeState& state) {
  Json queries = Json::array();
  for (const PlannedQuery& query : state.queries) queries.push_back(query.text);
  return {{"decomposed", state.plan.decomposed},
          {"complexity", rounded(state.plan.complexity)},
          {"reason", state.plan.reason},
          {"queries", std::move(queries)}};
}

Json evidence_json(const CascadeState& state) {
  Json evidence = Json::array();
  for (const ArticleEvidence& article : state.articles) {
    evidence.push_back({{"document", article.version.external_id},
                        {"version", static_cast<std::int64_t>(article.version.version)},
                        {"title", article.version.content.meta.title},
                        {"relevance", rounded(article.relevance)},
                        {"age_days", article.age.days},
                        {"decay", rounded(article.decay)},
                        {"score", rounded(article.final_score)},
                        {"passages", article.packed.size()}});
  }
  return evidence;
}

Json steps_json(const Trace& trace, bool with_detail) {
  Json steps = Json::array();
  for (const StepRecord& step : trace.steps) {
    Json entry = {{"name", step.name},
                  {"in", step.in},
                  {"out", step.out},
                  {"ms", std::round(step.ms * 1000) / 1000},
                  {"cpu_ms", std::round(step.cpu_ms * 1000) / 1000}};
    if (with_detail) entry["detail"] = step.detail;
    steps.push_back(std::move(entry));
  }
  return steps;
}

Json degraded_json(const Trace& trace) {
  Json degraded = Json::array();
  for (const Degradation& entry : trace.degraded) {
    degraded.push_back({{"step", entry.step}, {"reason", entry.reason}});
  }
  return degraded;
}

Json cost_json(const Trace& trace) {
  double wall = 0;
  double cpu = 0;
  for (const StepRecord& step : trace.steps) {
    wall += step.ms;
    cpu += step.cpu_ms;
  }
  return {{"ms", std::round(wall * 1000) / 1000},
          {"cpu_ms", std::round(cpu * 1000) / 1000},
          {"language_model_tokens", 0},
          {"money", 0}};
}

}  // namespace

double rounded(double value) { return std::round(value * 1e6) / 1e6; }

Json citation_to_json(const Citation& citation) {
  return {{"document", citation.document},
          {"source", citation.source},
          {"version", static_cast<std::int64_t>(citation.version)},
          {"passage", static_cast<std::int64_t>(citation.passage)},
          {"start", citation.span.start},
          {"end", citation.span.end},
          {"page", citation.page},
          {"quote", citation.quote},
          {"quote_sha256", citation.quote_sha256},
          {"url", citation.url},
          {"title", citation.title},
          {"origin", citation.origin},
          {"date", citation.published ? Json(format_date(*citation.published)) : Json(nullptr)}};
}

Result<Citation> citation_from_json(const Json& json) {
  try {
    Citation citation;
    citation.document = json.at("document").get<std::string>();
    citation.source = json.at("source").get<std::string>();
    citation.version = VersionId{json.at("version").get<std::int64_t>()};
    citation.passage = PassageId{json.at("passage").get<std::int64_t>()};
    citation.span = {json.at("start").get<std::uint32_t>(), json.at("end").get<std::uint32_t>()};
    citation.page = json.at("page").get<std::uint32_t>();
    citation.quote = json.at("quote").get<std::string>();
    citation.quote_sha256 = json.at("quote_sha256").get<std::string>();
    citation.url = json.value("url", "");
    citation.title = json.value("title", "");
    citation.origin = json.value("origin", "");
    if (json.contains("date") && json["date"].is_string()) {
      citation.published = parse_date(json["date"].get<std::string>());
    }
    return citation;
  } catch (const nlohmann::json::exception&) {
    return fail(ErrorCode::kCorrupt, "a citation lacks a field or has one of the wrong kind",
                "give a receipt as `beleg ask --json` prints it");
  }
}

Json make_receipt(const CascadeState& state) {
  const Engine& engine = state.engine;
  Json statements = Json::array();
  std::string answer;
  for (const Statement& statement : state.statements) {
    statements.push_back(statement_json(statement));
    if (!answer.empty()) answer += " ";
    answer += statement.text;
  }
  Json receipt;
  receipt["format"] = 1;
  receipt["question"] = state.request.question;
  receipt["filter"] = filter_to_json(state.request.filter);
  receipt["answer"] = answer;
  receipt["statements"] = std::move(statements);
  receipt["plan"] = plan_json(state);
  receipt["evidence"] = evidence_json(state);
  receipt["evidence_not_read"] = state.did_not_fit;
  receipt["faithfulness"] = rounded(state.faithfulness);
  receipt["abstained"] = state.abstention ? Json{{"code", state.abstention->code},
                                                 {"reason", state.abstention->reason}}
                                          : Json(nullptr);
  receipt["degraded"] = degraded_json(state.trace);
  receipt["corpus"] = engine.corpus();
  receipt["generation"] = static_cast<std::int64_t>(engine.generation().number);
  receipt["config_sha256"] = settings_hash(state.settings()).hex();
  receipt["models"] = Json::array({{{"name", engine.encoder().name()},
                                    {"role", "encoder"},
                                    {"sha256", engine.encoder().model_hash().hex()}}});
  receipt["relevance_model"] = {
      {"pairs", engine.relevance_model().pairs},
      {"sha256", sha256(relevance_model_to_json(engine.relevance_model())).hex()}};
  receipt["generator"] = state.template_id.empty() ? "extractive" : "template";
  if (!state.template_id.empty()) receipt["template"] = state.template_id;
  receipt["day"] = day_of(state.request.now - state.request.now % kDay);
  receipt["trace"] = state.trace.id;
  receipt["steps"] = steps_json(state.trace, false);
  receipt["cost"] = cost_json(state.trace);
  return receipt;
}

Json make_trace(const CascadeState& state, const Json& receipt) {
  Json settings = Json::object();
  for (const SettingSpec& spec : setting_specs()) {
    settings[std::string(spec.key)] = setting_value(state.settings(), spec);
  }
  Json trace;
  trace["id"] = state.trace.id;
  trace["question"] = state.request.question;
  trace["now"] = state.request.now;
  trace["filter"] = filter_to_json(state.request.filter);
  trace["settings"] = std::move(settings);
  trace["steps"] = steps_json(state.trace, true);
  trace["receipt"] = receipt;
  return trace;
}

}  // namespace beleg

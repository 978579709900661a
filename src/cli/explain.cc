#include <array>
#include <cstdio>

#include "cli/commands.h"
#include "cli/filters.h"
#include "cli/session.h"
#include "pipeline/search.h"
#include "pipeline/steps.h"

namespace beleg {
namespace {

constexpr std::uint64_t kMaxPassages = 1000;

struct Options {
  std::string question;
  std::uint64_t k = 5;
  FilterOptions filter;
};

std::string_view form_name(TermForm form) {
  switch (form) {
    case TermForm::kWord:
      return "word";
    case TermForm::kCompoundPart:
      return "compound part";
    case TermForm::kIdentifier:
      return "identifier";
    case TermForm::kIdentifierPart:
      return "identifier part";
    case TermForm::kReference:
      return "paragraph reference";
    case TermForm::kReferencePart:
      return "part of a paragraph reference";
  }
  return "word";
}

Json terms_json(const LexicalResult& lexical) {
  Json terms = Json::array();
  for (const QueryTermReport& term : lexical.terms) {
    terms.push_back({{"language", term.language},
                     {"term", term.term},
                     {"form", form_name(term.form)},
                     {"passages", term.document_frequency},
                     {"idf", rounded(static_cast<double>(term.idf))},
                     {"weight", rounded(static_cast<double>(term.weight))}});
  }
  return terms;
}

/// Contributions and their sum are exact: whole numbers of units, and those divided by a power of
/// two.
Json lexical_json(const LexicalExplanation& lexical) {
  const auto points = [&](std::uint32_t units) {
    return static_cast<double>(units) / lexical.units_per_point;
  };
  Json matches = Json::array();
  for (const LexicalMatch& match : lexical.matches) {
    matches.push_back({{"term", match.term.term},
                       {"form", form_name(match.term.form)},
                       {"word", match.word},
                       {"title", static_cast<double>(match.title)},
                       {"headings", static_cast<double>(match.headings)},
                       {"body", static_cast<double>(match.body)},
                       {"passages", match.term.document_frequency},
                       {"idf", rounded(static_cast<double>(match.term.idf))},
                       {"weight", rounded(static_cast<double>(match.term.weight))},
                       {"score", points(match.score)},
                       {"contribution", points(match.contribution)},
                       {"contribution_units", match.contribution}});
  }
  return {{"language", lexical.language},
          {"score", points(lexical.units)},
          {"score_units", lexical.units},
          {"units_per_point", lexical.units_per_point},
          {"matches", std::move(matches)}};
}

Json lists_json(const std::vector<CandidateList>& lists) {
  Json json = Json::array();
  for (const CandidateList& list : lists) {
    json.push_back({{"retriever", list.retriever},
                    {"hits", list.hits.size()},
                    {"strategies", passes_to_json(list.passes)}});
  }
  return json;
}

Result<Json> explain(const Options& options, const Session& session) {
  if (options.k < 1 || options.k > kMaxPassages) {
    return fail(ErrorCode::kInvalidArgument, "--k " + std::to_string(options.k), "give 1 to 1000");
  }
  const FilterSpec filter = TRY(parse_filters(options.filter));
  const auto engine = TRY(session.open_engine());
  std::vector<QueryVectors> vectors = TRY(engine->encode_questions({options.question}));
  const SearchResult result = TRY(search(*engine, options.question, vectors.front(), filter,
                                         SearchMode::kFull, SearchUnit::kPassage, options.k));
  const RowFilter visible = engine->index().make_filter(filter);
  const LexicalResult lexical = engine->index().search_lexical(
      options.question, result.query.language, 1, &visible, engine->settings().retrieve.bm25);
  Json hits = Json::array();
  for (const SearchHit& hit : result.hits) {
    const StoredPassage passage = TRY(engine->store().passage(engine->index().passage_of(hit.row)));
    const StoredVersion version = TRY(engine->store().version(passage.version));
    Json shares = Json::array();
    for (const FusedCandidate& candidate : result.fused) {
      if (candidate.row != hit.row) continue;
      for (const ListShare& share : candidate.shares) {
        shares.push_back({{"retriever", result.lists[share.list].retriever},
                          {"rank", share.rank},
                          {"score", rounded(static_cast<double>(share.score))},
                          {"share", rounded(share.contribution / candidate.score)}});
      }
    }
    hits.push_back({{"document", version.external_id},
                    {"title", version.content.meta.title},
                    {"passage", static_cast<std::int64_t>(passage.id)},
                    {"relevance", rounded(hit.score)},
                    {"lists", shares},
                    {"lexical", lexical_json(engine->index().explain_lexical(
                                    options.question, result.query.language, hit.row,
                                    engine->settings().retrieve.bm25))}});
  }
  return Json{{"question", options.question},
              {"language", result.query.language},
              {"matched_mass", rounded(result.query.evidence.matched_mass)},
              {"weights",
               {{"lexical", rounded(result.query.weights.lexical)},
                {"dense", rounded(result.query.weights.dense)},
                {"late", rounded(result.query.weights.late)}}},
              {"lists", lists_json(result.lists)},
              {"terms", terms_json(lexical)},
              {"hits", hits}};
}

std::string number(const Json& value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", value.get<double>());
  return text.data();
}

void print_lists(const Session& session, const Json& lists) {
  session.print("lists");
  for (const Json& list : lists) {
    std::string line = "  " + list["retriever"].get<std::string>() + ":";
    if (list["strategies"].empty()) line += " nothing to look up";
    std::string separator = " ";
    for (const Json& pass : list["strategies"]) {
      line += separator;
      if (pass.contains("language")) line += pass["language"].get<std::string>() + " ";
      line += pass["strategy"].get<std::string>() + " (" + pass["segments"].dump() +
              (pass["segments"] == 1 ? " segment)" : " segments)");
      separator = ", ";
    }
    session.print(line);
  }
}

void print_lexical(const Session& session, const Json& lexical) {
  for (const Json& match : lexical["matches"]) {
    std::string where;
    for (const char* field : {"title", "headings", "body"}) {
      if (match[field] != 0.0) where += std::string(", ") + field + " " + number(match[field]);
    }
    session.print("      " + printable_text(match["term"].get<std::string>()) + "  (" +
                  match["form"].get<std::string>() + where + ", idf " + match["idf"].dump() +
                  ", weight " + match["weight"].dump() + ")  adds " +
                  match["contribution_units"].dump() + " (" + number(match["contribution"]) + ")");
  }
  session.print("      sum " + lexical["score_units"].dump() + " of 1/" +
                lexical["units_per_point"].dump() + " (" + number(lexical["score"]) + ")");
}

void print_for_people(const Session& session, const Json& e) {
  session.print("language " + e["language"].get<std::string>() + "; weights: lexical " +
                e["weights"]["lexical"].dump() + " (matched idf mass " + e["matched_mass"].dump() +
                "), dense " + e["weights"]["dense"].dump() + ", late " +
                e["weights"]["late"].dump());
  print_lists(session, e["lists"]);
  session.print("terms");
  for (const Json& term : e["terms"]) {
    session.print("  " + term["language"].get<std::string>() + "  " +
                  printable_text(term["term"].get<std::string>()) + "  (" +
                  term["form"].get<std::string>() + ", in " + term["passages"].dump() +
                  " passages, idf " + term["idf"].dump() + ", weight " + term["weight"].dump() +
                  ")");
  }
  for (const Json& hit : e["hits"]) {
    session.print("relevance " + hit["relevance"].dump() + "  " +
                  printable_text(hit["title"].get<std::string>()) + "  (" +
                  printable_text(hit["document"].get<std::string>()) + ")");
    for (const Json& list : hit["lists"]) {
      session.print("    " + list["retriever"].get<std::string>() + ": rank " +
                    list["rank"].dump() + ", score " + list["score"].dump() + ", share " +
                    list["share"].dump());
    }
    if (!hit["lexical"]["matches"].empty()) {
      session.print("    words, as passages in " + hit["lexical"]["language"].get<std::string>());
      print_lexical(session, hit["lexical"]);
    }
  }
}

int run(const Options& options, Session& session) {
  const auto json = explain(options, session);
  if (!json) return session.complain(json.error());
  if (session.json()) {
    session.print(json->dump(2));
  } else {
    print_for_people(session, *json);
  }
  return kExitOk;
}

}  // namespace

CommandRunner define_explain(Arguments& arguments) {
  auto options = std::make_shared<Options>();
  arguments.positional("question", options->question, "The question", true);
  arguments.option("--k", options->k, "Passages to explain");
  define_filter_options(arguments, options->filter);
  return [options](Session& session) { return run(*options, session); };
}

}  // namespace beleg

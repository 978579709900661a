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
  std::vector<std::string> filters;
  std::vector<std::string> access;
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

Result<Json> explain(const Options& options, const Session& session) {
  if (options.k < 1 || options.k > kMaxPassages) {
    return fail(ErrorCode::kInvalidArgument, "--k " + std::to_string(options.k), "give 1 to 1000");
  }
  const FilterSpec filter = TRY(parse_filters(options.filters, options.access));
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
                    {"lists", shares}});
  }
  return Json{{"question", options.question},
              {"language", result.query.language},
              {"matched_mass", rounded(static_cast<double>(result.query.matched_mass))},
              {"weights",
               {{"lexical", rounded(result.query.weights.lexical)},
                {"dense", rounded(result.query.weights.dense)},
                {"late", rounded(result.query.weights.late)}}},
              {"terms", terms_json(lexical)},
              {"hits", hits}};
}

void print_for_people(const Session& session, const Json& e) {
  session.print("language " + e["language"].get<std::string>() + "; weights: lexical " +
                e["weights"]["lexical"].dump() + " (matched idf mass " + e["matched_mass"].dump() +
                "), dense " + e["weights"]["dense"].dump() + ", late " +
                e["weights"]["late"].dump());
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
  arguments.options("--filter", options->filters,
                    "field=value: language, source, story, domain, from, until");
  arguments.options("--access", options->access, "A label the asker holds");
  return [options](Session& session) { return run(*options, session); };
}

}  // namespace beleg

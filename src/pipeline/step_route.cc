#include <algorithm>

#include "pipeline/steps.h"
#include "route/template.h"
#include "route/template_match.h"

namespace beleg {
namespace {

/// Templates that may answer now, with the reasons why others may not.
Result<std::vector<Template>> usable_templates(CascadeState& state,
                                               const std::vector<DocumentHead>& heads) {
  const auto hash_of = [&heads](std::string_view document) -> std::optional<Sha256> {
    for (const DocumentHead& head : heads) {
      if (head.external_id == document) return head.content_hash;
    }
    return std::nullopt;
  };
  TemplateFolder folder = TRY(load_templates(state.settings().route.templates));
  for (const Error& error : folder.errors) state.degrade("route", error.to_line());
  std::erase_if(folder.templates, [&](const Template& entry) {
    auto reason = suspension_reason(entry, state.request.now, hash_of);
    if (!reason && entry.sources.empty()) reason = "it names no source document";
    if (reason) {
      state.degrade("route", "template '" + entry.id + "' is suspended: " + *reason);
    }
    return reason.has_value();
  });
  return std::move(folder.templates);
}

Result<std::vector<TemplateVectors>> encode_templates(const Engine& engine,
                                                      const std::vector<Template>& templates) {
  std::vector<TemplateVectors> all;
  for (std::size_t i = 0; i < templates.size(); ++i) {
    TemplateVectors entry{
        .index = i, .intent = templates[i].intent, .examples = templates[i].examples};
    for (QueryVectors& vectors : TRY(engine.encode_questions(templates[i].examples))) {
      entry.vectors.push_back(std::move(vectors.dense));
    }
    all.push_back(std::move(entry));
  }
  return all;
}

/// The reviewed answer as a statement that cites the first passage of each source document.
Result<Statement> template_statement(CascadeState& state, const Template& entry,
                                     const std::vector<DocumentHead>& heads, double confidence) {
  Statement statement{.text = entry.answer, .query = 0, .relevance = confidence, .support = 1.0};
  statement.supported = true;
  statement.reviewed = true;
  for (const TemplateSource& source : entry.sources) {
    const auto head = std::find_if(heads.begin(), heads.end(), [&](const DocumentHead& h) {
      return h.external_id == source.document;
    });
    const StoredVersion version = TRY(state.engine.store().version(head->version));
    const auto passages = TRY(state.engine.store().passages_of(head->version));
    for (const StoredPassage& passage : passages) {
      // What rests on a source that the asker may not see is not for the asker either.
      const Row row = TRY(state.engine.index().row_of(passage.id));
      if (state.filter && !state.filter->allows(row)) return Statement{};
    }
    if (passages.empty()) continue;
    statement.citations.push_back(
        TRY(mint_citation(version, passages.front().id, passages.front().passage.page,
                          passages.front().passage.span)));
  }
  return statement;
}

}  // namespace

Result<void> step_route(CascadeState& state, StepRecord& record) {
  record.in = 1;
  record.out = 1;
  record.detail["route"] = "retrieval";
  record.detail["templates"] = 0;
  if (state.settings().route.templates.empty()) return {};

  const auto heads = TRY(state.engine.store().heads(state.engine.generation().number));
  auto templates = usable_templates(state, heads);
  if (!templates) {
    // A folder that cannot be read must not keep a question from being answered.
    state.degrade("route", templates.error().to_line());
    return {};
  }
  record.detail["templates"] = templates->size();
  if (templates->empty()) return {};
  const auto vectors = TRY(encode_templates(state.engine, *templates));
  const auto question = TRY(state.engine.encode_questions({state.request.question}));
  const auto match = match_template(state.request.question, question.front().dense, vectors,
                                    {.threshold = state.settings().route.threshold});
  if (!match) return {};
  record.detail["best"] = templates->at(match->index).id;
  record.detail["confidence"] = rounded(match->confidence);
  record.detail["threshold"] = state.settings().route.threshold;
  if (!match->answers) return {};
  Statement statement =
      TRY(template_statement(state, templates->at(match->index), heads, match->confidence));
  if (statement.citations.empty()) return {};
  state.statements.push_back(std::move(statement));
  state.template_id = templates->at(match->index).id;
  record.detail["route"] = "template";
  return {};
}

}  // namespace beleg

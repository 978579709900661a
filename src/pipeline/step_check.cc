#include <algorithm>
#include <map>

#include "answer/support.h"
#include "pipeline/steps.h"

namespace beleg {

Result<void> step_cite(CascadeState& state, StepRecord& record) {
  record.in = state.statements.size();
  std::map<VersionId, StoredVersion> versions;
  std::size_t quotes = 0;
  std::size_t broken = 0;
  for (Statement& statement : state.statements) {
    std::erase_if(statement.citations, [&](const Citation& citation) {
      // Read again from the truth, not from what the earlier steps hold: what is sent is what is
      // stored now.
      auto entry = versions.find(citation.version);
      if (entry == versions.end()) {
        auto version = state.engine.store().version(citation.version);
        if (!version) {
          ++broken;
          return true;
        }
        entry = versions.emplace(citation.version, version.take()).first;
      }
      ++quotes;
      const bool holds = verify_citation(citation, entry->second).has_value();
      broken += holds ? 0 : 1;
      return !holds;
    });
    record.out += statement.citations.empty() ? 0 : 1;
  }
  record.detail["quotes_compared"] = quotes;
  record.detail["quotes_broken"] = broken;
  if (broken > 0) {
    state.degrade("cite", std::to_string(broken) + " quotes do not equal the stored text");
  }
  return {};
}

Result<void> step_check(CascadeState& state, StepRecord& record) {
  const double limit = state.settings().gate.min_statement_support;
  record.in = state.statements.size();
  double sum = 0;
  for (Statement& statement : state.statements) {
    std::vector<std::string_view> quotes;
    quotes.reserve(statement.citations.size());
    for (const Citation& citation : statement.citations) quotes.push_back(citation.quote);
    // Statements are compared as they are shown, quotes as they are stored: line ends differ.
    if (!statement.reviewed || quotes.empty()) {
      SupportVerdict verdict = check_support(statement.text, quotes);
      statement.support = verdict.support;
      statement.objections = std::move(verdict.objections);
    }
    statement.supported = statement.support >= limit;
    sum += statement.support;
  }
  state.faithfulness =
      state.statements.empty() ? 0.0 : sum / static_cast<double>(state.statements.size());
  std::size_t dropped = 0;
  std::erase_if(state.statements, [&dropped](const Statement& statement) {
    dropped += statement.supported ? 0 : 1;
    return !statement.supported;
  });
  record.out = state.statements.size();
  record.detail["method"] = "lexical coverage with guards for numbers, names and negation";
  record.detail["faithfulness"] = rounded(state.faithfulness);
  record.detail["dropped"] = dropped;
  return {};
}

Result<void> step_gate(CascadeState& state, StepRecord& record) {
  record.in = state.statements.size();
  state.abstention.reset();
  if (state.statements.empty()) {
    if (state.filter && state.filter->count() == 0) {
      state.abstention = {"no_hit", "the filters and access labels leave no passage to search"};
    } else if (state.fused.empty()) {
      state.abstention = {"no_hit", "no passage matches the question"};
    } else if (state.passages.empty() || state.articles.empty()) {
      state.abstention = {"not_relevant", "no passage is relevant enough to the question"};
    } else if (state.sentences.empty()) {
      state.abstention = {"not_relevant", "the evidence has no sentence to quote"};
    } else {
      state.abstention = {"not_relevant", "no sentence of the evidence answers the question"};
    }
  } else if (state.faithfulness < state.settings().gate.min_faithfulness) {
    state.abstention = {"not_supported", "the evidence does not support the answer"};
    state.statements.clear();
  }
  record.out = state.statements.size();
  record.detail["min_faithfulness"] = state.settings().gate.min_faithfulness;
  record.detail["passed"] = !state.abstention.has_value();
  if (state.abstention) record.detail["reason"] = state.abstention->code;
  return {};
}

}  // namespace beleg

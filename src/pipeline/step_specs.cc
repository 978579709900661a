#include <string>

#include "pipeline/steps.h"

namespace beleg {
namespace {

constexpr StepSpec kSteps[] = {
    {1, "admit", "The question; who asks and what they may see (filters, access labels).",
     "The question is valid UTF-8, not empty, within its length; the rows that may be seen are "
     "marked.",
     "Refused with one line that says what to change; nothing is searched.", step_admit},
    {2, "route", "The question; the templates of the settings.",
     "A template answers when its confidence reaches the threshold; else the question goes on.",
     "No confident match is no error. A template that cannot be read, or is stale, is left out and "
     "named under `degraded`.",
     step_route},
    {3, "plan", "The question and its language.",
     "One query, or the original and two to four sub-questions, each encoded; probability, reason "
     "and rule are recorded.",
     "A question that no rule can split stays whole.", step_plan},
    {4, "retrieve", "Every query of the plan; the rows that may be seen.",
     "One list per query and retriever (lexical, dense, late), `retrieve.top_k` passages each.",
     "A list may be empty; its weight and matched idf mass are recorded, and fusion knows them.",
     step_retrieve},
    {5, "fuse", "All lists with their weights.",
     "One list of distinct passages, ordered by weighted reciprocal rank fusion; each list's share "
     "is recorded.",
     "An absent passage contributes nothing; a list of weight zero leaves no trace.", step_fuse},
    {6, "rerank passages", "The first `rerank.candidates` fused passages.",
     "Each has a calibrated relevance per query; the best `rerank.keep` are kept, and the best of "
     "each query among them.",
     "A cross-encoder that is absent or fails is replaced by late interaction, named under "
     "`degraded`.",
     step_rerank_passages},
    {7, "filter", "The kept passages.",
     "Those whose relevance (the number that is shown) reaches `filter.min_relevance`.",
     "All may be dropped: then the answer abstains.", step_filter},
    {8, "expand", "The remaining passages.",
     "Whole current articles by story id, each once, with all their passages judged; superseded "
     "stories are named.",
     "Articles beyond `expand.max_articles` are left out and counted.", step_expand},
    {9, "rerank articles", "The articles with all their passages.",
     "Relevance of an article is the maximum over its passages; those below "
     "`articles.min_relevance` are dropped.",
     "All may be dropped: then the answer abstains.", step_rerank_articles},
    {10, "recency", "The articles, their release dates, the injected clock.",
     "Score = relevance · ((1 − weight) + weight · decay(age)); age in whole days.",
     "A future date counts as today, a missing one as the corpus' median; the trace says which.",
     step_recency},
    {11, "assemble", "The articles' passages, best first.",
     "Passages packed into `assemble.token_budget`; near-duplicates of another article once.",
     "What did not fit is counted, in the trace and in the receipt (`evidence_not_read`).",
     step_assemble},
    {12, "generate", "The packed passages, sentence by sentence.",
     "The sentences that answer each query, without repetition, newest first among equals, at most "
     "`answer.max_statements`.",
     "No sentence reaches `answer.min_relevance`: no statement.", step_generate},
    {13, "cite", "The statements with the spans they were taken from.",
     "Every quote equals the stored bytes, read again from the truth.",
     "A quote that differs is removed and counted; its statement fails the next steps.", step_cite},
    {14, "check", "The statements and their quotes.",
     "Support of each statement in [0,1]; statements below `gate.min_statement_support` are "
     "dropped; faithfulness is the mean.",
     "A statement without citation has support 0.", step_check},
    {15, "gate", "The remaining statements and the faithfulness.",
     "Statements remain and faithfulness reaches `gate.min_faithfulness`.",
     "Once, the steps from 4 on run again over three times as many candidates; then the answer "
     "abstains with its reason.",
     step_gate},
    {16, "record", "Everything above.",
     "Receipt and trace are stored; the receipt carries its own hash.",
     "A corpus that cannot be written to still answers; `degraded` says that nothing was recorded.",
     nullptr},
};

}  // namespace

std::span<const StepSpec> step_specs() { return kSteps; }

std::string steps_reference() {
  const Settings defaults;
  std::string page =
      "# The steps of the cascade\n\n"
      "Made from the code by `beleg config steps`; a test compares the two. Every step is a "
      "function "
      "of its inputs, the settings, the models and the generation, and leaves one record in the "
      "trace: name, count in, count out, wall and processor milliseconds, details.\n";
  for (const StepSpec& step : kSteps) {
    page += "\n## " + std::to_string(step.number) + ". " + std::string(step.name) + "\n\n";
    page += "- **Inputs:** " + std::string(step.inputs) + "\n";
    page += "- **Success:** " + std::string(step.success) + "\n";
    page += "- **Partial failure:** " + std::string(step.partial_failure) + "\n";
    std::string table;
    for (const SettingSpec& spec : setting_specs()) {
      if (spec.step != step.name) continue;
      table += "| `" + std::string(spec.key) + "` | `" + setting_value(defaults, spec) + "` | " +
               std::string(spec.meaning) + " |\n";
    }
    if (table.empty()) {
      page += "- **Settings:** none\n";
    } else {
      page += "\n| setting | default | meaning |\n|---|---|---|\n" + table;
    }
  }
  return page;
}

}  // namespace beleg
